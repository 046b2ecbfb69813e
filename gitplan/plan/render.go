package plan

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// FindStep parses a text and finds one of its steps by id or number.
func FindStep(src []byte, id string) (*Plan, *Step, error) {
	p, err := Parse(src)
	if err != nil {
		return nil, nil, err
	}
	s, ok := p.Step(id)
	if !ok {
		return nil, nil, fmt.Errorf("%w: %s", fault.ErrUnknownStep, id)
	}
	return p, s, nil
}

// Tick sets the box of a step and the boxes of its checklist.
func Tick(src []byte, id string, done bool) ([]byte, error) {
	p, s, err := FindStep(src, id)
	if err != nil {
		return nil, err
	}
	return p.Ticked(func(t *Step) bool { return t.Box && t != s || done && t == s }).Source, nil
}

// Ticked returns the plan with the boxes of done steps and their checklists ticked, and the others open.
func (p *Plan) Ticked(done func(s *Step) bool) *Plan {
	text := bytes.Clone(p.Source)
	for i := range p.Steps {
		s := &p.Steps[i]
		box := done(s)
		for _, at := range append([]int{s.At.Box}, s.At.Boxes...) {
			if ticked := text[at] != ' '; s.Box != box && ticked != box {
				text[at] = map[bool]byte{true: 'x', false: ' '}[box]
			}
		}
	}
	q, err := Parse(text)
	if err != nil || bytes.Equal(text, p.Source) {
		return p
	}
	q.ID = p.ID
	return q
}

// SetStatus writes the bullet Status of a step in one line, or removes it if the word is empty.
func SetStatus(src []byte, id string, st StepStatus) ([]byte, error) {
	p, s, err := FindStep(src, id)
	if err != nil {
		return nil, err
	}
	st.Reason = strings.Join(strings.Fields(strings.ToValidUTF8(strings.ReplaceAll(st.Reason, "\x00", ""), "")), " ")
	if st.Word == "" {
		if s.Status.Word == "" {
			return src, nil
		}
		return p.accept(s, StepStatus{}, Splice(src, withoutLine(src, s.At.Status)))
	}
	text := st.Word
	if st.Reason != "" {
		text += " - " + st.Reason
	}
	st, ok := parseStatus(text) // a reason that begins with a dash loses it
	if !ok {
		return nil, fmt.Errorf("step %s: %q is not one of blocked, skipped, reopened", s.ID, st.Word)
	}
	text = "Status: " + text
	if s.Status.Word != "" {
		line := string(src[s.At.Status.From:s.At.Status.To])
		old := oldStatus().FindString(line)
		return p.accept(s, st, Splice(src, s.At.Status.With(old+text+line[len(strings.TrimRight(line, "\r\n")):])))
	}
	d := NewDocument(src)
	text = p.indent(s, d) + "- " + text
	out, err := p.accept(s, st, Splice(src, p.lineAt(s.At.Head, text)))
	if err != nil { // there it changes what another line means
		out, err = p.accept(s, st, Splice(src, p.lineAt(p.stepEnd(s, d), text)))
	}
	return out, err
}

// oldStatus matches what stands before the word Status in its line.
var oldStatus = visible.NewPattern(`^[ \t]*\S+[ \t]`)

func (p *Plan) stepEnd(s *Step, d *Document) int {
	last := s.At.Item.From + len(strings.TrimRight(string(p.Source[s.At.Item.From:s.At.Item.To]), " \t\r\n"))
	return d.NextLine(max(last-1, 0))
}

// accept returns a changed text if it has the intended meaning and no other meaning changed.
func (p *Plan) accept(s *Step, st StepStatus, out []byte) ([]byte, error) {
	q, err := Parse(out)
	if err != nil {
		return nil, err
	}
	changed, ok := q.Step(s.ID)
	if !ok || changed.Status != st || !bytes.Equal(q.Meaning(), p.Meaning()) {
		return nil, fmt.Errorf("step %s: no place for a Status line among the lines of its text", s.ID)
	}
	return out, nil
}

// lineAt inserts a line at an offset; at the end of a text without a final newline, it has none either.
func (p *Plan) lineAt(at int, line string) Edit {
	if at > 0 && p.Source[at-1] != '\n' {
		return Span{From: at, To: at}.With(LineEnd(p.Source) + line)
	}
	return Span{From: at, To: at}.With(line + LineEnd(p.Source))
}

// indent returns the indentation of the step's nested bullets, or the least that nests.
func (p *Plan) indent(s *Step, d *Document) string {
	if len(s.At.fields) > 0 {
		at := s.At.fields[0]
		line := string(p.Source[d.LineStart(at):at])
		return line[:len(line)-len(strings.TrimLeft(line, " \t"))]
	}
	return strings.Repeat(" ", s.At.Box-1-s.At.Item.From)
}

// FillIDs writes an id at the end of the first line of each step without one.
func FillIDs(src []byte) ([]byte, error) {
	p, err := Parse(src)
	if err != nil {
		return nil, err
	}
	var edits []Edit
	for _, s := range p.Steps {
		if !s.At.named {
			edits = append(edits, Span{From: s.At.title, To: s.At.title}.With(" {#"+s.ID+"}"))
		}
	}
	return Splice(src, edits...), nil
}

// WrittenTitle returns the title of a step as written, without its id.
func (p *Plan) WrittenTitle(s *Step) string {
	_, text, _ := CutBox(string(p.Source[s.At.Box-1 : s.At.title]))
	title, _, _ := CutID(text)
	return title
}

// AddAnswer adds a question and its answer, in one line each, to the end of a step, and changes nothing else.
func AddAnswer(src []byte, id, question, answer string) ([]byte, error) {
	p, s, err := FindStep(src, id)
	if err != nil {
		return nil, err
	}
	d := NewDocument(p.Source)
	indent := p.indent(s, d)
	lines := indent + "- Answer: " + answer
	if question != "" {
		lines = indent + "- Question: " + question + LineEnd(src) + lines
	}
	out := Splice(p.Source, p.lineAt(p.stepEnd(s, d), lines))
	q, now, err := FindStep(out, s.ID)
	if err != nil {
		return nil, err
	}
	if now.Run != s.Run || len(now.Checks) != len(s.Checks) || len(now.Files) != len(s.Files) || len(q.Steps) != len(p.Steps) ||
		!strings.Contains(now.Approved(), "- Answer: "+answer) {
		return nil, fmt.Errorf("step %s: no place for an answer at the end of its text; write it there yourself: git plan edit %[1]s", s.ID)
	}
	return out, nil
}
