package plan

import (
	"fmt"
	"strings"

	"github.com/yuin/goldmark/ast"

	"github.com/git-plan/git-plan/gitplan/visible"
)

// Requirement is an item of Requirements that begins with an id: "- R1: a request without a token gets 401".
type Requirement struct {
	ID   string // such as R1, or FR-001
	Text string // in one line
	Line int
}

var (
	requirementItem = visible.NewPattern(`^[*_]*([A-Z]{1,4}-?\d{1,4})[*_]*\s?[:.)–—-]?[*_]*\s+(\S.*)$`)
	requirementID   = visible.NewPattern(`\b[A-Z]{1,4}-?\d{1,4}\b`)
)

// requirementsIn reads the items of a list, nested ones too, and lines of paragraphs.
func (d *reader) requirementsIn(p *Plan, first, last ast.Node) {
	for n := first; n != nil && n != last; n = n.NextSibling() {
		switch n := n.(type) {
		case *ast.Paragraph, *ast.TextBlock:
			text, line := d.Document.Paragraph(n), d.Document.Line(n.Lines().At(0).Start)
			if _, rest, ok := CutBox(text); ok {
				text = rest
			}
			m := requirementItem.FindStringSubmatch(strings.Join(strings.Fields(text), " "))
			if m == nil {
				continue
			}
			if first := d.required[m[1]]; first > 0 {
				d.Document.Warn(line, "requirement `%s` is in line %d already: give this one another id", m[1], first)
				continue
			}
			if d.required == nil {
				d.required = map[string]int{}
			}
			d.required[m[1]] = line
			p.Requirements = append(p.Requirements, Requirement{ID: m[1], Text: m[2], Line: line})
		case *ast.List:
			for item := n.FirstChild(); item != nil; item = item.NextSibling() {
				d.requirementsIn(p, item.FirstChild(), nil)
			}
		}
	}
}

// Serves returns the ids of requirements in the step's field For, each once.
func (s *Step) Serves() []string {
	return Unique(requirementID.FindAllString(s.For, -1))
}

// Serving returns for each requirement, by its id, the steps that serve it.
func (p *Plan) Serving() map[string][]*Step {
	out := map[string][]*Step{}
	for _, r := range p.Requirements {
		out[r.ID] = nil
	}
	for i := range p.Steps {
		for _, id := range p.Steps[i].Serves() {
			if _, known := out[id]; known {
				out[id] = append(out[id], &p.Steps[i])
			}
		}
	}
	return out
}

// String returns a requirement as people write it.
func (r Requirement) String() string { return fmt.Sprintf("%s: %s", r.ID, r.Text) }
