package planner

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/plan"
)

// What a planner may choose, by the names of the fields, and what is weighed one by one, since
// another value may still be within what was approved. All other fields must stay as they are.
// Boxes and states in what a planner wrote were already put back.
var (
	plannersInPlan = []string{"Source", "Title", "Summary", "Sections", "Warnings", "FrontMatter", "index"}
	plannersInStep = []string{"N", "Title", "Text", "Line", "Doubt", "Box", "Status", "Do", "Needs", "Estimate", "For", "At"}
	weighedInPlan  = []string{"Steps", "Requirements", "Rules", "Checks", "Verification", "Prerequisites"}
	weighedInStep  = []string{"ID", "Files", "Creates", "Checks", "Ask"}
)

// OutOfScope says what in a rewritten plan goes beyond the approved one, so that a person must read it; "" if nothing
// does. How, in which order and with which more steps is up to the planner; what is run, must be met, may be
// touched, asks, and may cost is not.
func OutOfScope(p, approved *plan.Plan) string {
	may := everyCommand(approved)
	for _, line := range everyCommand(p) {
		if !slices.Contains(may, line) {
			return "would run commands that were not approved"
		}
	}
	if strings.TrimSpace(p.Rules) != strings.TrimSpace(approved.Rules) {
		return "changes the Rules"
	}
	if !slices.Equal(plan.UnplacedRequirements(p.Requirements), plan.UnplacedRequirements(approved.Requirements)) {
		return "changes the Requirements"
	}
	if what := changedField(*p, *approved, slices.Concat(plannersInPlan, weighedInPlan)); what != "" {
		return "changes its " + what
	}
	for _, checks := range [][2][]plan.Check{{p.Checks, approved.Checks}, {p.Verification, approved.Verification}} {
		if lost := lostCheck(checks[0], checks[1]); lost != "" {
			return "leaves out a check of the whole: " + lost
		}
	}
	if lost := lostCheck(p.Prerequisites, approved.Prerequisites); lost != "" {
		return "leaves out a prerequisite: " + lost
	}
	for i := range approved.Steps {
		if now, ok := p.Step(approved.Steps[i].ID); !ok || now.ID != approved.Steps[i].ID {
			return "leaves out step " + approved.Steps[i].ID
		}
	}
	for i := range p.Steps {
		now := &p.Steps[i]
		was, ok := approved.Step(now.ID)
		if !ok || was.ID != now.ID {
			was = scopeOfNew(now, approved)
		}
		if what := stepOutOfScope(now, was); what != "" {
			return what
		}
	}
	return ""
}

// scopeOfNew returns what a new step may do: touch the files of the other steps, and delete none.
func scopeOfNew(now *plan.Step, approved *plan.Plan) *plan.Step {
	allowed := &plan.Step{Run: now.Run, Action: now.Action}
	if now.Action == "delete" {
		allowed.Action = ""
	}
	for _, s := range approved.Steps {
		if allowed.Files = append(allowed.Files, s.Files...); len(s.Files) == 0 {
			return &plan.Step{Run: allowed.Run, Action: allowed.Action} // such a step may touch any file
		}
	}
	return allowed
}

func stepOutOfScope(now, was *plan.Step) string {
	lost, changed := lostCheck(now.Checks, was.Checks), changedField(*now, *was, slices.Concat(plannersInStep, weighedInStep))
	switch {
	case lost != "":
		return fmt.Sprintf("leaves out a check of step %s: %s", now.ID, lost)
	case was.Ask && !now.Ask:
		return fmt.Sprintf("lets step %s no longer ask", now.ID)
	case slices.ContainsFunc(was.Creates, func(file string) bool { return now.ActionOn(file) != "create" }):
		return fmt.Sprintf("lets step %s no longer create its files", now.ID)
	case changed != "":
		return fmt.Sprintf("changes %s of step %s", changed, now.ID)
	case len(was.Files) > 0 && len(now.Files) == 0:
		return fmt.Sprintf("lets step %s touch any file", now.ID)
	}
	for _, path := range now.Files {
		if len(was.Files) > 0 && !slices.Contains(was.Files, path) && (strings.ContainsAny(path, "*?[{") || !plan.MatchesAny(was.Files, path)) {
			return fmt.Sprintf("lets step %s touch more files: %s", now.ID, path)
		}
	}
	return ""
}

// changedField names a field, other than these, in which two plans or two steps differ.
func changedField(now, was any, others []string) string {
	a, b := reflect.ValueOf(now), reflect.ValueOf(was)
	for i := range a.NumField() {
		name := a.Type().Field(i).Name
		if !slices.Contains(others, name) && !reflect.DeepEqual(a.Field(i).Interface(), b.Field(i).Interface()) {
			return name
		}
	}
	return ""
}

// lostCheck returns a command or criterion that had to be met and is no longer there.
func lostCheck(now, was []plan.Check) string {
	what := func(c plan.Check) string { return cmp.Or(c.Command, strings.Join(strings.Fields(c.Text), " ")) }
	for _, c := range was {
		if !slices.ContainsFunc(now, func(n plan.Check) bool { return what(n) == what(c) }) {
			return what(c)
		}
	}
	return ""
}

func everyCommand(p *plan.Plan) []string {
	var out []string
	for _, checks := range [][]plan.Check{p.Prerequisites, p.Checks, p.Verification} {
		out = append(out, plan.Commands(checks)...)
	}
	for i := range p.Steps {
		out = append(out, plan.Commands(p.Steps[i].Checks)...)
		if p.Steps[i].Run != "" {
			out = append(out, p.Steps[i].Run)
		}
	}
	return out
}
