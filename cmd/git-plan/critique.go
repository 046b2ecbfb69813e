package main

import (
	"bytes"
	"errors"

	"github.com/urfave/cli/v2"

	"github.com/git-plan/git-plan/cmd/git-plan/exit"
	"github.com/git-plan/git-plan/cmd/git-plan/views"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/reviewers"
)

type critiqueOptions struct {
	*command
	fix, force, json bool
}

func critiqueCommand() *cli.Command {
	c := &critiqueOptions{command: &command{prompts: true}}
	return &cli.Command{
		Name: "critique", Usage: "let a critic look for what is wrong with the plan",
		Description: "A fresh session reads the goal, the plan and the repository and looks for what lint cannot\n" +
			"see: steps that prove nothing, hidden dependencies, a wrong order, over-engineering, invented\n" +
			"names, forgotten callers. Each finding must quote the plan, and a second session confirms or\n" +
			"refutes it. What remains is shown when the plan is approved. plan.critic names who judges, and\n" +
			"has every new plan judged; without it the agent that is set does. Exits with 4 if a\n" +
			"confirmed finding remains.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "fix", Destination: &c.fix, Usage: "let the planner repair, once, what is confirmed"},
			&cli.BoolFlag{Name: "force", Destination: &c.force, Usage: "judge the plan again, though it was judged as it is"},
			&cli.BoolFlag{Name: "json", Destination: &c.json, Usage: "one JSON object for programs"},
			c.eventsFlag(),
			c.plainFlag(),
		},
		Action: c.do(func() error {
			if err := c.arguments(0); err != nil {
				return err
			}
			if c.json && c.events {
				return c.misused("--json and --json-events cannot be used together")
			}
			return withLock(c.command, func(co *checkout.Checkout, lock *journal.Lock) error { return critique(c, co, lock) })
		}),
	}
}

func critique(c *critiqueOptions, co *checkout.Checkout, lock *journal.Lock) error {
	q := &reviewers.Critique{Fix: c.fix}
	last, stale := reviewers.LastCritique(co)
	if last != nil {
		q.Goal = last.Goal
	}
	if last != nil && !stale && !c.force {
		q.Last = last
		say(c.Err, "this plan was judged before; to judge it again: git plan critique --force")
	}
	before := co.Doc.Plan.Digest()
	out, err := criticise(c.command, co, lock, q)
	switch {
	case out == nil, c.events:
	case c.json:
		err = errors.Join(err, views.JSON(c.Out, out))
	default:
		views.CritiqueFindings(c.Out, out)
	}
	if err != nil {
		return err
	}
	if co.Doc.Plan.Digest() != before {
		say(c.Err, "read it: git plan show; then: git plan approve")
	}
	if len(out.Confirmed()) == 0 {
		return nil
	}
	if !out.Repaired {
		say(c.Err, "let the planner repair it: git plan critique --fix; or change it yourself: git plan edit")
	}
	return &exit.Ended{Code: exit.Review}
}

// criticise has the plan judged, and prints in a line how that ended.
func criticise(c *command, co *checkout.Checkout, lock *journal.Lock, q *reviewers.Critique) (*reviewers.Critiqued, error) {
	before := bytes.Clone(co.Doc.Plan.Source)
	shown := newShow(c, co)
	defer shown.end()
	q.Worker = shown.worker(co, lock)
	out, err := q.Run(c.Context)
	if out != nil && c.events { // people read them below
		for _, n := range out.Seen() {
			q.Worker.Report(n)
		}
	}
	shown.end()
	if !bytes.Equal(before, co.Doc.Plan.Source) {
		printChange(c, before, co.Doc.Plan.Source)
	}
	if out != nil {
		say(c.Err, "%s", views.Critique(out))
	}
	return out, err
}

// criticisePlanned has a new plan judged before a person reads it. If the critic fails that is
// reported, and the plan is made all the same.
func criticisePlanned(c *command, co *checkout.Checkout, goal string) error {
	err := locked(c, co, func(lock *journal.Lock) error {
		_, err := criticise(c, co, lock, &reviewers.Critique{Goal: goal, Fix: true})
		return err
	})
	if c.Context.Err() != nil {
		return err
	}
	exit.Report(c.Err, err)
	return nil
}
