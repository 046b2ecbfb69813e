package main

import (
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-plan/git-plan/cmd/git-plan/exit"
	"github.com/git-plan/git-plan/cmd/git-plan/status"
	"github.com/git-plan/git-plan/cmd/git-plan/terminal"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/visible"
	"github.com/git-plan/git-plan/reviewers"
	"github.com/git-plan/git-plan/reviewers/ledger"
)

func dismissCommand() *cli.Command {
	c := new(command)
	var message string
	var undo bool
	return &cli.Command{
		Name: "dismiss", Usage: "dismiss a finding of a review: nothing needs to be done about it", ArgsUsage: "<finding>",
		Description: "Your word counts for more than that of the reviewers and the verifier: the finding does\n" +
			"not block, and no later review raises it again, until the code that it quotes changes. If it\n" +
			"was the last one that blocked, the review passes, without another round.\n\n" +
			"<finding> is the beginning of the finding's id, at least four digits, as git plan show --review\n" +
			"prints it. Who dismissed it, and why, is recorded in the plan: show --review, log and the text\n" +
			"for a pull request name both. It holds in this clone; another one, and CI, asks its own\n" +
			"reviewers about findings of the built-in rules and of commands. A session cannot dismiss\n" +
			"anything.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "m", Destination: &message, Usage: "`WHY` nothing needs to be done"},
			&cli.BoolFlag{Name: "undo", Destination: &undo, Usage: "take a dismissal back: the finding is what it was before"},
		},
		Action: c.do(func() error {
			if err := c.exactly(1); err != nil {
				return err
			}
			if err := notNested(); err != nil {
				return err
			}
			id, why, undo := c.arg(0), strings.TrimSpace(message), undo
			if undo == (why != "") {
				return &exit.Wrong{Text: "say why it is dismissed, for those who read the review",
					Hint: "git plan dismiss " + visible.Shell(id) + ` -m "why nothing needs to be done"`}
			}
			return withCheckout(c.Context, func(co *checkout.Checkout) error {
				return reviewLocked(c, co, func(*journal.Lock) error {
					if undo {
						return restore(c, co, id)
					}
					return dismiss(c, co, id, why)
				})
			})
		}),
	}
}

func dismiss(c *command, co *checkout.Checkout, id, why string) error {
	s, err := reviewers.Dismiss(c.Context, co, id, why)
	if err != nil {
		return err
	}
	f := s.Finding
	say(c.Err, "dismissed: %s: %s %s %s; until the code that it quotes changes", visible.Line(f.Place()), f.Severity, f.Category, visible.Line(f.Title))
	say(c.Err, "to take that back: git plan dismiss --undo %s", ledger.Short(f.ID))
	printBlocking(c, s.Blocking)
	if s.Passes {
		say(c.Err, "nothing else blocks, so the review passes")
	}
	printNext(c, co)
	return nil
}

func restore(c *command, co *checkout.Checkout, id string) error {
	s, err := reviewers.Restore(c.Context, co, id)
	if err != nil {
		return err
	}
	f := s.Finding
	say(c.Err, "%s again: %s: %s %s %s", f.Status, visible.Line(f.Place()), f.Severity, f.Category, visible.Line(f.Title))
	printBlocking(c, s.Blocking)
	printNext(c, co)
	return nil
}

func printBlocking(c *command, n int) {
	if n > 0 {
		say(c.Err, "%s: git plan show --review", blocking(n))
	}
}

// blocking returns how many findings block.
func blocking(n int) string {
	if n == 1 {
		return "1 finding blocks"
	}
	return terminal.Count(n, "finding") + " block"
}

// printNext prints what comes next for the plan of the branch, or for the branch without one.
func printNext(c *command, co *checkout.Checkout) {
	if co.Doc != nil {
		say(c.Err, "next: %s", nextOf(c, co))
		return
	}
	r, err := status.ReviewOf(c.Context, co)
	if err != nil {
		return
	}
	if next, ok := status.AfterReview(c.Context, co, r.End.Passes()); ok {
		say(c.Err, "next: %s", next)
	}
}
