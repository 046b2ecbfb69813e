package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-plan/git-plan/cmd/git-plan/exit"
	"github.com/git-plan/git-plan/cmd/git-plan/terminal"
	"github.com/git-plan/git-plan/cmd/git-plan/views"
	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/settings"
	"github.com/git-plan/git-plan/gitplan/visible"
	"github.com/git-plan/git-plan/gitplan/work"
	"github.com/git-plan/git-plan/reviewers"
	"github.com/git-plan/git-plan/reviewers/finding"
	"github.com/git-plan/git-plan/reviewers/ledger"
)

type reviewOptions struct {
	*command
	noFix, force, clean       bool
	base, only, format, rules string
	rounds                    int
}

// unset is the value of an option that is a number, and was not given.
const unset = math.MinInt

func reviewCommand(with *command) *cli.Command {
	c := &reviewOptions{command: with, rounds: unset, format: "text"}
	c.prompts = true
	c.option(&c.noFix, "no-fix", "only report findings")
	c.option(&c.base, "base", "compare with `REF`")
	c.option(&c.rounds, "rounds", "run at most `N` rounds")
	c.option(&c.only, "only", "ask only these reviewers: `NAME`[,NAME]")
	c.option(&c.force, "force", "review again although it has passed")
	c.option(&c.format, "format", "print the result as `FORMAT`: "+strings.Join(reviewForms, ", "))
	c.option(&c.rules, "rules",
		"apply only the built-in rules, without a session, to `WHAT`: staged, a commit, or A..B; takes --format")
	c.eventsFlag()
	return c.define("review", "", "review the branch, and fix confirmed findings", c.do(0, func() error {
		switch {
		case !slices.Contains(reviewForms, c.format):
			return c.misused("--format must be one of %s, not %q", strings.Join(reviewForms, ", "), c.format)
		case c.rounds != unset && c.rounds < 1:
			return c.misused("--rounds must be 1 or more, not %d", c.rounds)
		case c.only != "" && len(settings.SplitNames(c.only)) == 0:
			return c.misused("--only needs the name of a reviewer")
		case c.rules != "":
			return withCheckout(c.Context, func(co *checkout.Checkout) error { return rulesAlone(c, co) })
		}
		c.notifies = true
		return withAgent(c.command, agent.Reviewer, func(co *checkout.Checkout) (err error) {
			o, err := openOperation(c.command, co, agent.Reviewer)
			if err != nil {
				return err
			}
			defer o.close(&err)
			_, err = review(c, o.worker)
			return err
		})
	}))
}

// review reviews the branch, and returns how that ended, too.
func review(c *reviewOptions, w *work.Worker) (*ledger.Outcome, error) {
	if err := w.Checkout.RequirePlace(c.Context); err != nil {
		return nil, err
	}
	if w.Checkout.Doc != nil {
		if err := w.Checkout.RequireApproval(); err != nil {
			return nil, err
		}
	}
	b := reviewers.New(w)
	b.Base, b.Rounds, b.NoFix, b.Force, b.Clean = c.base, max(c.rounds, 0), c.noFix, c.force, c.clean
	if c.only != "" {
		b.Only = settings.SplitNames(c.only)
	}
	out, err := b.Review(c.Context)
	if err != nil {
		return nil, err
	}
	if err := printReview(c, out); err != nil {
		return out, err
	}
	if out.Later != nil {
		return out, out.Later
	}
	if l := out.Ledger; l.End.Code() != exit.OK {
		return out, &exit.Ended{Code: l.End.Code(), Why: fmt.Sprintf("the review ended: %s: %s", l.End.Words(), l.Reason)}
	}
	return out, nil
}

var reviewForms = []string{"text", "json", "sarif", "rdjsonl"}

