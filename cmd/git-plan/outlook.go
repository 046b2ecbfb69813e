package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"slices"
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

// printOutlook prints what a person approves, so that a dozen steps fit on a screen: the goal,
// which requirements are covered, in which order steps can be done, what is run, and what it
// takes.
func printOutlook(c *cli.Context, co *checkout.Checkout) {
	w, width, p := c.App.ErrWriter, terminal.Width(os.Stderr), co.Doc.Plan
	open := isOpen(co)
	if len(p.Steps) > 1 {
		terminal.Fold(w, width, 4, "goal: %s", visible.Line(p.Title))
		printCovered(w, width, p)
		printOrder(w, width, p, open)
	}
	printCommands(c, p)
	if green := gitplan.GreenBefore(c.Context, co); len(green) > 0 {
		terminal.Fold(w, width, 4, "their own checks pass already, before any work, and so cannot show them done: %s", strings.Join(green, ", "))
	}
	printExpected(c, co, open)
	if terminal.Attended() && len(p.Steps) > 1 { // what was listed has scrolled above the text of the plan
		printOpenWeaknesses(c, co)
	}
}

// isOpen returns a function that reports whether a step is still to be done.
func isOpen(co *checkout.Checkout) func(*plan.Step) bool {
	return func(s *plan.Step) bool {
		if co.Progress == nil {
			return true
		}
		st := co.Progress.Steps[s.ID].State
		return st != progress.StateDone && st != progress.StateSkipped
	}
}

// mostOpen is how many weak places of a plan are listed, a line for each.
const mostOpen = 6

// printOpenWeaknesses lists what is weak in the plan, a line for each place. What the critic
// found and what hides a task comes first.
func printOpenWeaknesses(c *cli.Context, co *checkout.Checkout) {
	found, err := lint.Plan(c.Context, co, co.Doc.Plan.Source)
	if err != nil {
		return
	}
	weak := append(reviewers.CritiqueWeaknesses(co), plan.Weak(found)...)
	slices.SortStableFunc(weak, func(a, b plan.Weakness) int { return urgency(b) - urgency(a) })
	var places []string
	texts := map[string][]string{}
	for _, f := range weak {
		place := fmt.Sprintf("line %d", f.Line)
		if f.Rule == reviewers.CriticRule {
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
	w, width := c.App.ErrWriter, terminal.Width(os.Stderr)
	more := ""
	if n := len(places) - mostOpen; n > 0 {
		places, more = places[:mostOpen], fmt.Sprintf("and at %d more places; ", n)
	}
	say(w, "weak (%sall of it: git plan lint):", more)
	for _, place := range places {
		say(w, "    %s", terminal.Cut(place+": "+strings.Join(texts[place], "; "), width-4))
	}
}

func urgency(w plan.Weakness) int {
	switch {
	case w.HidesTask():
		return 2
	case w.Rule == reviewers.CriticRule:
		return 1
	}
	return 0
}

// printCovered prints in a line which requirements have steps, and which have none.
func printCovered(w io.Writer, width int, p *plan.Plan) {
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

// printOrder prints the open steps in the order in which they could be done, those that could be
// done at once together, and which chain of them takes longest.
func printOrder(w io.Writer, width int, p *plan.Plan, open func(*plan.Step) bool) {
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
	var rounds []string
	for _, wave := range waves {
		rounds = append(rounds, strings.Join(idsOf(wave), ", "))
	}
	terminal.Fold(w, width, 4, "%s, up to %d at once: %s", terminal.Count(total, "step"), widest, strings.Join(fewIDs(rounds), " -> "))
	terminal.Fold(w, width, 4, "longest way%s: %s", about, strings.Join(idsOf(way), " -> "))
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

func shortTime(minutes int) string {
	if minutes < 60 {
		return fmt.Sprintf("%d minutes", minutes)
	}
	return fmt.Sprintf("%dh%02dm", minutes/60, minutes%60)
}

// printExpected prints how many sessions the plan takes if all goes well, and at most.
func printExpected(c *cli.Context, co *checkout.Checkout, open func(*plan.Step) bool) {
	least, most, err := sessionsExpected(co, open)
	if err != nil || least == 0 {
		return
	}
	text := fmt.Sprintf("expected: %s for the steps", terminal.Count(least, "session"))
	if most > least {
		text += fmt.Sprintf(", at most %d", most)
	}
	if fewest, most, rounds := reviewers.Expected(c.Context, co); most > 0 && rounds > 0 {
		judges := terminal.Count(most, "reviewer")
		if fewest < most {
			judges = fmt.Sprintf("%d to %s", fewest, judges)
		}
		text += fmt.Sprintf("; then %s for each round of the review, at most %d rounds, each with a verifier and a fixer", judges, rounds)
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

// printCommands lists what an approval lets run, and the steps that no command
// will show to be done.
func printCommands(c *cli.Context, p *plan.Plan) {
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
		for i, line := range commands {
			commands[i] = terminal.Readable(line)
		}
		const few = 6 // nobody is asked about them
		if n := len(commands) - few; c.Bool("yes") && n > 1 {
			commands = append(commands[:few:few], fmt.Sprintf("and %d more: git plan show", n))
		}
		terminal.Columns(c.App.ErrWriter, terminal.Width(os.Stderr), commands)
	}
	for _, p := range p.Prerequisites {
		if p.Command == "" {
			say(c.App.ErrWriter, "before the first step, see to it: %s", visible.Blanks(visible.Line(p.Text)))
		}
	}
	if len(unchecked) > 0 && !terminal.Attended() { // on a terminal it is listed among what is weak
		say(c.App.ErrWriter, "no command of its own checks %s (a command is a code span by itself: Check: `make test`)", strings.Join(fewIDs(unchecked), ", "))
	}
}
