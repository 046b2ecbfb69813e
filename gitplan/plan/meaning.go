package plan

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/visible"
)

// Meaning returns the part of a plan's text that approval covers: with LF line ends, all boxes open, without Status
// bullets and the front matter's plan and branch. Two texts with the same meaning make the program do the same:
// Parse refuses a text in which a box or Status changes the meaning of others, and the meaning of an invalid plan is
// its whole text.
func Meaning(src []byte) []byte {
	p, err := Parse(src)
	if err != nil {
		return []byte(ToLF(string(src)))
	}
	return p.Meaning()
}

// Digest returns the SHA-256 of the meaning, in hex.
func (p *Plan) Digest() string { return fmt.Sprintf("%x", sha256.Sum256(p.Meaning())) }

// Meaning returns what approval covers of the plan; see the function Meaning.
func (p *Plan) Meaning() []byte { return []byte(ToLF(string(Splice(p.Source, p.meaningEdits()...)))) }

// edits takes out what approval does not cover from a text that begins at an offset of the source.
func (s *Step) edits(text []byte, at int) (out []Edit) {
	for _, box := range append([]int{s.At.Box}, s.At.Boxes...) {
		out = append(out, Span{From: box - at, To: box + 1 - at}.With(" "))
	}
	if s.Status.Word != "" {
		out = append(out, withoutLine(text, Span{From: s.At.Status.From - at, To: min(s.At.Status.To-at, len(text))}))
	}
	return out
}

// meaningEdits takes out what approval does not cover; front matter that would be left empty goes as a whole.
func (p *Plan) meaningEdits() []Edit {
	var steps, front []Edit
	for i := range p.Steps {
		steps = append(steps, p.Steps[i].edits(p.Source, 0)...)
	}
	f := p.FrontMatter
	for _, k := range f.Keys {
		if k.Name == "plan" || k.Name == "branch" {
			front = append(front, k.Lines.With(""))
		}
	}
	empty := f.Body > f.Begin && len(bytes.TrimSpace(Splice(p.Source[:f.Inner.To], front...)[f.Inner.From:])) == 0
	to := f.Body
	if rest, blank := bytes.CutPrefix(bytes.TrimLeft(p.Source[to:], "\r"), []byte("\n")); blank {
		to = len(p.Source) - len(rest)
	}
	// The following text must not become front matter, nor its BOM the text's.
	if next, problem := ReadFront(p.Source[to:]); empty && problem == nil && next.Body == 0 {
		front = []Edit{Span{From: f.Begin, To: to}.With("")}
	}
	return append(front, steps...)
}

// Approved returns the text of a step as approval covers it, which is all that sessions read.
func (s *Step) Approved() string {
	return string(Splice([]byte(s.Text), s.edits([]byte(s.Text), s.At.Item.From)...))
}

// withoutLine removes a line; the last one without a newline takes the line end before it along.
func withoutLine(text []byte, line Span) Edit {
	if line.To == len(text) && text[line.To-1] != '\n' {
		before := bytes.TrimSuffix(text[:line.From], []byte("\n"))
		line.From = len(bytes.TrimRight(before, "\r"))
	}
	return line.With("")
}

// Unapproved is what makes the program, or a session, do something else than the text that was approved last.
// Context, estimates and the titles of steps that say below them what to do may change at any time.
type Unapproved struct {
	Whole string   // a part that every step depends on, such as "Rules"; "" if none changed
	Steps []string // ids of steps that changed, or are new: only these wait
	Gone  []string // ids of steps that the plan has no longer
}

// None reports whether there is nothing to approve.
func (u Unapproved) None() bool { return u.Whole == "" && len(u.Steps)+len(u.Gone) == 0 }

// WaitsFor reports whether a step may not run before a person has approved something.
func (u Unapproved) WaitsFor(step string) bool {
	return u.Whole != "" || slices.Contains(u.Steps, step)
}

// NotApproved compares a plan with the one that was approved last.
func NotApproved(now, approved *Plan) (u Unapproved) {
	if now.Base != approved.Base {
		u.Whole = "base"
	}
	for _, part := range []string{"goal", "bounds", "decisions", "requirements", "rules", "checks",
		"verification", "prerequisites"} {
		if now.meaningOf(part) != approved.meaningOf(part) {
			u.Whole = strings.ToUpper(part[:1]) + part[1:]
			break
		}
	}
	for i := range now.Steps {
		s := &now.Steps[i]
		if was, ok := approved.Step(s.ID); !ok || !s.sameWork(was) {
			u.Steps = append(u.Steps, s.ID)
		}
	}
	for i := range approved.Steps {
		id := approved.Steps[i].ID
		if s, ok := now.Step(id); !ok || s.ID != id {
			u.Gone = append(u.Gone, id)
		}
	}
	return u
}

// meaningOf returns what the sections of one meaning say.
func (p *Plan) meaningOf(part string) string {
	var out []string
	for _, s := range p.Sections {
		if s.meaning == part {
			out = append(out, strings.TrimSpace(strings.ReplaceAll(s.Body, "\r\n", "\n")))
		}
	}
	return strings.Join(out, "\n\n")
}

// sameWork reports whether two texts of a step ask for the same work, by the same agent, with the same checks.
func (s *Step) sameWork(t *Step) bool {
	same := func(a, b Check) bool { return a.Text == b.Text && a.Command == b.Command }
	return s.ID == t.ID && s.Run == t.Run && s.Action == t.Action && s.Ask == t.Ask && s.Doubt == t.Doubt &&
		s.Agent == t.Agent && s.Model == t.Model && s.Effort == t.Effort && s.Timeout == t.Timeout && s.Attempts == t.Attempts &&
		slices.Equal(s.Files, t.Files) && slices.Equal(s.Creates, t.Creates) &&
		slices.Equal(s.Needs, t.Needs) && slices.EqualFunc(s.Checks, t.Checks, same) &&
		s.Do == t.Do && s.instructions() == t.instructions() &&
		(s.Do != "" || s.Title == t.Title) // a step that says nothing else is done by its title
}

// onlyNoted are the fields that do not change what is done.
var onlyNoted = visible.NewPattern(`(?im)^[ \t]*[-*+][ \t]+[*_]*(estimate|for)[*_]*:[^\n]*\n?`)

// instructions returns what a step says below its title, without those fields.
func (s *Step) instructions() string {
	text := s.Approved()
	text = text[min(max(s.At.Head-s.At.Item.From, 0), len(text)):]
	return strings.TrimSpace(onlyNoted().ReplaceAllString(strings.ReplaceAll(text, "\r\n", "\n"), ""))
}
