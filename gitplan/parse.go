package gitplan

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
)

// Parse reads a plan. Its error is a *ParseError with everything that is wrong,
// in line order; the plan is nil then. It takes time linear in the text.
//
// A text that is no text (bytes that are not UTF-8, NULs) or holds both sides
// of a conflict is refused for that alone: what else seems wrong with it would
// be an artefact.
func Parse(src []byte) (*Plan, error) {
	p, err := parseAll(src)
	if err != nil {
		return nil, err
	}
	return p, nil
}

// parseAll gives what was read beside what is wrong, as far as it was read: nil
// where the text is none, or its front matter.
func parseAll(src []byte) (*Plan, error) {
	p, problems := parse(src)
	if len(problems) == 0 && p.hasStatus() {
		problems = p.checkStatusLines()
	}
	if len(problems) > 0 {
		return p, &ParseError{inOrder(problems)}
	}
	return p, nil
}

func parse(src []byte) (*Plan, []Problem) {
	if problems := textProblems(src); len(problems) > 0 {
		return nil, problems
	}
	d := &planReader{document: newDocument(src)}
	p := &Plan{Source: src}
	front, err := readFront(src)
	if err != nil {
		return nil, []Problem{*err}
	}
	p.ID, p.Branch, p.Base = front.value("plan"), front.value("branch"), front.value("base")
	p.front = front
	d.readBlocks(front.body)
	d.readSections(p)
	d.checkIDs(p.Steps)
	fillIDs(p.Steps)
	p.index = indexed(p.Steps)
	d.resolveNeeds(p.Steps, p.index)
	doubtBeside(p.Steps, d.careless)
	p.Warnings = inOrder(append(d.warnings, d.careless...))
	if n := indentation(d.md); len(d.problems) > 0 && n >= codeIndent {
		return p, []Problem{{1, "indented", fmt.Sprintf("every line begins with %d blanks, so all of it is code to Markdown: take them away", n)}}
	}
	if len(d.problems) > 0 && len(p.Steps) == 0 {
		if line := d.fencedPlan(); line > 0 {
			return p, []Problem{{line, "fenced", "the plan stands in the code fence that begins here: leave out the fence and what is around it"}}
		}
	}
	if len(d.problems) > 0 {
		// A fence that swallowed steps is likely what the other problems come from.
		return p, append(d.problems, slices.DeleteFunc(d.careless, func(c Problem) bool { return c.Rule != ruleSwallowed })...)
	}
	return p, nil
}

// planReader makes a plan of a document.
type planReader struct {
	*document
	rules, do []string // texts of which there may be several: of the plan, and of the step being read
}

// readSections walks the blocks that stand in nothing else. A later level-1
// heading ends a section as a level-2 heading does, and begins one without a
// meaning, so that nothing of the text is lost.
func (d *planReader) readSections(p *Plan) {
	parts := d.parts()
	found := map[string]bool{}
	titled := false
	for i, part := range parts {
		if part.level == 1 && !titled {
			titled = true
			p.Title = part.title
			p.Summary = d.between(part.from, part.to)
			if p.Title == "" {
				d.problem(part.line, "no-title", "the title is empty: write `# ` and what the plan achieves")
			}
			continue
		}
		body := d.between(part.from, part.to)
		p.Sections = append(p.Sections, Section{Title: part.title, Body: body, Line: part.line})
		if part.level == 1 {
			continue
		}
		meaning := sectionMeaning(part.title)
		found[meaning] = true
		if meaning == "" {
			d.warnSection(part, body)
		}
		d.readSection(p, &parts[i], meaning, body)
	}
	d.findSwallowed()
	if !titled {
		d.problem(1, "no-title", "no title: begin the plan with `# ` and what it achieves")
	}
	p.Rules = joinText(d.rules)
	d.requireSteps(p, parts, found["steps"])
}

func (d *planReader) readSection(p *Plan, part *part, meaning, body string) {
	switch meaning {
	case "steps":
		for n := part.first; n != nil && n != part.last; n = n.NextSibling() {
			if list, ok := n.(*ast.List); ok {
				d.readSteps(p, list, part.to)
			}
		}
		d.findUnread(part.first, part.last)
	case "rules":
		d.rules = append(d.rules, body)
	case "checks":
		p.Checks = append(p.Checks, d.checksIn(part.first, part.last)...)
	case "verification":
		p.Verification = append(p.Verification, d.checksIn(part.first, part.last)...)
	case "prerequisites":
		p.Prerequisites = append(p.Prerequisites, d.checksIn(part.first, part.last)...)
	}
}

// sectionNames are the headings that have a meaning, in lower case, and which.
var sectionNames = [][2]string{
	{"steps", "steps"}, {"tasks", "steps"}, {"implementation steps", "steps"}, {"execution order", "steps"},
	{"rules", "rules"}, {"guardrails", "rules"}, {"constraints", "rules"},
	{"checks", "checks"}, {"validation", "checks"}, {"validation commands", "checks"},
	{"verification", "verification"}, {"test criteria", "verification"}, {"acceptance", "verification"},
	{"prerequisites", "prerequisites"},
}

