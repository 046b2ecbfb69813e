package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-plan/git-plan/cmd/git-plan/exit"
	"github.com/git-plan/git-plan/cmd/git-plan/status"
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
			"asks before it approves, as git plan new does, and then whether to run the plan now.",
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
				printWeak(c, co)
				if terminal.Attended() && !c.yes {
					if done, err := askApproval(c, co); done || err != nil {
						return err
					}
					say(c.Err, "not approved, so nothing of it runs: git plan approve")
					return &exit.Ended{Code: exit.Person}
				}
				return approveUnasked(c, co)
			}))
		}),
	}
}

// settleApproval approves what this person has just read or typed, or asks on a terminal, or prints
// what comes next.
func settleApproval(c *command, co *checkout.Checkout, approved bool) error {
	found, err := lint.Plan(c.Context, co, co.Doc.Plan.Source)
	if err != nil {
		return err
	}
	return settle(c, co, "the plan", append(found, planner.Criticised(co)...), approved)
}

func settle(c *command, co *checkout.Checkout, what string, weak []plan.Weakness, approved bool) error {
	swallows := slices.ContainsFunc(weak, plan.Weakness.Swallows)
	if c.yes { // what is weak was accepted beforehand, what hides tasks cannot be
		approved = approved && !swallows
		all := len(weak)
		weak = slices.DeleteFunc(weak, func(w plan.Weakness) bool { return !w.HidesTask() && w.Rule != planner.CriticRule })
		if n := all - len(weak); n > 0 {
			say(c.Err, "weaknesses accepted by --yes: %d (git plan lint)", n)
		}
	}
	if len(weak) > 0 {
		say(c.Err, "what is weak in %s:", what)
		views.Weak(c.Err, weak)
	}
	if err := co.Doc.Plan.Approvable(); err != nil {
		return err
	}
	if approved {
		if ok, err := approvable(c, co); err != nil || !ok {
			return err
		}
		return approveUnasked(c, co)
	}
	if terminal.Attended() {
		if done, err := askApproval(c, co); done || err != nil {
			return err
		}
	}
	if c.yes && swallows {
		say(c.Err, "--yes does not approve a plan in which a task is swallowed")
	}
	say(c.Err, "read it: git plan show; then: git plan approve")
	if c.Context.Err() != nil {
		return &exit.Ended{Code: exit.Interrupted}
	}
	return nil
}

