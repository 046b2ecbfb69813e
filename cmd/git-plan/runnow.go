package main

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/git-plan/git-plan/cmd/git-plan/exit"
	"github.com/git-plan/git-plan/cmd/git-plan/status"
	"github.com/git-plan/git-plan/cmd/git-plan/terminal"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/visible"
	"github.com/git-plan/git-plan/reviewers"

	"github.com/git-plan/git-plan/cmd/git-plan/views"
)

// errDoNow says that a plan was approved, to be run at once.
var errDoNow = errors.New("approved, to be run at once")

// afterApproval says that a plan is now approved, and what comes next. If that is a run, a person
// at a terminal is asked whether it begins now, and if so the error is errDoNow.
func afterApproval(c *command, co *checkout.Checkout) error {
	done, next := "approved: "+terminal.Count(len(co.Doc.Plan.Steps), "step"), nextOf(c, co)
	if co.Progress != nil && co.Progress.Done > 0 {
		done += "; " + co.Progress.Far()
	}
	if next.Command != "git plan step" || !terminal.Attended() || c.yes {
		say(c.Err, "%s; next: %s", done, next)
		return nil
	}
	if where, err := co.Config.Isolation(); err == nil && where == "tree" {
		say(c.Err, "sessions work in this tree: leave it alone meanwhile; in clones: git config plan.isolation clone")
	}
	say(c.Err, "%s", done)
	for v := unclear; v == unclear; {
		fmt.Fprintf(c.Err, "Run it now%s? [Y/n] ", costsAtMost(c, co))
		answer, err := terminal.ReadLine(c.Context)
		if err != nil {
			say(c.Err, "")
			break
		}
		switch v, _ = readVerdict(cmp.Or(answer, "y")); v {
		case yes:
			return errDoNow
		case no:
		default:
			v = unclear
			say(c.Err, "answer y or n")
		}
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

// costsAtMost says in a few words what a run may take: sessions, and money if there is a limit.
func costsAtMost(c *command, co *checkout.Checkout) string {
	_, most, err := views.Sessions(co)
	if err != nil || most == 0 {
		return ""
	}
	text := " (at most " + terminal.Count(most, "session")
	if _, judges, rounds := reviewers.Expected(c.Context, co); judges > 0 && rounds > 0 {
		text += " and the review"
	}
	if limit := co.Config.String("plan.maxCost"); limit != "" && limit != "none" {
		text += ", " + visible.Line(limit) + " USD"
	}
	return text + ")"
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