// printReview prints the result, which is all that goes to standard output.
func printReview(c *reviewOptions, o *ledger.Outcome) error {
	var text string
	switch form := cmp.Or(c.format, "text"); { // other commands end with a review, too
	case c.events:
		return nil // the events have reported it
	case form != "text":
		return writeLedger(c.Out, form, o.Ledger)
	case o.Earlier:
		text = o.Ledger.Earlier()
	case c.drawn:
		text = o.Ledger.Open(false) // the verdict has the rest
	default:
		text = o.Ledger.Text()
	}
	terminal.FoldText(c.Out, terminal.Width(os.Stdout), text)
	return nil
}

// rulesAlone prints what the built-in rules find, a line each, or in the form that was asked for.
func rulesAlone(c *reviewOptions, co *checkout.Checkout) error {
	bar, wrong := reviewers.BlockOn(co) // the rules report what they find even then
	l, err := reviewers.RulesAlone(c.Context, co.Repo, c.rules, bar)
	switch missing := errors.Is(err, git.ErrMissing); {
	case co.Repo.Shallow() && (missing || git.Code(err) == git.Fatal):
		return fault.New(fault.ErrShallow, "this clone is shallow, and may lack what --rules %s needs", c.rules)
	case missing:
		return c.misused("--rules takes staged, a commit or A..B, not %q", visible.OneLine(c.rules, 200))
	case err != nil:
		return err
	}
	if c.format == "text" {
		for _, f := range l.Findings {
			say(c.Out, "%s: %s %s: %s (%s)", f.Place(), f.Severity, f.Rule, f.Title, ledger.Weight(f, f.Blocks(bar)))
		}
	} else if err := writeLedger(c.Out, c.format, l); err != nil {
		return err
	}
	if wrong == nil && !l.End.Passes() {
		return &exit.Ended{Code: exit.Review}
	}
	return wrong
}

// writeLedger prints the ledger of a review in one of the forms for programs.
func writeLedger(w io.Writer, form string, l *ledger.Ledger) error {
	switch form {
	case "sarif":
		return l.WriteSARIF(w, versionText())
	case "rdjsonl":
		return finding.WriteRDJSONL(w, l.Standing())
	}
	return views.JSON(w, l)
}

func dismissCommand(c *command) *cli.Command {
	var message string
	var undo bool
	c.option(&message, "m", "`WHY` nothing needs to be done")
	c.option(&undo, "undo", "take a dismissal back: the finding is what it was before")
	return c.define("dismiss", "<finding>", "dismiss a finding of a review: nothing needs to be done about it",
		c.onOwn(1, func(co *checkout.Checkout) error {
			id, why := c.arg(0), strings.TrimSpace(message)
			if undo == (why != "") {
				return &exit.Wrong{Text: "say why, for readers of the review",
					Hint: "git plan dismiss " + visible.Shell(id) + ` -m "why nothing needs to be done"`}
			}
			return dismiss(c, co, id, why)
		}))
}

// dismiss dismisses a finding, or without a reason takes that back, and prints what blocks then.
func dismiss(c *command, co *checkout.Checkout, id, why string) error {
	lock, err := lockPlan(c, co, true)
	if err != nil {
		return err
	}
	defer lock.Release()
	var s *reviewers.Settled
	if why == "" {
		s, err = reviewers.Restore(c.Context, co, id)
	} else {
		s, err = reviewers.Dismiss(c.Context, co, id, why)
	}
	if err != nil {
		return err
	}
	f := s.Finding
	line := fmt.Sprintf("%s: %s %s: %s", f.Place(), f.Severity, f.Category, f.Title)
	if why == "" {
		say(c.Err, "%s again: %s", f.Status, line)
	} else {
		say(c.Err, "dismissed: %s; until the code that it quotes changes", line)
		say(c.Err, "to take that back: git plan dismiss --undo %s", ledger.Short(f.ID))
	}
	if s.Passes {
		say(c.Err, "nothing else blocks, so the review passes")
	}
	if s.Blocking > 0 {
		say(c.Err, "blocking findings: %d; see git plan show --review", s.Blocking)
	}
	printNext(c, co)
	return nil
}
