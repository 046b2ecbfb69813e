package plan

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
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
func (p *Plan) Digest() string {
	sum := sha256.Sum256(p.Meaning())
	return hex.EncodeToString(sum[:])
}

// Meaning returns what approval covers of the plan; see the function Meaning.
func (p *Plan) Meaning() []byte {
	return []byte(ToLF(string(Splice(p.Source, p.meaningEdits()...))))
}

// meaningEdits takes out what approval does not cover.
func (p *Plan) meaningEdits() []Edit {
	edits := p.frontEdits()
	for i := range p.Steps {
		edits = append(edits, p.Steps[i].edits(p.Source, 0)...)
	}
	return edits
}

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

func (p *Plan) frontEdits() []Edit {
	f := p.FrontMatter
	if f.Body == f.Begin {
		return nil
	}
	var edits, inside []Edit
	for _, k := range f.Keys {
		if k.Name == "plan" || k.Name == "branch" {
			edits = append(edits, k.Lines.With(""))
			inside = append(inside, Span{From: k.Lines.From - f.Inner.From, To: k.Lines.To - f.Inner.From}.With(""))
		}
	}
	if len(bytes.TrimSpace(Splice(p.Source[f.Inner.From:f.Inner.To], inside...))) > 0 {
		return edits
	}
	to := f.Body + len(p.Source[f.Body:]) - len(withoutBlankLine(p.Source[f.Body:]))
	if next, problem := ReadFront(p.Source[to:]); problem != nil || next.Body > 0 {
		return edits // what comes next would be taken for front matter, or its BOM for one
	}
	return []Edit{Span{From: f.Begin, To: to}.With("")}
}

func withoutBlankLine(text []byte) []byte {
	if rest, ok := bytes.CutPrefix(bytes.TrimLeft(text, "\r"), []byte("\n")); ok {
		return rest
	}
	return text
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
