package views

import (
	"cmp"
	"context"
	"fmt"
	"github.com/git-plan/git-plan/gitplan/work"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/cmd/git-plan/terminal"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/lint"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/planner"
	"github.com/git-plan/git-plan/gitplan/progress"
	"github.com/git-plan/git-plan/gitplan/visible"
	"github.com/git-plan/git-plan/reviewers"
)

// Outlook prints what a person approves, so that a dozen steps fit on a screen: the goal, which
// requirements are covered, in which order steps can be done, which commands are run, and what it
// takes. Of many commands it prints the first ones only if nobody is asked about them.
func Outlook(ctx context.Context, w io.Writer, co *checkout.Checkout, asked bool) {
	width, p := terminal.Width(os.Stderr), co.Doc.Plan
	open := isOpen(co)
	if len(p.Steps) > 1 {
		terminal.Fold(w, width, 4, "goal: %s", visible.Line(p.Title))
		covered(w, width, p)
		order(w, width, p, open)
	}
	commandsOf(w, p, open, asked)
	if green := work.PassingBefore(ctx, co); len(green) > 0 {
		terminal.Fold(w, width, 4, "their own checks pass before any work, so they only guard against a regression: %s", strings.Join(green, ", "))
	}
	expected(ctx, w, width, co)
	if terminal.Attended() && len(p.Steps) > 1 { // what was listed has scrolled above the text of the plan
		printWeakOpen(ctx, w, co)
	}
}

// isOpen returns a function that reports whether a step is still to be done.
func isOpen(co *checkout.Checkout) func(*plan.Step) bool {
	return func(s *plan.Step) bool {
		if co.Progress == nil {
			return !s.Ticked()
		}
		st := co.Progress.Steps[s.ID].State
		return st != progress.StateDone && st != progress.StateSkipped
	}
}

// WeakOpen returns what lint and the critic find weak in a plan, except in steps that are done or
// skipped. What hides a task comes first.
func WeakOpen(ctx context.Context, co *checkout.Checkout) []plan.Weakness {
	found, err := lint.Plan(ctx, co, co.Doc.Plan.Source)
	if err != nil {
		return nil
	}
	open := isOpen(co)
	weak := slices.DeleteFunc(append(planner.Criticised(co), found...), func(w plan.Weakness) bool {
		s, ok := co.Doc.Plan.Step(w.Step)
		return ok && w.Step != "" && !open(s)
	})
	hiding := slices.DeleteFunc(slices.Clone(weak), func(w plan.Weakness) bool { return !w.HidesTask() })
	return append(hiding, slices.DeleteFunc(weak, plan.Weakness.HidesTask)...)
}

// printWeakOpen lists the first weaknesses.
func printWeakOpen(ctx context.Context, w io.Writer, co *checkout.Checkout) {
	const most = 6
	weak := WeakOpen(ctx, co)
	if len(weak) > 0 {
		say(w, "what is weak in the plan:")
		Weak(w, weak[:min(most, len(weak))])
	}
	if more := len(weak) - most; more > 0 {
		say(w, "and %d more: git plan lint", more)
	}
}

// expected prints how many sessions the plan takes if all goes well, and at most.
func expected(ctx context.Context, w io.Writer, width int, co *checkout.Checkout) {
	least, most, err := sessions(co)
	if err != nil || least == 0 {
		return
	}
	text := fmt.Sprintf("expected: %s for the steps", terminal.Count(least, "session"))
	if most > least {
		text += fmt.Sprintf(", at most %d", most)
	}
	if fewest, most, rounds := reviewers.Expected(ctx, co); most > 0 && rounds > 0 {
		judges := terminal.Count(most, "reviewer")
		if fewest < most {
			judges = fmt.Sprintf("%d to %s", fewest, judges)
		}
		text += fmt.Sprintf("; then %s for each round of the review, at most %d rounds, each with a verifier and a fixer", judges, rounds)
	}
	if limit := co.Config.String("plan.maxCost"); limit != "" && limit != "none" {
		text += "; plan.maxCost is " + visible.Line(limit)
	}
	terminal.Fold(w, width, 4, "%s", text)
}

