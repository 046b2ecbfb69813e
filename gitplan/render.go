package gitplan

import (
	"bytes"
	"fmt"
	"strings"
)

// parsedStep parses a text and finds one of its steps by id or number.
func parsedStep(src []byte, id string) (*Plan, *Step, error) {
	p, err := Parse(src)
	if err != nil {
		return nil, nil, err
	}
	s, ok := p.Step(id)
	if !ok {
		return nil, nil, fmt.Errorf("%w: %s", ErrUnknownStep, id)
	}
	return p, s, nil
}

// Tick sets the box of a step and those of its checklist. A box that is ticked
// with an X stays so.
func Tick(src []byte, id string, done bool) ([]byte, error) {
	_, s, err := parsedStep(src, id)
	if err != nil {
		return nil, err
	}
	out := bytes.Clone(src)
	s.tick(out, done)
	return out, nil
}

// Ticked is the plan's text with the boxes of its steps as done tells.
func (p *Plan) Ticked(done func(id string) bool) []byte {
	out := bytes.Clone(p.Source)
	for i := range p.Steps {
		if s := &p.Steps[i]; s.Box != done(s.ID) {
			s.tick(out, !s.Box)
		}
	}
	return out
}

// tick sets boxes in the text that the step was read from.
func (s *Step) tick(text []byte, done bool) {
	for _, at := range append([]int{s.spans.box}, s.spans.boxes...) {
		if ticked := text[at] != ' '; ticked != done {
			text[at] = map[bool]byte{true: 'x', false: ' '}[done]
		}
	}
}

// SetStatus writes the bullet Status of a step, or removes it where the word is
// empty. The reason becomes one line.
func SetStatus(src []byte, id string, st StepStatus) ([]byte, error) {
	p, s, err := parsedStep(src, id)
	if err != nil {
		return nil, err
	}
	st.Reason = strings.Join(strings.Fields(strings.ToValidUTF8(strings.ReplaceAll(st.Reason, "\x00", ""), "")), " ")
	if st.Word == "" {
		if s.Status.Word == "" {
			return src, nil
		}
		return p.accept(s, StepStatus{}, splice(src, withoutLine(src, s.spans.status)))
	}
	text := "- Status: " + st.Word
	if st.Reason != "" {
		text += " - " + st.Reason
	}
	wanted, ok := parseStatus(strings.TrimPrefix(text, "- Status: "))
	if !ok || wanted != st {
		if !ok {
			return nil, fmt.Errorf("step %s: %q is none of blocked, skipped, reopened", s.ID, st.Word)
		}
		st = wanted // a reason that begins with a dash loses it
	}
	if s.Status.Word != "" {
		line := p.Source[s.spans.status.from:s.spans.status.to]
		bare := bytes.TrimRight(line, " \t\r\n")
		head := len(bare) - len(bytes.TrimLeft(bare, " \t"))
		marker := string(bare[head:head+bytes.IndexAny(bare[head:], " \t")]) + " "
		whole := string(bare[:head]) + marker + text[2:] + string(line[len(bytes.TrimRight(line, "\r\n")):])
		return p.accept(s, st, splice(src, edit{s.spans.status, whole}))
	}
	return p.insertStatus(s, st, text)
}

// insertStatus tries the places where a Status line can stand, best first, and
// takes the first that leaves the meaning of all other lines alone.
func (p *Plan) insertStatus(s *Step, st StepStatus, text string) ([]byte, error) {
	d := newDocument(p.Source)
	var places []edit
	add := func(at int, indent string) { places = append(places, p.lineAt(at, indent+text)) }
	indent := p.indent(s, d)
	add(s.spans.head, indent)
	for _, field := range s.spans.fields {
		add(d.lineStart(field), p.indentOf(d, field))
		add(d.nextLine(field), p.indentOf(d, field))
		if len(places) > 8 {
			break
		}
	}
	last := s.spans.item.from + len(strings.TrimRight(string(p.Source[s.spans.item.from:s.spans.item.to]), " \t\r\n"))
	add(d.nextLine(max(last-1, 0)), indent)
	var err error
	for _, place := range places {
		var out []byte
		if out, err = p.accept(s, st, splice(p.Source, place)); err == nil {
			return out, nil
		}
	}
	return nil, err
}

// accept returns a changed text if it says what was wanted and nothing else
// changed its meaning.
func (p *Plan) accept(s *Step, st StepStatus, out []byte) ([]byte, error) {
	q, err := Parse(out)
	if err != nil {
		return nil, err
	}
	changed, ok := q.Step(s.ID)
	if !ok || changed.Status != st || !bytes.Equal(q.meaning(), p.meaning()) {
		return nil, fmt.Errorf("step %s: no place for a Status line among the lines of its text", s.ID)
	}
	return out, nil
}

// lineAt inserts a line before the one that begins at an offset. At the end of
// a text without a final newline the new line has none either.
func (p *Plan) lineAt(at int, line string) edit {
	if at > 0 && p.Source[at-1] != '\n' {
		return edit{span{at, at}, lineEnd(p.Source) + line}
	}
	return edit{span{at, at}, line + lineEnd(p.Source)}
}

// withoutLine removes a line. The last one of a text without a final newline
// takes the line end before it with it.
func withoutLine(text []byte, line span) edit {
	if line.to == len(text) && text[line.to-1] != '\n' {
		before := bytes.TrimSuffix(text[:line.from], []byte("\n"))
		line.from = len(bytes.TrimRight(before, "\r"))
	}
	return edit{line, ""}
}

// indent is that of the step's nested bullets, or the least that is inside it.
func (p *Plan) indent(s *Step, d *document) string {
	if len(s.spans.fields) > 0 {
		return p.indentOf(d, s.spans.fields[0])
	}
	return strings.Repeat(" ", s.spans.box-1-s.spans.item.from)
}

// indentOf is what stands before the bullet of a text at an offset.
func (p *Plan) indentOf(d *document, at int) string {
	line := string(p.Source[d.lineStart(at):at])
	return line[:len(line)-len(strings.TrimLeft(line, " \t"))]
}

// FillIDs writes an id behind the first line of every step that has none. An id
// that is written is never changed.
func FillIDs(src []byte) ([]byte, error) {
	p, err := Parse(src)
	if err != nil {
		return nil, err
	}
	var edits []edit
	for _, s := range p.Steps {
		if !s.spans.written {
			edits = append(edits, edit{span{s.spans.title, s.spans.title}, " {#" + s.ID + "}"})
		}
	}
	return splice(src, edits...), nil
}

// title is a step's title as it is written, without its id.
func (p *Plan) heading(s *Step) string {
	_, text, _ := cutBox(string(p.Source[s.spans.box-1 : s.spans.title]))
	title, _, _ := cutID(text)
	return title
}
