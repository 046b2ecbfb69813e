package lint

import (
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// unchecked reports whether no command of its own shows that a step is done: the plan's Checks pass before it, too.
func unchecked(s *plan.Step, around Surroundings) bool {
	own := slices.DeleteFunc(plan.Commands(s.Checks), func(command string) bool { return around.checks[command] })
	return s.Run == "" && len(own) == 0
}

// withoutVerification is about words in place of a command for the whole.
func withoutVerification(p *plan.Plan) []plan.Weakness {
	if len(p.Verification) == 0 || len(plan.Commands(p.Verification)) > 0 || len(plan.Commands(p.Checks)) > 0 {
		return nil
	}
	for _, s := range p.Sections {
		if plan.SectionMeaning(s.Title) == "verification" {
			return []plan.Weakness{{Rule: "no-verification", Line: s.Line, Text: "no command verifies the whole: " + plan.Shown(s.Title) + " has none",
				Fix: "write one in backticks, by itself: - `make test`"}}
		}
	}
	return nil
}

// notRun is about words where only commands have a meaning.
func notRun(p *plan.Plan) (out []plan.Weakness) {
	for _, c := range plan.Criteria(slices.Concat(p.Prerequisites, p.Checks)) {
		out = append(out, plan.Weakness{Rule: "no-check", Line: c.Line, Text: "not a command, so nothing runs it: " + c.Text,
			Fix: "put a command in backticks, by itself: - `make test`"})
	}
	return out
}

// stated matches a line that begins with the id of a requirement or a decision.
var stated = visible.NewPattern(`(?m)^[^\pL\pN\n]*(?:\d+[.)]\s*)?[^\pL\pN\n]*([DR]-?\d{1,4})\b`)

// unstated is about requirements and decisions that For names and the plan does not have.
func unstated(p *plan.Plan) (out []plan.Weakness) {
	known := map[string]bool{}
	for _, m := range stated.FindAllStringSubmatch(string(p.Source), -1) {
		known[m[1]] = true
	}
	for i := range p.Steps {
		s := &p.Steps[i]
		unknown := slices.DeleteFunc(s.Serves(), func(id string) bool { return known[id] || !stated.MatchString(id) })
		if len(unknown) > 0 {
			out = append(out, plan.Weakness{Rule: "requirement", Line: s.Line, Step: s.ID, Error: true, Text: "the plan has no " + strings.Join(unknown, ", ") + ", which For names",
				Fix: "correct For, or add the requirement or decision"})
		}
	}
	return out
}

// unrun is about checks below the boxes of a step's checklist, which nothing runs.
func unrun(s *plan.Step) (out []plan.Weakness) {
	box, fenced := -1, false
	for i, line := range strings.Split(s.Text, "\n") {
		text := strings.TrimLeft(line, " \t")
		indent := len(line) - len(text)
		if strings.HasPrefix(text, "```") || strings.HasPrefix(text, "~~~") {
			fenced = !fenced
		}
		_, _, isBox := plan.CutBox(strings.TrimLeft(text, "-*+ "))
		switch {
		case fenced || i == 0 || text == "":
		case isBox:
			box = indent
		case indent <= box:
			box = -1
		case box >= 0 && fieldRun.MatchString(text):
			out = append(out, plan.Weakness{Rule: "no-check", Line: s.Line + i, Step: s.ID, Error: true, Text: "nothing runs this, since it is below a box of the checklist: " + text,
				Fix: "move it to the step, or make the box a step"})
		}
	}
	return out
}

// fieldRun matches a field with a command.
var fieldRun = visible.NewPattern("(?i)^[-*+] [*_]*(?:checks?|run|command|verify|success criteria|done when)[*_]*:[*_]* *`[^`]+`")

// uncovered is about requirements that no step serves, and steps that serve none.
func uncovered(p *plan.Plan) []plan.Weakness {
	if len(p.Requirements) == 0 {
		return nil
	}
	var out []plan.Weakness
	serving := p.Serving()
	for _, r := range p.Requirements {
		if len(serving[r.ID]) == 0 {
			out = append(out, plan.Weakness{Rule: "requirement", Line: r.Line, Text: "no step serves " + r.ID + ": " + r.Text,
				Fix: "write For: " + r.ID + " in the steps that do, or add one"})
		}
	}
	for i := range p.Steps {
		s := &p.Steps[i]
		if !slices.ContainsFunc(s.Serves(), func(id string) bool { return serving[id] != nil }) {
			text := "it serves none of the Requirements"
			if s.For != "" {
				text += ": For is " + s.For
			}
			out = append(out, plan.Weakness{Rule: "serves-nothing", Line: s.Line, Step: s.ID, Text: text, Fix: "write which under For, or leave the step out"})
		}
	}
	return out
}
