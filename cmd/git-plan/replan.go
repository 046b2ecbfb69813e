package main

import (
	"bytes"

	"github.com/urfave/cli/v2"

	"github.com/git-plan/git-plan/cmd/git-plan/terminal"
	"github.com/git-plan/git-plan/cmd/git-plan/views"
	"github.com/git-plan/git-plan/gitplan"
	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/integrity"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/planner"
	"github.com/git-plan/git-plan/gitplan/progress"
	"github.com/git-plan/git-plan/gitplan/prompt"
)

type replanOptions struct {
	*command
	message string
	ask     bool
}

func replanCommand(with *command) *cli.Command {
	c := &replanOptions{command: with}
	c.prompts = true
	c.option(&c.message, "m", "`FEEDBACK` for the planner: what should be different")
	c.option(&c.ask, "ask", "let the planner ask you questions first")
	c.yesFlag("approve the new plan at once")
	c.eventsFlag()
	return c.define("replan", "", "have a planner rewrite the steps that are open", c.do(0, func() error {
		if c.ask && !terminal.Attended() {
			return c.misused(askNeeds)
		}
		return withLock(c.command, func(co *checkout.Checkout, lock *journal.Lock) error {
			if err := replan(c, co, lock); err != nil {
				return nothingToDo(c.command, err)
			}
			approved, err := integrity.IsApproved(co.Repo, co.Doc.ID, co.Doc.Plan)
			if err != nil {
				return err
			}
			lock.Release() // a person may take long to think, and change the plan
			return settleApproval(c.command, co, approved || c.yes)
		})
	}))
}

// replan has a planner rewrite the open steps as a person wants, and prints what that changed, and what a critic finds.
func replan(c *replanOptions, co *checkout.Checkout, lock *journal.Lock) error {
	shown, w := newShow(c.command, co, lock)
	defer shown.end()
	p := prompt.Planning{Wanted: c.message}
	if c.ask {
		p.Ask = shown.ask(c.command)
	}
	was := co.Progress
	var before []byte
	err := withRunEvents(c.command, w, agent.Planner, func() (err error) {
		before, err = planner.Replan(c.Context, w,
			journal.Event{Kind: journal.Replanned, By: journal.ByPerson, Reason: c.message}, p)
		return err
	})
	if err == nil {
		err = criticised(c.command, w)
	}
	if shown.end(); err != nil {
		return err
	}
	printChange(c.command, co, before, co.Doc.Plan.Source)
	for _, step := range co.Doc.Plan.Steps {
		if was.Steps[step.ID].State == progress.StateBlocked && co.Progress.Steps[step.ID].State == progress.StateOpen {
			say(c.Err, "step %s was blocked, and is open again", step.ID)
		}
	}
	return nil
}

// planAgain has a plan with Bounds planned again, and prints what that changed.
func planAgain(c *command, s *gitplan.Steps, why, findings string, measured []journal.Measured) error {
	before, err := gitplan.PlanAgain(c.Context, s, why, findings, measured)
	if now := s.Checkout.Doc.Plan.Source; before != nil && !bytes.Equal(before, now) {
		printChange(c, s.Checkout, before, now)
	}
	if err == nil {
		err = criticised(c, s.Worker)
		views.Weaknesses(c.Err, planner.Criticised(s.Checkout), false) // which the next planning reads
	}
	return err
}
