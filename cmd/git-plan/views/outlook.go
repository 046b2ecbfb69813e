package views

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/cmd/git-plan/terminal"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/form"
	"github.com/git-plan/git-plan/gitplan/integrity"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/lint"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/planner"
	"github.com/git-plan/git-plan/gitplan/progress"
	"github.com/git-plan/git-plan/gitplan/visible"
	"github.com/git-plan/git-plan/gitplan/work"
	"github.com/git-plan/git-plan/reviewers"
)

// Outlook prints what a person approves: goal and steps, unless the whole plan stands above it, commands and expected
// sessions; steps without a check too, unless those are listed among the weaknesses.
func Outlook(ctx context.Context, w io.Writer, co *checkout.Checkout, width int, above, listed bool) {
	p, open := co.Doc.Plan, isOpen(co)
	var ids []string
	for i := range p.Steps {
		if open(&p.Steps[i]) {
			ids = append(ids, p.Steps[i].ID)
		}
	}
	if len(ids) > 0 && len(p.Steps) > 1 && !above {
		terminal.Fold(w, width, 4, "goal: %s", visible.OneLine(cmp.Or(p.Goal, p.Title), 400))
		terminal.Fold(w, width, 4, "%s: %s", visible.Count(len(ids), "step"), strings.Join(ids, ", "))
	}
	commandsOf(w, co, listed)
	if bounds := p.BodyOf("Bounds"); bounds != "" {
		say(w, "further steps need no approval within these Bounds:")
		fmt.Fprintf(w, "    %s\n", strings.ReplaceAll(terminal.Readable(bounds), "\n", "\n    "))
		for _, glob := range p.Bounds.Files {
			if files, err := co.Repo.Output(ctx, "ls-files", "--", ":(glob)"+glob); err != nil || files == "" {
				terminal.Fold(w, width, 4, "warning: %s in Bounds matches no file that git tracks", visible.OneLine(glob, 200))
			}
		}
		if p.Bounds.Budget.Text == "" && Limits(co) == "" {
			terminal.Fold(w, width, 4, "warning: Bounds has no Budget, so steps, time and money are unlimited; a limit: git plan edit, with a line such as - Budget: 20 steps, 1 day")
		}
	}
	Expected(ctx, w, width, co)
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

// Expected prints how many sessions the work takes, and what ends it.
func Expected(ctx context.Context, w io.Writer, width int, co *checkout.Checkout) {
	attempts, err := co.Config.Int("plan.attempts")
	open, least, most := isOpen(co), 0, 0
	for i := range co.Doc.Plan.Steps {
		if s := &co.Doc.Plan.Steps[i]; open(s) && s.Run == "" {
			least++
			most += cmp.Or(s.Attempts, attempts)
		}
	}
	if err != nil || least == 0 {
		return
	}
	text := fmt.Sprintf("expected: %s for the steps", visible.Count(least, "session"))
	if most > least {
		text += fmt.Sprintf(", at most %d", most)
	}
	if judges, rounds := reviewers.Expected(ctx, co); judges > 0 && rounds > 0 {
		text += fmt.Sprintf("; then at most %s for each round of the review, at most %s, each with a verifier and a fixer",
			visible.Count(judges, "reviewer"), visible.Count(rounds, "round"))
	}
	if limits := Limits(co); limits != "" {
		text += "; at most " + limits
	}
	terminal.Fold(w, width, 4, "%s", text)
	if why := outsideBounds(ctx, co); why != "" {
		terminal.Fold(w, width, 4, "outside of the plan's Bounds: %s", why)
	}
	if f := work.Unpriced(co, co.Doc.Plan.Steps...); f != nil {
		terminal.Fold(w, width, 4, "warning: no session will begin: %s", f.Text)
		terminal.Fold(w, width, 4, "hint: %s", f.Next)
	}
}

// outsideBounds says which steps of a planning wait for a person, and why.
func outsideBounds(ctx context.Context, co *checkout.Checkout) string {
	text, err := integrity.ApprovedMeaning(co.Repo, co.Doc.ID)
	if err != nil || text == nil || co.Doc.Plan.Bounds == nil {
		return ""
	}
	signed, err := plan.Parse(text)
	attempts, wrong := co.Config.Int("plan.attempts")
	if err != nil || wrong != nil || signed.Bounds == nil {
		return ""
	}
	var files []string
	for _, s := range co.Doc.Plan.Steps {
		files = append(files, s.Files...)
	}
	measuring, _ := reviewers.Measuring(ctx, co, files)
	_, outside, _ := planner.WithinBounds(co.Doc.Plan, signed, measuring, attempts)
	return planner.Outside(outside)
}

// Limits returns the budgets that the configuration sets, in words; "" if it sets none.
func Limits(co *checkout.Checkout) string {
	var out []string
	for _, of := range [][2]string{{"plan.maxCost", " USD"}, {"plan.maxTokens", " tokens"}, {"plan.maxTime", ""}} {
		if v := co.Config.String(of[0]); v != "none" {
			out = append(out, v+of[1])
		}
	}
	return strings.Join(out, ", ")
}

// Run is a command that an approval lets run.
type Run struct {
	Line    string   // the command, safe to show
	Steps   []string // the numbers of steps that run it
	Else    []string // other occasions on which it runs
	MayFail bool     // a person accepted that it fails
}

// Runs returns the commands that an approval lets run, in their order, and the open steps that none of them checks.
func Runs(co *checkout.Checkout) (runs []Run, unchecked []*plan.Step) {
	p, open, accepted := co.Doc.Plan, isOpen(co), progress.Accepted(co.Doc.Events)
	add := func(step, otherwise string, lines ...string) {
		for _, line := range lines {
			i := slices.IndexFunc(runs, func(r Run) bool { return r.Line == line })
			if i < 0 {
				i, runs = len(runs), append(runs, Run{Line: line, MayFail: accepted[journal.NameOfCheck(line)]})
			}
			if step != "" && !slices.Contains(runs[i].Steps, step) {
				runs[i].Steps = append(runs[i].Steps, step)
			}
			if otherwise != "" {
				runs[i].Else = append(runs[i].Else, otherwise)
			}
		}
	}
	for i := range p.Steps {
		s := &p.Steps[i]
		checks, n := plan.Commands(s.Checks), fmt.Sprint(s.N)
		if s.Run != "" {
			add(n, "", s.Run)
		}
		add(n, "", checks...)
		if open(s) && p.Unchecked(s.ID) {
			unchecked = append(unchecked, s)
		}
	}
	add("", "before the first step", plan.Commands(p.Prerequisites)...)
	add("", "after each step", plan.Commands(p.Checks)...)
	add("", "at the end", plan.Commands(p.Verification)...)
	for i := range runs {
		line := terminal.Readable(plan.Unlimited(runs[i].Line))
		if limit, ok := plan.LimitOf(runs[i].Line); ok {
			line += ", which must print " + limit.String()
		}
		runs[i].Line = line
	}
	return runs, unchecked
}

// commandsOf lists what an approval lets run, and unless they are listed the steps without a check.
func commandsOf(w io.Writer, co *checkout.Checkout, listed bool) {
	runs, unchecked := Runs(co)
	if len(runs) > 0 {
		say(w, "%s", Colors(co, os.Stderr).Bold("commands that will run:"))
	}
	for _, r := range runs { // one below the other: this is what a person is to read
		text := strings.ReplaceAll(r.Line, "\n", "\n    ")
		if r.MayFail {
			text += "\n        (may fail: a person accepted that)"
		}
		fmt.Fprintf(w, "    %s\n", text)
	}
	for _, p := range co.Doc.Plan.Prerequisites {
		if p.Command == "" {
			say(w, "before the first step, by you: %s", visible.Blanks(p.Text))
		}
	}
	if len(unchecked) > 0 && !listed {
		var ids []string
		for _, s := range unchecked {
			ids = append(ids, s.ID)
		}
		say(w, "without a command that checks it: %s (such as Check: `make test`)", strings.Join(ids, ", "))
	}
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
