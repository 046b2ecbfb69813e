package main

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-plan/git-plan/cmd/git-plan/exit"
	"github.com/git-plan/git-plan/gitplan/attempts"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/share"
	"github.com/git-plan/git-plan/gitplan/visible"
)

func dropCommand() *cli.Command {
	c := new(command)
	return &cli.Command{
		Name: "drop", Usage: "remove a plan", ArgsUsage: "[<plan>]",
		Description: "The commits of its steps stay on their branch. A remote that has the plan keeps it, and\n" +
			"the next git plan fetch brings it back; git push <remote> :refs/plans/<plan> removes it\n" +
			"there. Other clones keep theirs.",
		Action: c.do(func() error {
			if err := c.arguments(1); err != nil {
				return err
			}
			return withCheckout(c.Context, func(co *checkout.Checkout) error {
				id := c.arg(0)
				if own, ok := co.PlanID(c.Context); id == "" && ok {
					id = own
				}
				if id == "" { // one that was fetched for this branch, or none
					if err := co.Load(c.Context); err != nil {
						return err
					}
					id = co.Doc.ID
				}
				perhaps := perhapsOfAPerson(c.Context, co, id)
				tip, err := co.Drop(c.Context, id)
				if errors.Is(err, fault.ErrPlanGone) {
					return cmp.Or(meantAnother(c.Context, co, id), err)
				}
				if err != nil {
					return err
				}
				say(c.Err, "plan %s is gone; its last value was %s (git update-ref refs/plans/%s %s brings it back)", id, tip, id, tip)
				kept, err := co.Repo.Refs(c.Context, journal.AttemptPrefix+id+"/")
				if err != nil {
					return err
				}
				for _, text := range perhaps {
					say(c.Err, "kept, and perhaps yours: %s", text)
				}
				if len(kept) > 0 {
					say(c.Err, "what its sessions left uncommitted stays (refs: %d) until you remove it: git for-each-ref --format='delete %%(refname)' %s%s/ | git update-ref --stdin", len(kept), journal.AttemptPrefix, id)
				}
				for _, remote := range share.KnowPlan(c.Context, co, id) {
					say(c.Err, "%s still has it: the next git plan fetch takes it again, unless git push %s :refs/plans/%s removes it there", visible.Line(remote), visible.Shell(remote), id)
				}
				return nil
			})
		}),
	}
}

// perhapsOfAPerson names what kept attempts of a plan have that may be a person's own work, and how they
// get it once the plan is gone.
func perhapsOfAPerson(ctx context.Context, co *checkout.Checkout, id string) (out []string) {
	refs, _ := co.Repo.Refs(ctx, journal.AttemptPrefix+id+"/"+attempts.StashName+"/")
	for _, r := range refs {
		out = append(out, "what --autostash set aside (git show "+visible.Shell(r.Name)+")")
	}
	return out
}

// meantAnother returns an error that names the plan whose id begins with a word and ends with digits of its
// own, if there is one.
func meantAnother(ctx context.Context, co *checkout.Checkout, word string) error {
	refs, err := co.Repo.Refs(ctx, journal.RefPrefix)
	var meant []string
	for _, r := range refs {
		if id := strings.TrimPrefix(r.Name, journal.RefPrefix); err == nil && strings.HasPrefix(id, word+"-") {
			meant = append(meant, id)
		}
	}
	if len(meant) != 1 {
		return nil
	}
	return &exit.Wrong{Text: "there is no plan " + visible.OneLine(word, 80) + "; one is " + meant[0], Hint: "git plan drop " + meant[0]}
}
