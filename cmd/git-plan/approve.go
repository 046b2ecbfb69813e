package main

import (
	"context"
	"io"

	"github.com/urfave/cli/v2"

	"github.com/git-plan/git-plan/cmd/git-plan/exit"
	"github.com/git-plan/git-plan/cmd/git-plan/terminal"
	"github.com/git-plan/git-plan/cmd/git-plan/views"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/integrity"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/lint"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/planner"
	"github.com/git-plan/git-plan/gitplan/share"
	"github.com/git-plan/git-plan/gitplan/visible"
)

func approveCommand() *cli.Command {
	c := &command{approves: true}
	var revoke bool
	return &cli.Command{
		Name: "approve", Usage: "allow the plan and its commands to run",
		Description: "Lists what changed since the last approval and which commands will run. On a terminal it\n" +
			"asks before it approves, as git plan new does, and then whether to run the plan now, with how\n" +
			"many sessions that takes at most.",
		Flags: []cli.Flag{
			c.yesFlag("approve it without asking"),
			&cli.BoolFlag{Name: "revoke", Destination: &revoke, Usage: "take the approval back: nothing of the plan runs"},
		},
		Action: c.do(func() error {
			if err := c.arguments(0); err != nil {
				return err
			}
			return runApproved(c, withLock(c, func(co *checkout.Checkout, lock *journal.Lock) error {
				if revoke {
					say(c.Err, "nothing of this plan runs until it is approved again: git plan approve")
					return integrity.Revoke(co.Repo, co.Doc.ID)
				}
				if ok, err := approvable(c, co); err != nil || !ok {
					return err
				}
				lock.Release() // a person may take long to think
				printWeakBefore(c, co)
				if terminal.Attended() && !c.yes {
					if done, err := askApproval(c, co); done || err != nil {
						return err
					}
					say(c.Err, "not approved, so nothing of it runs: git plan approve")
					return &exit.Ended{Code: exit.Person}
				}
				printApproval(c, co)
				unread := ""
				if c.yes {
					unread = unasked
				}
				if err := approveAsShown(c.Context, co, unread); err != nil {
					return err
				}
				return afterApproval(c, co)
			}))
		}),
	}
}

// printWeakBefore prints what is weak in a plan that is about to be approved: it may come from
// elsewhere, or was edited since. On a terminal the outlook prints it, below the rest.
func printWeakBefore(c *command, co *checkout.Checkout) {
	if terminal.Attended() && len(co.Doc.Plan.Steps) > 1 {
		return
	}
	if ok, err := integrity.IsApproved(co.Repo, co.Doc.ID, co.Doc.Plan); ok || err != nil {
		return
	}
	found, err := lint.Plan(c.Context, co, co.Doc.Plan.Source)
	if weak := views.OfOpenSteps(co, append(plan.Weak(found), planner.Criticised(co)...)); err == nil && len(weak) > 0 {
		say(c.Err, "what is weak in the plan:")
		views.Weak(c.Err, weak)
	}
}

// approve approves the plan for a person, after saying what the approval covers, and reports
// whether it was not approved before. If nobody read it, the history says why.
func approve(c *command, co *checkout.Checkout, unread string) (bool, error) {
	if ok, err := approvable(c, co); err != nil || !ok {
		return false, err
	}
	printApproval(c, co)
	return true, approveAsShown(c.Context, co, unread)
}

// approvable reports whether the plan can be approved; if it is already, that is said.
func approvable(c *command, co *checkout.Checkout) (bool, error) {
	ok, err := integrity.IsApproved(co.Repo, co.Doc.ID, co.Doc.Plan)
	if err != nil {
		return false, err
	}
	if ok && len(co.UnverifiedEvents()) == 0 {
		say(c.Err, "the plan is approved already; next: %s", nextOf(c, co))
		return false, nil
	}
	err = co.Doc.Plan.Approvable()
	return err == nil, err
}

// printApproval says what an approval would cover: how the plan changed since the last one, and
// what it lets run.
func printApproval(c *command, co *checkout.Checkout) {
	if before, err := integrity.ApprovedMeaning(co.Repo, co.Doc.ID); err == nil && before != nil {
		say(c.Err, "changed since it was approved last:\n%s", terminal.Readable(share.CompareWords(before, plan.Meaning(co.Doc.Plan.Source))))
		printUnverified(c, before, co.Doc.Plan.Source)
	}
	printUnseen(c.Err, co)
	printUnverifiedEvents(c.Err, co)
	views.Outlook(c.Context, c.Err, co, !c.yes)
}

// printUnseen says what changed during a session that nobody has approved since.
func printUnseen(w io.Writer, co *checkout.Checkout) {
	if text, ok := co.Unseen(); ok {
		say(w, "%s: it stays as it is now", visible.Line(text))
	}
}

// printUnverifiedEvents lists the events that count once the plan is approved.
func printUnverifiedEvents(w io.Writer, co *checkout.Checkout) {
	const most = 20
	strange := co.UnverifiedEvents()
	if len(strange) == 0 {
		return
	}
	say(w, "not written or fetched by git plan in this clone, and trusted once you approve:")
	for _, e := range strange[max(0, len(strange)-most):] {
		say(w, "    %s  %s", visible.Short(e.Commit), visible.Line(e.Said()))
	}
	if more := len(strange) - most; more > 0 {
		say(w, "    and %d before them: git log %s", more, journal.PlanRef(co.Doc.ID))
	}
}

// approveAsShown approves the plan for a person who was shown what the approval covers.
func approveAsShown(ctx context.Context, co *checkout.Checkout, unread string) error {
	if err := integrity.Approve(co.Repo, co.Doc.ID, co.Doc.Plan.Source); err != nil {
		return err
	}
	if err := co.TrustTip(); err != nil {
		return err
	}
	return co.Store.Apply(ctx, co.Doc, co.Branch, journal.Change{Event: journal.Event{Kind: journal.Approved, By: journal.ByPerson, Reason: unread}})
}
