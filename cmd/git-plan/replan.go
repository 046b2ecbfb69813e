package main

import (
	"github.com/urfave/cli/v2"

	"github.com/git-plan/git-plan/cmd/git-plan/exit"
	"github.com/git-plan/git-plan/gitplan"
	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/planner"
	"github.com/git-plan/git-plan/gitplan/setup"
	"github.com/git-plan/git-plan/gitplan/work"
	"github.com/git-plan/git-plan/reviewers"
)

func replanCommand() *cli.Command {
	return &cli.Command{
		Name: "replan", Usage: "have a planner rewrite the steps that are open",
		Description: "The planner reads what was done, where the work got stuck, and your feedback. Steps that\n" +
			"are done stay word for word; blocked steps are open again. The change is shown and asks\n" +
			"for your approval.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "split", Usage: "have only `STEP` rewritten, as two or more smaller ones"},
			&cli.StringFlag{Name: "m", Usage: "`FEEDBACK` for the planner: what should be different"},
			&cli.BoolFlag{Name: "ask", Usage: "let the planner ask you questions first"},
			&cli.BoolFlag{Name: "yes", Usage: "approve the new plan at once"},
			&cli.BoolFlag{Name: "json-events", Usage: "one JSON object per line, for programs"},
			plainFlag(),
		},
		Action: func(c *cli.Context) error {
			if err := arguments(c, 0); err != nil {
				return err
			}
			return runApproved(c, withLock(c, func(co *checkout.Checkout, lock *journal.Lock) error {
				shown := newShow(c, co)
				defer shown.end()
				w := shown.worker(co, lock)
				questions, err := asker(c)
				if err != nil {
					return err
				}
				was := co.Progress
				var before []byte
				err = asRun(c, w, agent.Planner, func() (err error) {
					before, err = rewritten(c, w, shown.Asking(questions))
					return err
				})
				shown.end()
				if err != nil {
					return nothingToDo(c, err)
				}
				printChange(c, before, co.Doc.Plan.Source)
				printFreed(c, co, gitplan.Replanned{Before: before, Stood: was})
				if co.Config.HasCritic() {
					if _, err := criticise(c, co, lock, &reviewers.Critique{Fix: true}); err != nil {
						exit.Report(c.App.ErrWriter, err)
					}
				}
				approved, err := setup.IsApproved(co.Repo, co.Doc.ID, co.Doc.Plan)
				if err != nil {
					return err
				}
				lock.Release() // a person may take long to think, and change the plan
				return settleApproval(c, co, approved || c.Bool("yes"))
			}))
		},
	}
}

// rewritten has a planner rewrite what is open, or split one step.
func rewritten(c *cli.Context, w *work.Worker, ask func([]agent.Question) ([]string, error)) (before []byte, err error) {
	if !c.IsSet("split") {
		return planner.Replan(c.Context, w, journal.ByPerson, c.String("m"), ask)
	}
	step, err := stepOf(w.Checkout, c.String("split"))
	if err != nil {
		return nil, err
	}
	return planner.Split(c.Context, w, step, c.String("m"), ask)
}

// printFreed names the steps that were blocked, and start over with the new plan.
func printFreed(c *cli.Context, co *checkout.Checkout, r gitplan.Replanned) {
	for _, id := range r.Freed(co) {
		say(c.App.ErrWriter, "step %s was blocked, and is open again", id)
	}
}

// replanned lets a planner write the plan again after a step got stuck, and reports whether
// the work goes on.
func replanned(c *cli.Context, s *gitplan.Steps, step *plan.Step) (bool, error) {
	r, goesOn, err := gitplan.AutoReplan(c.Context, s, step.ID)
	if r.Before != nil {
		printChange(c, r.Before, s.Doc.Plan.Source)
		printFreed(c, s.Checkout, r)
	}
	return goesOn, err
}
