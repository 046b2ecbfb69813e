package gitplan

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/yuin/goldmark/ast"
)

// spans is where the parts of a step stand in the source, for whoever changes
// or leaves out one of them.
type spans struct {
	item    span  // the whole item; ends where the next block's line begins
	box     int   // the byte between the brackets
	boxes   []int // those of the nested checklist
	title   int   // end of the first line's text, without blanks behind it
	head    int   // the line after the item's first paragraph
	fields  []int // the first bytes of nested bullets
	status  span  // the line of the Status bullet; zero without one
	needs   int   // the line of the field Needs; 0 without one
	written bool  // the text has an id
}

// readSteps reads the boxed items of a list that stands in the section Steps.
func (d *planReader) readSteps(p *Plan, list *ast.List, limit int) {
	p.Steps = slices.Grow(p.Steps, list.ChildCount())
	for item := list.FirstChild(); item != nil; item = item.NextSibling() {
		first, rest, ok := d.boxed(item)
		if !ok {
			d.nearlyBoxed(item)
			d.warnBeside(item)
			continue
		}
		from := d.lineStart(item.Pos())
		s := Step{
			N:    len(p.Steps) + 1,
			Line: d.line(first),
			Box:  d.md[first+1] != ' ',
		}
		s.spans.item = span{from, d.end(item, limit)}
		s.spans.box = first + 1
		s.Text = d.between(from, s.spans.item.to)
		s.spans.title = first + len(rest.line)
		s.spans.head = d.nextLine(item.FirstChild().Lines().At(item.FirstChild().Lines().Len() - 1).Start)
		d.readTitle(&s, rest.text)
		d.readFields(&s, item)
		p.Steps = append(p.Steps, s)
	}
}

// nearlyBoxed refuses what is meant as a box and is none: a step that is
// silently left out is worse than one more error.
func (d *planReader) nearlyBoxed(item ast.Node) {
	first := item.FirstChild()
	if first == nil || first.Lines() == nil || first.Lines().Len() == 0 {
		return
	}
	text := d.segment(first.Lines().At(0))
	line := d.line(first.Lines().At(0).Start)
	switch first.(type) {
	case *ast.Heading:
		if _, _, ok := cutBox(text); ok {
			d.problem(line, "step", "a heading cannot be a step: write `- [ ] what to do`, and no line of `-` or `=` under it")
		}
	case *ast.Paragraph:
		if why := nearBox(text); why != "" {
			d.problem(line, "step", why)
		}
	}
}

// warnBeside warns of what stands beside the steps as if it were one, or belonged to
// one: a field, and an item with an id, or with what looks like a box.
func (d *planReader) warnBeside(item ast.Node) {
	if f, ok := fieldOf(d.document, item); ok && f.name != "" {
		d.warn(f.line, "`%s` stands beside the steps and belongs to none: indent it below its step, by two blanks or more", shown(f.key))
		return
	}
	paragraph, ok := item.FirstChild().(*ast.Paragraph)
	if !ok {
		return
	}
	text := strings.TrimSpace(d.segment(paragraph.Lines().At(0)))
	_, _, named := cutID(text)
	if named || len(text) > 4 && strings.ContainsRune("[(", rune(text[0])) && strings.ContainsRune("])", rune(text[2])) && text[3] == ' ' {
		d.warn(d.line(paragraph.Lines().At(0).Start), "this is no step, for it has no box: write `- [ ] `, where it is meant as one")
	}
}

// readTitle parts the first line of a step into title and id.
func (d *planReader) readTitle(s *Step, text string) {
	title, id, ok := cutID(text)
	s.spans.written = ok
	s.Title = plainText(title)
	switch {
	case s.Title == "":
		d.problem(s.Line, "step", "a step without a title: write what to do behind its box")
	case ok && !validID(id):
		d.problem(s.Line, "id", fmt.Sprintf("`{#%s}` is no id: write lower-case letters, digits and hyphens, such as {#%s}", shown(id), likeID(id, s.Title)))
	case !ok && emphasisAfterID(text):
		d.problem(s.Line, "id", "the id stands inside the emphasis: write it last, as in **title** {#id}")
	}
	s.ID = id
}

func emphasisAfterID(line string) bool {
	inner := strings.TrimRight(line, "*_")
	_, id, ok := cutID(inner)
	return len(inner) < len(line) && ok && validID(id)
}

// likeID is an id like one that is none, with the words of the title where too
// little of it is left.
func likeID(id, title string) string {
	isLetter := func(r rune) bool { return asciiOf(unicode.ToLower(r)) != "" }
	if like := Slug(id, slugLength); validID(like) && strings.ContainsFunc(id, isLetter) {
		return like
	}
	return Slug(id+" "+title, slugLength)
}

func (d *planReader) checkIDs(steps []Step) {
	seen := map[string]int{}
	for _, s := range steps {
		if s.ID == "" {
			continue
		}
		if line := seen[s.ID]; line > 0 {
			d.problem(s.Line, "duplicate-id", fmt.Sprintf("id `%s` is taken by the step in line %d: give this one another", s.ID, line))
			continue
		}
		seen[s.ID] = s.Line
	}
}

// doubtBeside marks the steps in or right above which a careless line stands:
// a tick in them is not taken as done, as what is done was perhaps not all.
func doubtBeside(steps []Step, careless []Problem) {
	for _, p := range careless {
		at, on := slices.BinarySearchFunc(steps, p.Line, func(s Step, line int) int { return cmp.Compare(s.Line, line) })
		if !on {
			at--
		}
		if at >= 0 {
			steps[at].Doubt = true
		}
	}
}

// fillIDs gives every step without an id one made from its title. The ids as
// written come first, so a new step never takes the id of another. An id of
// digits alone would read as a step's number, so none is made.
func fillIDs(steps []Step) {
	taken := map[string]bool{"none": true}
	for _, s := range steps {
		taken[s.ID] = true
	}
	next := map[string]int{}
	for i := range steps {
		if steps[i].ID != "" {
			continue
		}
		slug := Slug(steps[i].Title, slugLength)
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
