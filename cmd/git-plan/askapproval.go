package main

import (
	"fmt"
	"strings"

	"github.com/git-plan/git-plan/cmd/git-plan/exit"
	"github.com/git-plan/git-plan/cmd/git-plan/terminal"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/integrity"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/planner"
)

const choices = "[y]es [e]dit [r]evise [n]o: "

// askVerdict repeats a question until a person has answered it. If nobody is there the answer is
// no.
func askVerdict(c *command, question string) (v verdict, words string) {
	for v == unclear {
		fmt.Fprint(c.Err, question+" "+choices)
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

// changed does what a person wants instead of approving the plan. A failure is reported: the plan
// is as it was, and the person is asked again.
func changed(c *command, co *checkout.Checkout, v verdict, words string) {
	do := func() error {
		if err := co.Load(c.Context); err != nil { // a new plan has no progress yet
			return err
		}
		return edit(c, co, "")
	}
	if v == revise {
		do = func() error { return reviseAs(c, co, words) }
	}
	if err := do(); err != nil {
		exit.Report(c.Err, err)
	}
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
		printWeakBefore(c, co)
		return nil
	})
}

// askApproval shows the plan and asks whether it may be executed, again after each change that
// the person asks for. done says that it was approved. A goal that takes one step is not asked
// about: the step is read and done.
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
		switch {
		case v == yes && small:
			if err := approveAsShown(c.Context, co, ""); err != nil {
				return true, err
			}
			say(c.Err, "approved: 1 step")
			return true, errDoNow
		case v == yes:
			if err := approveAsShown(c.Context, co, ""); err != nil {
				return true, err
			}
			return true, afterApproval(c, co)
		case v == no:
			return false, nil
		}
		changed(c, co, v, words)
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

// answersYes asks a question; anything but a word that begins with y is a no.
func answersYes(c *command, question string) bool {
	fmt.Fprint(c.Err, question)
	answer, err := terminal.ReadLine(c.Context)
	if err != nil {
		say(c.Err, "")
	}
	return strings.HasPrefix(strings.ToLower(answer), "y")
}
