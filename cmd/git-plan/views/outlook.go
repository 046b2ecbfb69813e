package views

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/cmd/git-plan/terminal"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/form"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/lint"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/planner"
	"github.com/git-plan/git-plan/gitplan/progress"
	"github.com/git-plan/git-plan/gitplan/visible"
	"github.com/git-plan/git-plan/reviewers"
)

// Outlook prints what a person approves: goal, requirements, order, commands and expected sessions; steps without a check
// too, unless those are listed among the weaknesses.
func Outlook(ctx context.Context, w io.Writer, co *checkout.Checkout, width int, listed bool) {
	p := co.Doc.Plan
	open := isOpen(co)
	if len(p.Steps) > 1 {
		terminal.Fold(w, width, 4, "goal: %s", visible.OneLine(cmp.Or(p.Goal, p.Title), 400))
		jobs, _ := co.Config.Int("plan.jobs")
		order(w, width, p, open, jobs)
	}
	commandsOf(w, p, open, listed, progress.Accepted(co.Doc.Events))
	if bounds := p.BodyOf("Bounds"); bounds != "" {
		say(w, "further steps need no approval within these Bounds:")
		fmt.Fprintf(w, "    %s\n", strings.ReplaceAll(terminal.Readable(bounds), "\n", "\n    "))
	}
	expected(ctx, w, width, co)
}

func isOpen(co *checkout.Checkout) func(*plan.Step) bool {
	return func(s *plan.Step) bool {
		if co.Progress == nil {
			return !s.Ticked()
		}
		st := co.Progress.Steps[s.ID].State
		return st != progress.StateDone && st != progress.StateSkipped
	}
}

// WeakOpen returns the weaknesses of a plan's open steps; what hides a task comes first.
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
		text += fmt.Sprintf("; then %s for each round of the review, at most %s, each with a verifier and a fixer", judges, terminal.Count(rounds, "round"))
	}
	if limit := co.Config.String("plan.maxCost"); limit != "" && limit != "none" {
		text += "; plan.maxCost is " + limit
	}
	terminal.Fold(w, width, 4, "%s", text)
}

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

// commandsOf lists what an approval lets run, and unless they are listed the steps without a check.
func commandsOf(w io.Writer, p *plan.Plan, open func(*plan.Step) bool, listed bool, accepted map[string]bool) {
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
	if commands = plan.Unique(commands); len(commands) > 0 {
		say(w, "commands that will run:")
		for _, line := range commands { // one below the other: this is what a person is to read
			text := strings.ReplaceAll(terminal.Readable(line), "\n", "\n    ")
			if accepted[journal.NameOfCheck(line)] {
				text += "\n        (may fail: a person accepted that)"
			}
			fmt.Fprintf(w, "    %s\n", text)
		}
	}
	for _, p := range p.Prerequisites {
		if p.Command == "" {
			say(w, "before the first step, by you: %s", visible.Blanks(p.Text))
		}
	}
	if len(unchecked) > 0 && !listed {
		say(w, "without a command that checks it: %s (such as Check: `make test`)", strings.Join(unchecked, ", "))
	}
}

// order prints the open steps in order; up to so many that do not need each other run at once.
func order(w io.Writer, width int, p *plan.Plan, open func(*plan.Step) bool, jobs int) {
	var rounds []string
	widest, total := 0, 0
	for _, wave := range p.Waves(open) {
		widest, total = max(widest, len(wave)), total+len(wave)
		var ids []string
		for _, s := range wave {
			ids = append(ids, s.ID)
		}
		rounds = append(rounds, strings.Join(ids, ", "))
	}
	if total == 0 {
		return
	}
	text := terminal.Count(total, "step")
	if widest = min(widest, jobs); widest > 1 {
		text += fmt.Sprintf(", up to %d at once", widest)
	}
	terminal.Fold(w, width, 4, "%s: %s", text, strings.Join(rounds, " -> "))
}

// Weaknesses prints a line for each; of what several steps lack the first explains it, and counts the others unless all.
func Weaknesses(w io.Writer, found []plan.Weakness, all bool) {
	steps := map[string]int{}
	for _, f := range found {
		steps[f.Rule+f.Text+f.Fix]++
	}
	for _, f := range found {
		text, like := f.Rule, f.Rule+f.Text+f.Fix
		n := steps[like]
		if n < 0 && !all {
			continue
		}
		if f.Error {
			text = "error: " + f.Rule
		}
		if f.Step != "" {
			text, steps[like] = text+": step "+f.Step, -1
			if n > 1 && !all {
				text += fmt.Sprintf(" and %d more", n-1)
			}
		}
		if n > 0 {
			text += strings.TrimSuffix(": "+f.Text+"; "+f.Fix, "; ")
		}
		say(w, "%s", form.Note{Place: form.Place{File: f.File, Line: f.Line}, Text: text})
	}
}
