package main

import (
	"slices"

	"github.com/git-plan/git-plan/cmd/git-plan/exit"
	"github.com/git-plan/git-plan/cmd/git-plan/terminal"
	"github.com/git-plan/git-plan/cmd/git-plan/views"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/lint"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/planner"
)

// settleApproval approves what this person has just read or typed, or asks on a terminal, or says
// what comes next.
func settleApproval(c *command, co *checkout.Checkout, approved bool) error {
	found, err := lint.Plan(c.Context, co, co.Doc.Plan.Source)
	if err != nil {
		return err
	}
	return settle(c, co, "the plan", append(found, planner.Criticised(co)...), approved)
}

func settle(c *command, co *checkout.Checkout, what string, weak []plan.Weakness, approved bool) error {
	weak = plan.Weak(weak)
	swallows := slices.ContainsFunc(weak, plan.Weakness.Swallows)
	if c.yes { // what is weak was accepted beforehand, what hides tasks cannot be
		approved = approved && !swallows
		all := len(weak)
		weak = slices.DeleteFunc(weak, func(w plan.Weakness) bool { return !w.HidesTask() && w.Rule != planner.CriticRule })
		if n := all - len(weak); n > 0 {
			say(c.Err, "weak in %s, and accepted by --yes: git plan lint", terminal.Count(n, "place"))
		}
	}
	if len(weak) > 0 {
		say(c.Err, "what is weak in %s:", what)
		views.Weak(c.Err, weak)
	}
	if err := co.Doc.Plan.Approvable(); err != nil {
		return err
	}
	if !approved && terminal.Attended() {
		if done, err := askApproval(c, co); done || err != nil {
			return err
		}
	}
	if approved {
		unread := ""
		if c.yes {
			unread = unasked
		}
		if first, err := approve(c, co, unread); err != nil || !first {
			return err
		}
		return afterApproval(c, co)
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

// unasked is in the history why an approval may be one that nobody read.
const unasked = "--yes: nobody was asked"
