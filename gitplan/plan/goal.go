package plan

import (
	"errors"
	"strings"

	"github.com/yuin/goldmark/ast"
)

// MaxLearned bounds the section Learned, in bytes.
const MaxLearned = 4 << 10

// goalIn returns the words of the section Goal: a code block that is all of it holds them to the byte.
func (d *reader) goalIn(part *Part, body string) string {
	if block, ok := part.First.(*ast.FencedCodeBlock); ok && block.NextSibling() == part.Last {
		return d.Document.Verbatim(block)
	}
	return strings.TrimSpace(body)
}

// WithGoal returns a plan's text with these words as its Goal: the first section, or where the old one is.
func WithGoal(src []byte, goal string) ([]byte, error) {
	p, err := Parse(src)
	if err != nil {
		return nil, err
	}
	fence := "~~~"
	for strings.Contains(goal, fence) {
		fence += "~"
	}
	for _, body := range []string{goal, fence + "text\n" + goal + "\n" + fence} {
		out := withSection(p, "Goal", body)
		if q, err := Parse(out); err == nil && q.Goal == goal && len(q.Steps) == len(p.Steps) && len(q.Warnings) <= len(p.Warnings) {
			return out, nil
		}
	}
	return nil, errors.New("the goal cannot be part of a plan")
}

// WithSection returns a plan's text with one section of a meaning, in place of the existing ones.
func WithSection(src []byte, title, body string) ([]byte, error) {
	p, err := Parse(src)
	if err != nil {
		return nil, err
	}
	out := withSection(p, title, body)
	_, err = Parse(out)
	return out, err
}

// BodyOf returns what the sections say that mean what a title does; "" without one.
func (p *Plan) BodyOf(title string) string { return p.meaningOf(SectionMeaning(title)) }

// TitleOf returns the title of the first section that means what a title does, or that title.
func (p *Plan) TitleOf(title string) string {
	for _, s := range p.Sections {
		if s.meaning == SectionMeaning(title) {
			return s.Title
		}
	}
	return title
}

// WithoutSteps returns the text of a plan without some of its steps.
func WithoutSteps(p *Plan, out func(*Step) bool) ([]byte, error) {
	var edits []Edit
	for i := range p.Steps {
		if s := &p.Steps[i]; out(s) {
			edits = append(edits, s.At.Item.With("\n")) // or a text behind it would go on with the step before it
		}
	}
	text := Splice(p.Source, edits...)
	_, err := Parse(text)
	return text, err
}

// withSection puts a section before the first one, or in place of those with its meaning; an empty body removes
// them.
func withSection(p *Plan, title, body string) []byte {
	doc, meaning := NewDocument(p.Source), SectionMeaning(title)
	var edits []Edit
	text := ""
	if body = strings.TrimSpace(body); body != "" {
		text = "## " + title + "\n\n" + body + "\n\n"
	}
	for i, s := range p.Sections {
		if s.meaning != meaning {
			continue
		}
		end := len(p.Source)
		if i+1 < len(p.Sections) {
			end = doc.Lines[p.Sections[i+1].Line-1]
		}
		edits = append(edits, Span{From: doc.Lines[s.Line-1], To: end}.With(text))
		text = ""
	}
	if text != "" {
		at := doc.Lines[p.Sections[0].Line-1]
		edits = append(edits, Span{From: at, To: at}.With(text))
	}
	return Splice(p.Source, edits...)
}
