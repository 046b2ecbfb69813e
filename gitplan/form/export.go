package form

import (
	"fmt"
	"strings"

	"github.com/yuin/goldmark/ast"

	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/markdown"
	"github.com/git-plan/git-plan/gitplan/plan"
)

// Exported is a plan in another form.
type Exported struct {
	Files []File // one without a name for all forms but a queue
	Notes []Note // what the form cannot carry
}

// File is a file to write; its name has slashes.
type File struct {
	Name string
	Text []byte
}

// Export writes a plan in another form, so strictly that Import makes the same
// of it: the same front matter, title, sections, and steps with their ids, their
// boxes and their texts to the byte, apart from the blanks that indent them. How
// the plan is laid out is not kept: a title that is bold as a whole, the name and
// blank lines of the section Steps. What a form cannot carry:
//
//	md       nothing: it is the plan, byte for byte
//	json     nothing more
//	ralphex  headings of level 1 to 3 inside a step: they become text, and are
//	         told; the title of the section Checks; which boxes of a checklist
//	         are ticked under a step that is done
//	queue    where among the other sections the rules and the steps stand
func Export(src []byte, form Form) (*Exported, error) {
	p, err := plan.Parse(src)
	if err != nil {
		return nil, err
	}
	if form == FormPlan {
		return &Exported{Files: []File{{Text: src}}}, nil
	}
	d := DraftOf(p)
	d.Complete()
	switch form {
	case FormJSON:
		return d.exportJSON(p)
	case FormRalphex:
		return d.exportRalphex(), nil
	case FormQueue:
		return d.exportQueue(), nil
	}
	return nil, fault.New(fault.ErrForm, "plans are not written as %s", form)
}

// DraftOf is a plan of this program's own form as a draft.
func DraftOf(p *plan.Plan) *draft {
	d := &draft{front: markdown.ToLF(string(p.Source[p.Front.Inner.From:p.Front.Inner.To]))}
	f := newForeign(p.Source, p.Front.Body)
	first := 0
	for i := range p.Steps {
		s := &p.Steps[i]
		from := f.Document.Line(s.Spans.Item.From)
		to := len(f.Lines) + 1
		if s.Spans.Item.To < len(f.Src) {
			to = f.Document.Line(s.Spans.Item.To)
		}
		f.take(from, to)
		if first == 0 {
			first = from
		}
		bracket := s.Spans.Box - 1
		box := f.Document.Line(bracket)
		columns := f.columnOf(bracket)
		if box > from {
			columns = len(dedent(f.raw(from), 0, false)) + 1 // a marker alone in its line
		}
		head := strings.TrimSpace(p.Heading(s))
		d.Steps = append(d.Steps, draftStep{place: f.at(box), id: s.ID, title: head, Done: s.Box, own: true,
			Body: f.below(box, to, columns, s.Spans.Head > f.NextLine(bracket))})
	}
	f.spread(d, first)
	return d
}

// exportRalphex writes sections `### Task N: title {#id}`. A step has a box with
// its title where its own boxes would not say whether it is done.
func (d *draft) exportRalphex() *Exported {
	out := &Exported{}
	done := *d
	done.Sections = nil
	var steps Lines
	put := func(l ...line) { steps = append(steps, l...) }
	for i, s := range d.Steps {
		body, changed := Flat(s.Body, 3)
		for _, at := range changed {
			out.Notes = append(out.Notes, Note{Line: at.Line, Text: fmt.Sprintf("a heading inside step %s becomes text: in this form it would end the step", s.id)})
		}
		put(line{text: fmt.Sprintf("### Task %d: %s {#%s}", i+1, s.title, s.id)}, line{})
		open, ticked := CountBoxes(body, s.Done)
		if len(body) > 0 {
			put(append(body, line{})...)
		}
		if open == 0 && (ticked == 0 || !s.Done) || endsWithOwn(body, s.title) {
			mark := " "
			if s.Done {
				mark = "x"
			}
			if ends := len(steps); len(body) > 0 && strings.HasPrefix(body[len(body)-1].text, "- ") {
				steps = steps[:ends-1]
			}
			put(line{text: "- [" + mark + "] " + s.title}, line{})
		}
	}
	for i := range len(d.Sections) + 1 {
		if i == d.At {
			done.Sections = append(done.Sections, DraftSection{2, "Implementation Steps", steps.trimmed()})
		}
		if i < len(d.Sections) {
			s := d.Sections[i]
			if s.Level == 2 && plan.SectionMeaning(s.Title) == "checks" {
				s.Title = "Validation Commands"
			}
			done.Sections = append(done.Sections, s)
		}
	}
	done.At = len(done.Sections) + 1
	text, _ := done.Write()
	out.Files = []File{{Text: []byte(text)}}
	return out
}

// CountBoxes counts the boxes of a step's checklist. Those of a step that is
// done are ticked: ralphex knows no other mark of it.
func CountBoxes(body Lines, done bool) (open, ticked int) {
	doc := markdown.New([]byte(body.String()))
	doc.ReadBlocks(0)
	var s plan.Step
	for n := doc.Root.FirstChild(); n != nil; n = n.NextSibling() {
		if list, ok := n.(*ast.List); ok {
			for item := list.FirstChild(); item != nil; item = item.NextSibling() {
				plan.FindBoxes(doc, &s, item)
			}
		}
	}
	for _, at := range s.Spans.Boxes {
		n := doc.Line(at)
		column := at - doc.Lines[n-1]
		if done {
			body[n-1].text = body[n-1].text[:column] + "x" + body[n-1].text[column+1:]
		}
		if body[n-1].text[column] == ' ' {
			open++
		} else {
			ticked++
		}
	}
	return open, ticked
}

// endsWithOwn says whether the last line of a body reads as the box that stands
// for the step.
func endsWithOwn(body Lines, title string) bool {
	s := draftStep{title: title, Body: append(Lines{}, body...)}
	s.takeOwnBox()
	return len(s.Body) < len(body)
}
