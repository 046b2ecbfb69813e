package plan

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"

	"github.com/git-plan/git-plan/gitplan/visible"
)

func (d *reader) readSteps(p *Plan, items []ast.Node, limit int) {
	p.Steps = slices.Grow(p.Steps, len(items))
	for _, item := range items {
		first, rest, ok := d.Document.Boxed(item)
		if !ok {
			d.notBoxed(item)
			continue
		}
		from := d.Document.LineStart(item.Pos())
		s := Step{
			N:    len(p.Steps) + 1,
			Line: d.Document.Line(first),
			Box:  d.Document.Text[first+1] != ' ',
		}
		s.At.Item = Span{From: from, To: d.Document.End(item, limit)}
		s.At.Box = first + 1
		s.Text = d.Document.Between(from, s.At.Item.To)
		s.At.title = first + len(rest.Line)
		s.At.Head = d.Document.NextLine(item.FirstChild().Lines().At(item.FirstChild().Lines().Len() - 1).Start)
		d.readTitle(&s, rest.Text)
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
	text := d.Document.Segment(first.Lines().At(0))
	line := d.Document.Line(first.Lines().At(0).Start)
	_, _, boxed := CutBox(text)
	_, _, named := CutID(text)
	f, _ := FieldOf(d.Document, item)
	_, isHeading := first.(*ast.Heading)
	_, isParagraph := first.(*ast.Paragraph)
	switch {
	case isHeading && boxed:
		d.Document.Problem(line, "step", "a heading cannot be a step: write `- [ ] what to do`, and no line of `-` or `=` under it")
	case !isParagraph:
	case likeBox.MatchString(text):
		d.Document.Problem(line, "step", notBox)
	case f.Name != "":
		d.Document.Warn(line, "`%s` is beside the steps and belongs to none: indent it below its step, by two spaces or more", Shown(f.key))
	case named || likeAnyBox.MatchString(text):
		d.Document.Warn(line, "this has no box, so it is not a step: write `- [ ] ` if it is meant to be one")
	}
}

// likeAnyBox matches a text that begins with a letter or sign in brackets.
var likeAnyBox = visible.NewPattern(`^[\[(].[\])] .`)

func (d *reader) readTitle(s *Step, text string) {
	title, id, ok := CutID(text)
	_, inner, inside := CutID(strings.TrimRight(text, "*_"))
	s.At.named = ok
	s.Title = PlainText(title)
	switch {
	case s.Title == "":
		d.Document.Problem(s.Line, "step", "a step without a title: write what to do after its box")
	case ok && !ValidID(id):
		d.Document.Problem(s.Line, "id", fmt.Sprintf("`{#%s}` is not an id: write lower-case letters, digits and hyphens, such as {#%s}", Shown(id), Slug(cmp.Or(id, s.Title), SlugLength)))
	case !ok && inside && ValidID(inner):
		d.Document.Problem(s.Line, "id", "the id is inside the emphasis: write it last, as in **title** {#id}")
	}
	s.ID = id
}

func (d *reader) checkIDs(steps []Step) {
	seen := map[string]int{}
	for _, s := range steps {
		if s.ID == "" {
			continue
		}
		if line := seen[s.ID]; line > 0 {
			d.Document.Problem(s.Line, "duplicate-id", fmt.Sprintf("id `%s` is taken by the step in line %d: give this one another", s.ID, line))
			continue
		}
		seen[s.ID] = s.Line
	}
}

// doubtIn marks the steps in whose text a line may be a task: their ticks do not count.
func (d *reader) doubtIn(steps []Step) {
	for _, p := range d.Document.Suspicious {
		at, on := slices.BinarySearchFunc(steps, p.Line, func(s Step, line int) int { return cmp.Compare(s.Line, line) })
		if !on {
			at--
		}
		if at >= 0 && p.Line <= d.Document.Line(steps[at].At.Item.To-1) {
			steps[at].Doubt = true
		}
	}
}

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
