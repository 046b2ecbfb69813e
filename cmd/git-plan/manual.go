package main

import (
	"fmt"
	"slices"

	"github.com/git-plan/git-plan/cmd/git-plan/exit"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/progress"
	"github.com/git-plan/git-plan/gitplan/visible"
)

func confirmByHand(c *doneOptions) error {
	if len(c.args) > 0 {
		return c.misused("--manual is about the whole plan, not about step %s", visible.Line(c.arg(0)))
	}
	return withLock(c.command, func(co *checkout.Checkout, _ *journal.Lock) error {
		list := progress.Manuals(co.Doc.Plan, co.Doc.Events)
		var chosen []progress.Manual
		for _, name := range c.manual.Value() {
			i := slices.IndexFunc(list, func(m progress.Manual) bool { return m.ID == name || fmt.Sprint(m.N) == name })
			if i < 0 {
				return &exit.Wrong{Text: "the plan has no criterion " + visible.Line(name) + " for a person to check", Hint: "see them: git plan status"}
			}
			chosen = append(chosen, list[i])
		}
		for _, m := range chosen {
			if err := confirm(c.command, co, m); err != nil {
				return err
			}
		}
		return nil
	})
}

func confirm(c *command, co *checkout.Checkout, m progress.Manual) error {
	head, err := co.Repo.Resolve(c.Context, "HEAD^{commit}")
	if err != nil {
		return err
	}
	err = co.Store.Apply(c.Context, co.Doc, co.Branch, journal.Change{Event: journal.Event{
		Kind: journal.Confirmed, Check: journal.NameOfCheck(m.Text), Head: head, By: journal.ByPerson,
	}})
	if err == nil {
		say(c.Err, "checked by hand at %s: %s", visible.Short(head), m.Text)
	}
	return err
}

// listManual lists what is still to be checked by a person.
func listManual(c *command, co *checkout.Checkout) {
	open := slices.DeleteFunc(progress.Manuals(co.Doc.Plan, co.Doc.Events), func(m progress.Manual) bool { return m.Commit != "" })
	if len(open) > 0 {
		say(c.Err, "to be checked by a person:")
	}
	for _, m := range open {
		say(c.Err, "    %d. %s (git plan done --manual %d)", m.N, m.Text, m.N)
	}
}