// sessions returns how many sessions the open steps take if all goes well, and at most.
func sessions(co *checkout.Checkout) (least, most int, err error) {
	open := isOpen(co)
	attempts, err := co.Config.Int("plan.attempts")
	for i := range co.Doc.Plan.Steps {
		if s := &co.Doc.Plan.Steps[i]; open(s) && s.Run == "" {
			least++
			most += cmp.Or(s.Attempts, attempts)
		}
	}
	return least, most, err
}

// commandsOf lists what an approval lets run, and the steps that no command
// will show to be done.
func commandsOf(w io.Writer, p *plan.Plan, open func(*plan.Step) bool, asked bool) {
	var commands, unchecked []string
	for i := range p.Steps {
		s := &p.Steps[i]
		if s.Run != "" {
			commands = append(commands, s.Run)
		}
		commands = append(commands, plan.Commands(s.Checks)...)
		if open(s) && s.Run == "" && len(plan.Commands(s.Checks)) == 0 {
			unchecked = append(unchecked, s.ID)
		}
	}
	for _, more := range [][]plan.Check{p.Prerequisites, p.Checks, p.Verification} {
		commands = append(commands, plan.Commands(more)...)
	}
	if commands = unique(commands); len(commands) > 0 {
		say(w, "commands that will run:")
		for i, line := range commands {
			commands[i] = terminal.Readable(line)
		}
		const few = 6
		if n := len(commands) - few; !asked && n > 1 {
			commands = append(commands[:few:few], fmt.Sprintf("and %d more: git plan show", n))
		}
		for _, line := range commands { // one below the other: this is what a person is to read
			say(w, "    %s", strings.ReplaceAll(line, "\n", "\n    "))
		}
	}
	for _, p := range p.Prerequisites {
		if p.Command == "" {
			say(w, "before the first step, see to it: %s", visible.Blanks(visible.Line(p.Text)))
		}
	}
	if len(unchecked) > 0 && !terminal.Attended() { // on a terminal it is listed among what is weak
		say(w, "no command of its own checks %s (a command is a code span by itself: Check: `make test`)", strings.Join(fewIDs(unchecked), ", "))
	}
}

// covered prints in a line which requirements have steps, and which have none.
func covered(w io.Writer, width int, p *plan.Plan) {
	if len(p.Requirements) == 0 {
		return
	}
	var served, not []string
	serving := p.Serving()
	for _, r := range p.Requirements {
		if len(serving[r.ID]) > 0 {
			served = append(served, r.ID)
		} else {
			not = append(not, r.ID)
		}
	}
	text := fmt.Sprintf("requirements: %d of %d have steps", len(served), len(p.Requirements))
	if len(not) > 0 {
		text += "; none serves " + strings.Join(not, ", ")
	}
	terminal.Fold(w, width, 4, "%s", text)
}

// order prints the open steps in the order in which they can be done, those that can be done at once
// together.
func order(w io.Writer, width int, p *plan.Plan, open func(*plan.Step) bool) {
	var rounds []string
	widest, total := 0, 0
	for _, wave := range p.Waves(open) {
		widest, total = max(widest, len(wave)), total+len(wave)
		rounds = append(rounds, strings.Join(idsOf(wave), ", "))
	}
	text := terminal.Count(total, "step")
	switch {
	case total == 0:
		return
	case widest > 1:
		text += fmt.Sprintf(", up to %d at once", widest)
	}
	terminal.Fold(w, width, 4, "%s: %s", text, strings.Join(fewIDs(rounds), " -> "))
}

// idsOf returns the ids of steps; of many, the first and the last ones.
func idsOf(steps []*plan.Step) []string {
	var ids []string
	for _, s := range steps {
		ids = append(ids, s.ID)
	}
	return fewIDs(ids)
}

// fewIDs leaves out the middle of many ids, and says how many were left out.
func fewIDs(ids []string) []string {
	const many, each = 24, 8
	if len(ids) <= many {
		return ids
	}
	return slices.Concat(ids[:each], []string{fmt.Sprintf("(%d more)", len(ids)-2*each)}, ids[len(ids)-each:])
}
