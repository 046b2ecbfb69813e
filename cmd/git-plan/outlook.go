package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-plan/git-plan/cmd/git-plan/terminal"
	"github.com/git-plan/git-plan/gitplan"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/lint"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/progress"
	"github.com/git-plan/git-plan/gitplan/visible"
	"github.com/git-plan/git-plan/reviewers"
)

// tellOutlook prints what a person approves, so that a dozen steps fit a screen: the goal, which
// requirements are covered, in which order steps can be done, what is run, and what it takes.
func tellOutlook(c *cli.Context, co *checkout.Checkout) {
	w, width, p := c.App.ErrWriter, terminal.Width(os.Stderr), co.Doc.Plan
	open := isOpen(co)
	if len(p.Steps) > 1 {
		terminal.Fold(w, width, 4, "goal: %s", visible.Line(p.Title))
		tellCovered(w, width, p)
		tellOrder(w, width, p, open)
	}
	tellCommands(c, p)
	if green := gitplan.GreenBefore(c.Context, co); len(green) > 0 {
		terminal.Fold(w, width, 4, "their own checks pass already, before any work, and so cannot show them done: %s", strings.Join(green, ", "))
	}
	tellExpected(c, co, open)
	if terminal.Attended() && len(p.Steps) > 1 { // what was listed is above the text of the plan by now
		tellOpenWeaknesses(c, co)
	}
}

// isOpen returns what reports whether a step is still to be done.
func isOpen(co *checkout.Checkout) func(*plan.Step) bool {
	return func(s *plan.Step) bool {
		if co.Progress == nil {
			return true
		}
		st := co.Progress.Steps[s.ID].State
		return st != progress.StateDone && st != progress.StateSkipped
	}
}

// tellOpenWeaknesses names in a line what is weak in the plan.
func tellOpenWeaknesses(c *cli.Context, co *checkout.Checkout) {
	found, err := lint.Plan(c.Context, co, co.Doc.Plan.Source)
	weak := plan.Weak(found)
	if err != nil || len(weak) == 0 {
		return
	}
	var list []string
	for _, f := range weak {
		list = append(list, fmt.Sprintf("%s in line %d", f.Rule, f.Line))
	}
	terminal.Fold(c.App.ErrWriter, terminal.Width(os.Stderr), 4, "open: %s (git plan lint)", strings.Join(list, ", "))
}

// tellCovered says in a line which requirements have steps, and which have none.
func tellCovered(w io.Writer, width int, p *plan.Plan) {
	if len(p.Requirements) == 0 {
		return
	}
	var covered, not []string
	serving := p.Serving()
	for _, r := range p.Requirements {
		if len(serving[r.ID]) > 0 {
			covered = append(covered, r.ID)
		} else {
			not = append(not, r.ID)
		}
	}
	text := fmt.Sprintf("requirements: %d of %d have steps", len(covered), len(p.Requirements))
	if len(not) > 0 {
		text += "; none serves " + strings.Join(not, ", ")
	}
	terminal.Fold(w, width, 4, "%s", text)
}

// tellOrder prints the steps that are open in the order in which they could be done, a line for
// those that could be done at once, and which of them take longest one after the other.
func tellOrder(w io.Writer, width int, p *plan.Plan, open func(*plan.Step) bool) {
	const mostWaves = 20 // lines
	waves := p.Waves(open)
	widest, total := 0, 0
	for _, wave := range waves {
		widest, total = max(widest, len(wave)), total+len(wave)
	}
	way, minutes := p.LongestWay(open)
	about := ""
	if minutes > 0 {
		about = ", about " + shortTime(minutes)
	}
	switch {
	case total == 0:
		return
	case total == 1:
		terminal.Fold(w, width, 4, "1 step%s: %s", about, way[0].ID)
		return
	case widest == 1:
		terminal.Fold(w, width, 4, "%s, one after the other%s: %s", terminal.Count(total, "step"), about, strings.Join(idsOf(way), " -> "))
		return
	}
	terminal.Fold(w, width, 4, "%s, up to %d at once; the longest way is %d%s: %s", terminal.Count(total, "step"), widest, len(way), about, strings.Join(idsOf(way), " -> "))
	for i, wave := range waves[:min(len(waves), mostWaves)] {
		terminal.Fold(w, width, 8, "%4d  %s", i+1, strings.Join(idsOf(wave), ", "))
	}
	if more := len(waves) - mostWaves; more > 0 {
		say(w, "      and %d more lines: git plan show --graph", more)
	}
}

func idsOf(steps []*plan.Step) []string {
	var ids []string
	for _, s := range steps {
		ids = append(ids, s.ID)
	}
	return ids
}

func shortTime(minutes int) string {
	if minutes < 60 {
		return fmt.Sprintf("%d minutes", minutes)
	}
	return fmt.Sprintf("%dh%02dm", minutes/60, minutes%60)
}

// tellExpected says how many sessions the plan takes if all goes well, and at most.
func tellExpected(c *cli.Context, co *checkout.Checkout, open func(*plan.Step) bool) {
	least, most, err := sessionsExpected(co, open)
	if err != nil || least == 0 {
		return
	}
	text := fmt.Sprintf("expected: %s for the steps", terminal.Count(least, "session"))
	if most > least {
		text += fmt.Sprintf(", at most %d", most)
	}
	if judges, rounds := reviewers.Expected(c.Context, co); judges > 0 && rounds > 0 {
		text += fmt.Sprintf("; then %s for each round of the review, at most %d rounds, each with a verifier and a fixer", terminal.Count(judges, "reviewer"), rounds)
	}
	if limit := co.Config.String("plan.maxCost"); limit != "" && limit != "none" {
		text += "; plan.maxCost is " + visible.Line(limit)
	}
	terminal.Fold(c.App.ErrWriter, terminal.Width(os.Stderr), 4, "%s", text)
}

// sessionsExpected returns how many sessions the open steps take if all goes well, and at most.
func sessionsExpected(co *checkout.Checkout, open func(*plan.Step) bool) (least, most int, err error) {
	attempts, err := co.Config.Int("plan.attempts")
	for i := range co.Doc.Plan.Steps {
		if s := &co.Doc.Plan.Steps[i]; open(s) && s.Run == "" {
			least++
			most += cmp.Or(s.Attempts, attempts)
		}
	}
	return least, most, err
}

// tellCommands lists what an approval lets run, and the steps that no command
// will show to be done.
func tellCommands(c *cli.Context, p *plan.Plan) {
	var commands, unchecked []string
	for _, s := range p.Steps {
		if s.Run != "" {
			commands = append(commands, s.Run)
		}
		commands = append(commands, plan.Commands(s.Checks)...)
		if s.Run == "" && len(plan.Commands(s.Checks)) == 0 {
			unchecked = append(unchecked, s.ID)
		}
	}
	for _, more := range [][]plan.Check{p.Prerequisites, p.Checks, p.Verification} {
		commands = append(commands, plan.Commands(more)...)
	}
	if commands = unique(commands); len(commands) > 0 {
		say(c.App.ErrWriter, "these commands of the plan will be run:")
		for _, line := range commands {
			say(c.App.ErrWriter, "    %s", strings.ReplaceAll(terminal.Readable(line), "\n", "\n    "))
		}
	}
	for _, p := range p.Prerequisites {
		if p.Command == "" {
			say(c.App.ErrWriter, "before the first step, see to it: %s", visible.Blanks(visible.Line(p.Text)))
		}
	}
	if len(unchecked) > 0 {
		say(c.App.ErrWriter, "no command of its own checks %s (a command is a code span by itself: Check: `make test`)", strings.Join(unchecked, ", "))
	}
}
