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
	"github.com/git-plan/git-plan/gitplan/lint"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/planner"
	"github.com/git-plan/git-plan/gitplan/progress"
	"github.com/git-plan/git-plan/gitplan/prove"
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
	if green := prove.GreenBefore(ctx, co); len(green) > 0 {
		terminal.Fold(w, width, 4, "their own checks pass before any work, so they only guard against a regression: %s", strings.Join(green, ", "))
	}
	expected(ctx, w, width, co)
	if terminal.Attended() && len(p.Steps) > 1 { // what was listed has scrolled above the text of the plan
		openWeaknesses(ctx, w, width, co)
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

// OfOpenSteps leaves out what is weak in steps that are done or skipped.
func OfOpenSteps(co *checkout.Checkout, weak []plan.Weakness) []plan.Weakness {
	open := isOpen(co)
	return slices.DeleteFunc(weak, func(w plan.Weakness) bool {
		s, ok := co.Doc.Plan.Step(w.Step)
		return ok && w.Step != "" && !open(s)
	})
}

// mostOpen is how many weak places of a plan are listed, a line for each.
const mostOpen = 6

// openWeaknesses lists what is weak in the plan, a line for each place. What the critic
// found and what hides a task comes first.
func openWeaknesses(ctx context.Context, w io.Writer, width int, co *checkout.Checkout) {
	found, err := lint.Plan(ctx, co, co.Doc.Plan.Source)
	if err != nil {
		return
	}
	weak := OfOpenSteps(co, append(planner.Criticised(co), plan.Weak(found)...))
	slices.SortStableFunc(weak, func(a, b plan.Weakness) int { return urgency(b) - urgency(a) })
	var places []string
	texts := map[string][]string{}
	for _, f := range weak {
		place := fmt.Sprintf("line %d", f.Line)
		if f.Step != "" {
			place = "step " + f.Step
		}
		if f.Rule == planner.CriticRule {
			place += ", critic"
		}
		if texts[place] == nil {
			places = append(places, place)
		}
		texts[place] = append(texts[place], visible.Line(f.Text))
	}
	if len(places) == 0 {
		return
	}
	more := ""
	if n := len(places) - mostOpen; n > 0 {
		places, more = places[:mostOpen], fmt.Sprintf("and at %d more places; ", n)
	}
	say(w, "weaknesses (%sdetails: git plan lint):", more)
	for _, place := range places {
		say(w, "    %s", terminal.Cut(place+": "+strings.Join(texts[place], "; "), width-4))
	}
}

func urgency(w plan.Weakness) int {
	switch {
	case w.HidesTask():
		return 2
	case w.Rule == planner.CriticRule:
		return 1
	}
	return 0
}

// expected prints how many sessions the plan takes if all goes well, and at most.
func expected(ctx context.Context, w io.Writer, width int, co *checkout.Checkout) {
	least, most, err := Sessions(co)
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

// Sessions returns how many sessions the open steps take if all goes well, and at most.
func Sessions(co *checkout.Checkout) (least, most int, err error) {
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
		say(w, "these commands of the plan will be run:")
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
