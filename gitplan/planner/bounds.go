package planner

import (
	"fmt"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// mostNew is how many steps a planner may add at a time within Bounds; the next are planned after these.
const mostNew = 8

// WithinBounds returns the text of a rewritten plan that its Bounds approve: without the steps that lie outside of them,
// and why each does, and those that need one of these. measuring are the files that decide what Done when measures, and
// attempts is how many a step may name.
func WithinBounds(now, approved *plan.Plan, measuring []string, attempts int) (text []byte, outside map[string]string, err error) {
	outside = map[string]string{}
	commands := approved.EveryCommand()
	without := map[string]bool{}
	for _, s := range slices.Concat(now.Waves(func(*plan.Step) bool { return true })...) { // what a step needs may stand below it
		was, ok := approved.Step(s.ID)
		if !ok || was.ID != s.ID {
			was = &plan.Step{}
		}
		outside[s.ID] = beyond(s, was, approved.Bounds, commands, attempts)
		for _, name := range s.Files { // by a pattern the guard of what sessions change lets them touch none
			if slices.Contains(measuring, name) && !slices.Contains(was.Files, name) {
				outside[s.ID] = "may touch " + name + ", which measures the goal"
			}
		}
		if outside[s.ID] == "" {
			delete(outside, s.ID)
		}
		without[s.ID] = outside[s.ID] != "" || slices.ContainsFunc(s.Needs, func(id string) bool { return without[id] })
	}
	text, err = plan.WithoutSteps(now, func(s *plan.Step) bool { return without[s.ID] })
	if err != nil {
		return nil, outside, err
	}
	left, err := plan.Parse(text)
	if err == nil {
		if u := plan.NotApproved(left, now); u.Whole != "" || u.Steps != nil { // the parts that were not judged
			err = fmt.Errorf("they mean something else: %s", visible.OneLine(strings.Join(append(u.Steps, u.Whole), " "), 200))
		}
	}
	return text, outside, err
}

// beyond says why a step, which was another one before, is not within bounds; "" if it is.
func beyond(now, was *plan.Step, b *plan.Bounds, approved []string, attempts int) string {
	for _, command := range append(plan.Commands(now.Checks), now.Run) {
		plain := plan.Unlimited(command) // what it prints may be compared with more
		if command != "" && !slices.Contains(approved, plain) && !b.AllowsCommand(plain) {
			return fmt.Sprintf("would run `%s`", command)
		}
	}
	for _, name := range now.Files {
		if !b.AllowsFile(name) && !slices.Contains(was.Files, name) {
			return "may touch " + name
		}
	}
	switch {
	case len(now.Files) == 0 && len(b.Files) > 0 && (was.ID == "" || len(was.Files) > 0):
		return "names no Files, so it may touch any"
	case was.Ask && !now.Ask:
		return "no longer asks"
	case now.Action == "delete" && was.Action != "delete": // which lets a session delete tests
		return "deletes what it names"
	case now.Attempts > max(was.Attempts, attempts):
		return fmt.Sprintf("may be tried %d times", now.Attempts)
	case now.Agent != was.Agent:
		return "is for another agent"
	case now.Doubt:
		return "has a line that looks like a task"
	}
	return ""
}
