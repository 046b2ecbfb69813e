package main

import (
	"github.com/git-plan/git-plan/gitplan"
	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/reviewers"
)

// withSteps opens the plan for work on its steps.
func withSteps(c *command, do func(*gitplan.Steps) error) error {
	return withLock(c, func(co *checkout.Checkout, lock *journal.Lock) error {
		guard, err := reviewers.StepGuard(co)
		if err != nil {
			return err
		}
		if _, err := co.Config.Word("plan.push"); err != nil { // otherwise it would be reported when all is done
			return err
		}
		shown := newShow(c, co)
		defer shown.end()
		steps := gitplan.NewSteps(shown.worker(co, lock), guard)
		steps.GuardOf, steps.Writer, steps.Stopping = reviewers.StepGuard, lock.Writer, lock.Stopping
		err = shown.conclude(c, co, withRunEvents(c, steps.Worker, agent.Executor, func() error {
			return do(steps)
		}))
		return notifyAway(c, co, shown.View.Tally().Sessions, err)
	})
}

// doSteps is withSteps with --autostash.
func doSteps(c *workOptions, do func(*gitplan.Steps) error) error {
	if err := pickAgentOnce(c.command, agent.Executor); err != nil {
		return err
	}
	return withSteps(c.command, func(s *gitplan.Steps) error {
		s.Clean = c.clean
		return s.Autostash(c.Context, c.autostash, func() error { return do(s) })
	})
}
