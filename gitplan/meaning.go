package gitplan

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
)

// Meaning is what approval covers of a plan's text: LF line ends, all boxes of
// steps and of their checklists open, without the Status bullets of steps and
// without the lines plan: and branch: of the front matter. Front matter of
// which nothing is left, and the blank line behind it, is left out.
//
// Two texts with the same meaning make the program do the same. Only what the
// parser takes for a box or a Status bullet is changed; Parse refuses a text in
// which such a line decides what other lines are (see checkStatusLines); and a
// text that is no plan means itself.
func Meaning(src []byte) []byte {
	p, err := Parse(src)
	if err != nil {
		return []byte(toLF(string(src)))
	}
	return p.meaning()
}

// Digest is the SHA-256 of the meaning, in hex.
func (p *Plan) Digest() string {
	sum := sha256.Sum256(p.meaning())
	return hex.EncodeToString(sum[:])
}

func (p *Plan) meaning() []byte {
	edits := p.frontEdits()
	for i := range p.Steps {
		edits = append(edits, p.stepEdits(&p.Steps[i])...)
	}
	return []byte(toLF(string(splice(p.Source, edits...))))
}

func (p *Plan) stepEdits(s *Step) []edit {
	edits := []edit{{span{s.spans.box, s.spans.box + 1}, " "}}
	for _, box := range s.spans.boxes {
		edits = append(edits, edit{span{box, box + 1}, " "})
	}
	if s.Status.Word != "" {
		edits = append(edits, withoutLine(p.Source, s.spans.status))
	}
	return edits
}

func (p *Plan) frontEdits() []edit {
	f := p.front
	if f.body == f.begin {
		return nil
	}
	var edits, inside []edit
	for _, k := range f.keys {
		if k.name == "plan" || k.name == "branch" {
			edits = append(edits, edit{k.lines, ""})
			inside = append(inside, edit{span{k.lines.from - f.inner.from, k.lines.to - f.inner.from}, ""})
		}
	}
	if len(bytes.TrimSpace(splice(p.Source[f.inner.from:f.inner.to], inside...))) > 0 {
		return edits
	}
	to := f.body + len(p.Source[f.body:]) - len(withoutBlankLine(p.Source[f.body:]))
	if next, problem := readFront(p.Source[to:]); problem != nil || next.body > 0 {
		return edits // what comes next would be taken for front matter, or its BOM for one
	}
	return []edit{{span{f.begin, to}, ""}}
}

func withoutBlankLine(text []byte) []byte {
	if rest, ok := bytes.CutPrefix(bytes.TrimLeft(text, "\r"), []byte("\n")); ok {
		return rest
	}
	return text
}

// Approved is the text of a step as approval covers it: boxes open, without the
// Status bullet. A session is told this and not Text, so that nothing reaches it
// which nobody approved.
func (s *Step) Approved() string {
	at := s.spans.item.from
	edits := []edit{{span{s.spans.box - at, s.spans.box + 1 - at}, " "}}
	for _, box := range s.spans.boxes {
		edits = append(edits, edit{span{box - at, box + 1 - at}, " "})
	}
	if s.Status.Word != "" {
		line := span{s.spans.status.from - at, min(s.spans.status.to-at, len(s.Text))}
		edits = append(edits, withoutLine([]byte(s.Text), line))
	}
	return string(splice([]byte(s.Text), edits...))
}
