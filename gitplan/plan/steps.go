package plan

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/yuin/goldmark/ast"

	"github.com/git-plan/git-plan/gitplan/visible"
)

func (d *reader) readSteps(p *Plan, items []ast.Node, limit int) {
	p.Steps = slices.Grow(p.Steps, len(items))
	for _, item := range items {
		line, text, ok := d.Boxed(item)
		if !ok {
			d.notBoxed(item)
			continue
		}
		from := d.LineStart(item.Pos())
		s := Step{N: len(p.Steps) + 1, Line: d.Line(line.From), Box: d.Text[line.From+1] != ' '}
		s.At.Item = Span{From: from, To: d.End(item, limit)}
		s.At.Box, s.At.title = line.From+1, line.To
		s.Text = d.Between(from, s.At.Item.To)
		s.At.Head = d.NextLine(item.FirstChild().Lines().At(item.FirstChild().Lines().Len() - 1).Start)
		title, id, named := CutID(text)
		_, inner, inside := CutID(strings.TrimRight(text, "*_"))
		s.ID, s.Title, s.At.named = id, PlainText(title), named
		switch {
		case s.Title == "":
			d.Problem(s.Line, "step", "a step without a title: write what to do after its box")
		case named && !ValidID(id):
			d.Problem(s.Line, "id", "`{#%s}` is not an id: write lower-case letters, digits and hyphens, such as {#%s}", Shown(id), Slug(cmp.Or(id, s.Title), SlugLength))
		case !named && inside && ValidID(inner):
			d.Problem(s.Line, "id", "the id is inside the emphasis: write it last, as in **title** {#id}")
		}
		d.readFields(&s, item)
		p.Steps = append(p.Steps, s)
	}
}

// notBoxed refuses an item whose box is nearly right, and warns of one with a field or an id of a step.
func (d *reader) notBoxed(item ast.Node) {
	first := item.FirstChild()
	if first == nil || first.Lines() == nil || first.Lines().Len() == 0 {
		return
	}
	text := d.Segment(first.Lines().At(0))
	line := d.Line(first.Lines().At(0).Start)
	_, _, boxed := CutBox(text)
	_, _, named := CutID(text)
	f, _ := FieldOf(d.Document, item)
	_, isHeading := first.(*ast.Heading)
	_, isParagraph := first.(*ast.Paragraph)
	switch {
	case isHeading && boxed:
		d.Problem(line, "step", "a heading cannot be a step: write `- [ ] what to do`, and no line of `-` or `=` under it")
	case !isParagraph:
	case likeBox().MatchString(text):
		d.Problem(line, "step", "%s", notBox)
	case f.Name != "":
		d.Warn(line, "`%s` is beside the steps and belongs to none: indent it below its step, by two spaces or more", Shown(f.key))
	case named || likeAnyBox().MatchString(text):
		d.Warn(line, "this has no box, so it is not a step: write `- [ ] ` if it is meant to be one")
	}
}

// likeAnyBox matches a text that begins with a letter or sign in brackets.
var likeAnyBox = visible.NewPattern(`^[\[(].[\])] .`)

// NameSteps gives steps without an id one made from the title, which is not digits alone, a step's number.
func NameSteps(steps []Step) {
	taken := map[string]bool{"none": true}
	for _, s := range steps {
		taken[s.ID] = true
	}
	next := map[string]int{}
	for i := range steps {
		if steps[i].ID != "" {
			continue
		}
		slug := Slug(steps[i].Title, SlugLength)
		if strings.Trim(slug, "0123456789") == "" {
			slug = "step-" + slug
		}
		id := slug
		for taken[id] {
			next[slug] = max(next[slug], 1) + 1
			id = fmt.Sprintf("%s-%d", slug, next[slug])
		}
		taken[id] = true
		steps[i].ID = id
	}
}

// needs reads the ids of a field Needs, with or without "#"; none for "none".
func (d *reader) needs(f Field) []string {
	all := strings.Join(d.texts(f), ",")
	if Normalize(strings.Trim(all, "`.,# ")) == "none" {
		return nil
	}
	var out []string
	for _, part := range strings.FieldsFunc(all, func(r rune) bool { return r == ',' || r == ';' }) {
		words := strings.Fields(part) // one id, or several that begin with "#"
		for _, word := range words {
			bare := strings.Trim(word, "`{}().")
			id, marked := strings.CutPrefix(bare, "#")
			if bare == "and" || bare == "&" {
				continue
			} else if !marked && len(words) > 1 {
				d.Problem(f.Line, "field", "Needs does not name steps: `%s`; write their ids, as in `#a, #b`, or `none`", Shown(strings.TrimSpace(part)))
				break
			}
			out = append(out, id)
		}
	}
	if strings.Trim(all, ",; ") == "" {
		d.Problem(f.Line, "field", "an empty Needs: write ids of steps, as in `#a, #b`, or `none`")
	}
	return out
}