// sectionMeaning is what a section is for: steps, rules, checks, verification,
// prerequisites, or nothing where it is context.
func sectionMeaning(title string) string {
	name := words(strings.TrimSuffix(title, ":"))
	for _, n := range sectionNames {
		if n[0] == name {
			return n[1]
		}
	}
	return ""
}

// requireSteps says why there are none, as exactly as can be known.
func (d *planReader) requireSteps(p *Plan, parts []part, found bool) {
	if len(p.Steps) > 0 {
		return
	}
	if d.unreadSteps(parts) {
		return
	}
	for _, part := range parts {
		if sectionMeaning(part.title) != "steps" {
			continue
		}
		if !found {
			d.problem(part.line, "no-steps", fmt.Sprintf("no steps: `%s` must be a level-2 heading: `## Steps`", shown(part.title)))
			return
		}
		for n := part.first; n != nil && n != part.last; n = n.NextSibling() {
			if list, ok := n.(*ast.List); ok {
				d.problem(d.line(list.FirstChild().Pos()), "no-steps", "no steps: an item is a step when it begins with a box, as in `- [ ] what to do`")
				return
			}
		}
		d.problem(part.line, "no-steps", fmt.Sprintf("no steps under `%s`: write each as `- [ ] what to do`", shown(part.title)))
		return
	}
	for _, part := range parts {
		if meant := meantSection(part.title, d.between(part.from, part.to)); sectionMeaning(meant) == "steps" {
			d.problem(part.line, "no-steps", fmt.Sprintf("no steps: `%s` is only context for the sessions: did you mean %s?", shown(part.title), title(meant)))
			return
		}
	}
	d.problem(len(d.lines), "no-steps", "no steps: write a section `## Steps` with items `- [ ] what to do`")
}

// unreadSteps refuses a plan without steps for the lines that look like some. It
// reports whether there are any.
func (d *planReader) unreadSteps(parts []part) bool {
	if !slices.ContainsFunc(parts, func(p part) bool { return sectionMeaning(p.title) == "steps" }) {
		d.findUnread(d.root.FirstChild(), nil)
	}
	before := len(d.problems)
	for _, c := range d.careless {
		if c.Rule == ruleUnread {
			d.problem(c.Line, "no-steps", c.Message)
		}
	}
	return len(d.problems) > before
}

func (p *Plan) hasStatus() bool {
	for i := range p.Steps {
		if p.Steps[i].Status.Word != "" {
			return true
		}
	}
	return false
}

// checkStatusLines refuses a plan that means something else without its Status
// lines. Approval leaves them out (see Meaning), so a Status line that, say,
// makes a command of the line under it would be a way around approval.
func (p *Plan) checkStatusLines() []Problem {
	q, problems := parse(p.meaning())
	if len(problems) > 0 {
		q = &Plan{}
	}
	a, b := p.instructions(), q.instructions()
	if reflect.DeepEqual(a, b) {
		return nil
	}
	same := 0 // steps above the first that differs
	for same < min(len(a.Steps), len(b.Steps)) && reflect.DeepEqual(a.Steps[same], b.Steps[same]) {
		same++
	}
	at := -1
	for i := range p.Steps {
		if p.Steps[i].Status.Word != "" && (at < 0 || i <= same && i < len(b.Steps)) {
			at = i
		}
	}
	line := newDocument(p.Source).line(p.Steps[at].spans.status.from)
	return []Problem{{line, "field", "this Status line changes what the lines around it mean: put it under the first line of its step, with the indentation of the other fields"}}
}

// instructions is the plan without what Meaning leaves out and without places.
func (p *Plan) instructions() *Plan {
	c := *p
	c.Source, c.front, c.index, c.Warnings = nil, nil, nil, nil
	c.ID, c.Branch = "", ""
	c.Checks, c.Verification, c.Prerequisites = unplaced(p.Checks), unplaced(p.Verification), unplaced(p.Prerequisites)
	c.Sections = nil
	for _, s := range p.Sections {
		if sectionMeaning(s.Title) == "steps" {
			s.Body = "" // it holds the boxes and Status lines; the steps stand for it
		}
		s.Line, s.Body = 0, toLF(s.Body)
		c.Sections = append(c.Sections, s)
	}
	c.Summary, c.Rules = toLF(p.Summary), toLF(p.Rules)
	c.Steps = make([]Step, len(p.Steps))
	for i, s := range p.Steps {
		s.Text = strings.TrimRight(toLF(s.Approved()), " \t\n") // a blank line may have stood before its Status
		s.Line, s.Box, s.Doubt, s.Status, s.spans, s.Checks = 0, false, false, StepStatus{}, spans{}, unplaced(s.Checks)
		c.Steps[i] = s
	}
	return &c
}

func unplaced(checks []Check) []Check {
	var out []Check
	for _, c := range checks {
		out = append(out, Check{Text: c.Text, Command: c.Command})
	}
	return out
}