// approveUnasked approves the plan after printing what that covers. With --yes the history says that
// perhaps nobody read it.
func approveUnasked(c *command, co *checkout.Checkout) error {
	printApproval(c, co)
	unread := ""
	if c.yes {
		unread = "--yes: nobody was asked"
	}
	if err := approveAsShown(c.Context, co, unread); err != nil {
		return err
	}
	return afterApproval(c, co)
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

// approvable reports whether the plan can be approved; if it already is, that is printed.
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

// printWeak prints what is weak in a plan that came from elsewhere, or was edited since its approval. On a
// terminal the outlook has it.
func printWeak(c *command, co *checkout.Checkout) {
	if terminal.Attended() && len(co.Doc.Plan.Steps) > 1 {
		return
	}
	if ok, err := integrity.IsApproved(co.Repo, co.Doc.ID, co.Doc.Plan); ok || err != nil {
		return
	}
	if weak := views.WeakOpen(c.Context, co); len(weak) > 0 {
		say(c.Err, "what is weak in the plan:")
		views.Weak(c.Err, weak)
	}
}

// printApproval prints what an approval would cover: how the plan changed since the last one, and
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

// printUnseen prints what changed during a session that has not been approved since.
func printUnseen(w io.Writer, co *checkout.Checkout) {
	if text, ok := co.SetupChange(); ok {
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
		say(w, "    %s  %s", visible.Short(e.Commit), visible.Line(e.Describe()))
	}
	if more := len(strange) - most; more > 0 {
		say(w, "    and %d before them: git log %s", more, journal.PlanRef(co.Doc.ID))
	}
}

// askApproval shows the plan and asks whether it may be executed, again after each change that
// the person asks for. done says that it was approved. A goal that takes one step is read and done
// by one answer.
func askApproval(c *command, co *checkout.Checkout) (done bool, err error) {
	for {
		question := "Approve this plan?"
		if before, err := integrity.ApprovedMeaning(co.Repo, co.Doc.ID); before == nil || err != nil || !c.approves { // else the change is shown
			say(c.Err, "\n%s", terminal.Readable(string(co.Doc.Plan.Source)))
		}
		small := c.goal && len(co.Doc.Plan.Steps) == 1
		if small {
			question = "Do it now?"
		}
		printApproval(c, co)
		v, words := askVerdict(c, question)
		switch v {
		case yes:
			if err := approveAsShown(c.Context, co, ""); err != nil {
				return true, err
			}
			if small {
				say(c.Err, "approved: 1 step")
				return true, errDoNow
			}
			return true, afterApproval(c, co)
		case no:
			return false, nil
		case change:
			if err = co.Load(c.Context); err == nil { // a new plan has no progress yet
				err = edit(c, co, "")
			}
		case revise:
			err = reviseAs(c, co, words)
		}
		exit.Report(c.Err, err) // the plan is as it was, and the person is asked again
		if c.Context.Err() != nil {
			return false, nil
		}
		if ok, err := integrity.IsApproved(co.Repo, co.Doc.ID, co.Doc.Plan); ok || err != nil { // by typing it
			return ok, err
		}
		if err := co.Doc.Plan.Approvable(); err != nil {
			return false, err
		}
	}
}

// verdict is a person's answer to whether a plan may be executed.
type verdict int

const (
	unclear verdict = iota
	yes
	no
	change // in the editor
	revise // by the planner
)

// readVerdict reads a person's answer. Words after r are what the planner is to change.
func readVerdict(line string) (v verdict, words string) {
	first, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
	switch strings.ToLower(first) {
	case "y", "yes":
		return yes, ""
	case "n", "no", "":
		return no, ""
	case "e", "edit":
		return change, ""
	case "r", "revise":
		return revise, strings.TrimSpace(rest)
	}
	return unclear, ""
}

// askVerdict repeats a question until a person has answered it. At the end of input the answer is no.
func askVerdict(c *command, question string) (v verdict, words string) {
	for v == unclear {
		fmt.Fprint(c.Err, question+" [y]es [e]dit [r]evise [n]o: ")
		line, err := terminal.ReadLine(c.Context)
		if err != nil {
			say(c.Err, "")
			return no, ""
		}
		if v, words = readVerdict(line); v == unclear {
			say(c.Err, "answer y, e, n, or r and what should be different")
		}
	}
	if v == revise && words == "" {
		fmt.Fprint(c.Err, "What should be different? ")
		if words, _ = terminal.ReadLine(c.Context); words == "" {
			say(c.Err, "")
			return askVerdict(c, question)
		}
	}
	return v, words
}

// reviseAs has the planner write the plan again as a person asks.
func reviseAs(c *command, co *checkout.Checkout, words string) error {
	return locked(c, co, func(lock *journal.Lock) error {
		shown := newShow(c, co)
		defer shown.end()
		before, err := planner.Replan(c.Context, shown.worker(co, lock), journal.ByPerson, words, nil)
		shown.end()
		if err != nil {
			return nothingToDo(c, err)
		}
		printChange(c, before, co.Doc.Plan.Source)
		if err := criticised(c, co, lock, ""); err != nil {
			return err
		}
		printWeak(c, co)
		return nil
	})
}

// answersYes asks a question; anything but a word that begins with y is a no.
func answersYes(c *command, question string) bool {
	fmt.Fprint(c.Err, question)
	answer, err := terminal.ReadLine(c.Context)
	if err != nil {
		say(c.Err, "")
	}
	return strings.HasPrefix(strings.ToLower(answer), "y")
}

// errDoNow says that a plan was approved, to be run at once.
var errDoNow = errors.New("approved, to be run at once")

// afterApproval prints that a plan is now approved, and what comes next. If that is a run, a person
// at a terminal is asked whether it begins now, and if so the error is errDoNow.
func afterApproval(c *command, co *checkout.Checkout) error {
	done, next := "approved: "+terminal.Count(len(co.Doc.Plan.Steps), "step"), nextOf(c, co)
	if co.Progress != nil && co.Progress.Done > 0 {
		done += "; " + co.Progress.Summary()
	}
	if next.Command != "git plan step" || !terminal.Attended() || c.yes {
		say(c.Err, "%s; next: %s", done, next)
		return nil
	}
	if where, err := co.Config.Isolation(); err == nil && where == "tree" {
		say(c.Err, "sessions work in this tree: leave it alone meanwhile; in clones: git config plan.isolation clone")
	}
	fmt.Fprintf(c.Err, "%s\nRun it now? [Y/n] ", done)
	answer, err := terminal.ReadLine(c.Context)
	if v, _ := readVerdict(answer); err == nil && (answer == "" || v == yes) {
		return errDoNow
	} else if err != nil {
		say(c.Err, "")
	}
	say(c.Err, "next: git plan run")
	return nil
}

// nextOf returns what comes next, as status prints it.
func nextOf(c *command, co *checkout.Checkout) status.Advice {
	if err := co.Derive(c.Context); err == nil {
		if s, err := status.Of(c.Context, co); err == nil {
			return s.Next(c.Context, co)
		}
	}
	return status.Advice{Command: "git plan status"}
}

// runApproved does git plan run, if a plan was approved to be run at once.
func runApproved(c *command, err error) error {
	if !errors.Is(err, errDoNow) {
		return err
	}
	run := *c
	run.args, run.name, run.prompts, run.notifies, run.whole = nil, "run", true, true, true
	return exit.WithRetryCommand("git plan run", runPlan(&workOptions{command: &run, jobs: unset}))
}