// indexed returns the index of each step by its id; of two steps with one id, the first.
func indexed(steps []Step) map[string]int {
	index := make(map[string]int, len(steps))
	for i := len(steps) - 1; i >= 0; i-- {
		index[steps[i].ID] = i
	}
	return index
}

// resolveNeeds fills in the default of Needs, and refuses ids that are unknown or taken, and circles.
func (d *reader) resolveNeeds(p *Plan) {
	steps, index, inOrder := p.Steps, p.index, true
	for i := range steps {
		s := &steps[i]
		if first := steps[index[s.ID]]; first.N < s.N {
			d.Problem(s.Line, "duplicate-id", "id `%s` is taken by the step in line %d: give this one another", s.ID, first.Line)
		}
		if s.At.needs == 0 {
			if i > 0 {
				s.Needs = []string{steps[i-1].ID}
			}
			continue
		}
		var known []string
		seen := make(map[string]bool, len(s.Needs))
		for _, id := range s.Needs {
			at, ok := index[id]
			switch n, _ := strconv.Atoi(id); {
			case !ok && n >= 1 && n <= len(steps):
				d.Problem(s.At.needs, "unknown-need", "Needs names `%s`, which is not the id of a step: write the id of step %d, #%s", id, n, steps[n-1].ID)
			case !ok:
				d.Problem(s.At.needs, "unknown-need", "Needs names `%s`, which is not the id of a step: write ids of steps, as in `#a, #b`, or `none`", Shown(id))
			case at == i:
				d.Problem(s.At.needs, "cycle", "step `%s` needs itself: remove it from its Needs", id)
			case !seen[id]:
				known = append(known, id)
				seen[id], inOrder = true, inOrder && at < i
			}
		}
		s.Needs = known
	}
	if !inOrder {
		d.refuseCycles(p)
	}
}

// refuseCycles reports a circle among the steps that no order fits, by the first need of each that is one of them.
func (d *reader) refuseCycles(p *Plan) {
	fits := map[string]bool{}
	for _, s := range p.Ordered() {
		fits[s.ID] = true
	}
	at := slices.IndexFunc(p.Steps, func(s Step) bool { return !fits[s.ID] })
	seen, ids, hint := map[int]int{}, []string{}, "; remove one of them from the other's Needs"
	for at >= 0 {
		s := &p.Steps[at]
		ids = append(ids, s.ID)
		if from, circle := seen[at]; circle {
			d.Problem(max(s.At.needs, s.Line), "cycle", "steps need each other in a circle: %s%s", visible.OneLine(strings.Join(ids[from:], " -> "), 400), hint)
			return // one circle is enough to fix at a time
		}
		seen[at] = len(ids) - 1
		if s.At.needs == 0 {
			hint = "; a step without Needs needs the one above it: write `Needs: none` if it does not"
		}
		need := slices.IndexFunc(s.Needs, func(id string) bool { return !fits[id] })
		if need < 0 {
			return // two steps have one id, which is reported
		}
		at = p.index[s.Needs[need]]
	}
}

// Ordered returns the steps in an order in which they could be done, but for those that need each other in a circle.
func (p *Plan) Ordered() (out []*Step) {
	waits, enables := map[string]int{}, map[string][]*Step{}
	for i := range p.Steps {
		s := &p.Steps[i]
		for _, id := range s.Needs {
			if n, ok := p.Step(id); ok {
				waits[s.ID]++
				enables[n.ID] = append(enables[n.ID], s)
			}
		}
		if waits[s.ID] == 0 {
			out = append(out, s)
		}
	}
	for at := 0; at < len(out); at++ {
		for _, n := range enables[out[at].ID] {
			if waits[n.ID]--; waits[n.ID] == 0 {
				out = append(out, n)
			}
		}
	}
	return out
}

// Requirement is an item of Requirements that begins with an id: "- R1: a request without a token gets 401".
type Requirement struct {
	ID   string // such as R1, or FR-001
	Text string // the text in one line
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
			text, line := d.Paragraph(n), d.Line(n.Lines().At(0).Start)
			if _, rest, ok := CutBox(text); ok {
				text = rest
			}
			if m := requirementItem().FindStringSubmatch(strings.Join(strings.Fields(text), " ")); m != nil {
				p.Requirements = append(p.Requirements, Requirement{ID: m[1], Text: m[2], Line: line})
			}
		case *ast.List:
			for item := n.FirstChild(); item != nil; item = item.NextSibling() {
				d.requirementsIn(p, item.FirstChild(), nil)
			}
		}
	}
}

// Serves returns the ids of requirements in the step's field For, each once.
func (s *Step) Serves() []string { return Unique(requirementID().FindAllString(s.For, -1)) }

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
