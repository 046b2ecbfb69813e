package share

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/plan"
)

// Piece is one part of a plan's text that is merged as a whole.
type Piece struct {
	Name string     // unique in its plan, and for people: "step hello", "section rules"
	Text string     // the text to compare: boxes are open, without Status
	Raw  string     // the same as written
	Lead string     // the blank lines before it, with the end of the line above
	Step *plan.Step // nil for anything but a step
}

// Outline is a plan's text as pieces, which joined are the text to the byte.
type Outline struct {
	Plan            *plan.Plan // of the text with LF line ends, and with an id for each step
	Front, Body     []Piece
	Named           map[string]Piece
	FrontTail, Tail string // the blank lines after the last piece
}

// Outlined splits a plan's text into pieces. Line ends and a byte order mark belong to no piece.
func Outlined(src []byte) (*Outline, error) {
	src, err := plan.FillIDs([]byte(plan.ToLF(string(bytes.TrimPrefix(src, []byte("\ufeff"))))))
	if err != nil {
		return nil, err
	}
	p, err := plan.Parse(src)
	if err != nil {
		return nil, err
	}
	o := &Outline{Plan: p, Named: map[string]Piece{}}
	d := plan.NewDocument(src)
	d.ReadBlocks(p.FrontMatter.Body)
	front := newPieceReader(d, p.FrontMatter.Inner.From)
	front.add("the head of the front matter", p.FrontMatter.FirstKey())
	for i, k := range p.FrontMatter.Keys {
		to := p.FrontMatter.Inner.To
		if i+1 < len(p.FrontMatter.Keys) {
			to = p.FrontMatter.Keys[i+1].Lines.From
		}
		front.add(k.Name+" in the front matter", to)
	}
	body := newPieceReader(d, p.FrontMatter.Body)
	body.addParts(p, d.Parts(2))
	o.Front, o.FrontTail = front.pieces, d.Src[front.ended:front.at]
	o.Body, o.Tail = body.pieces, d.Src[body.ended:body.at]
	for _, p := range slices.Concat(o.Front, o.Body) {
		o.Named[p.Name] = p
	}
	return o, nil
}

// pieceReader cuts one piece after the other off a text.
type pieceReader struct {
	d      *plan.Document
	at     int // where the next piece starts, with blank lines before it
	ended  int // where the last one ended, without blank lines after it
	taken  map[string]int
	pieces []Piece
}

func newPieceReader(d *plan.Document, from int) *pieceReader {
	return &pieceReader{d: d, at: from, ended: from, taken: map[string]int{}}
}

// add makes a piece of the text up to an offset, unless it is blank.
func (r *pieceReader) add(name string, to int) {
	if raw := r.d.Between(r.at, to); raw != "" {
		if r.taken[name]++; r.taken[name] > 1 {
			name = fmt.Sprintf("%s (%d)", name, r.taken[name])
		}
		from := r.at + strings.Index(r.d.Src[r.at:to], raw)
		r.pieces = append(r.pieces, Piece{Name: name, Text: raw, Raw: raw, Lead: r.d.Src[r.ended:from]})
		r.ended = from + len(raw)
	}
	r.at = max(r.at, to)
}

func (r *pieceReader) addParts(p *plan.Plan, parts []plan.Part) {
	titled := false
	steps := p.Steps
	for _, part := range parts {
		r.add("the text above the title", r.d.Lines[part.Line-1])
		section := "section " + plan.Normalize(part.Title)
		switch {
		case part.Level == 1 && !titled:
			titled = true
			r.add("the title", part.From)
			r.add("the summary", part.To)
		case part.Level == 2 && plan.SectionMeaning(part.Title) == "steps":
			r.add("heading "+plan.Normalize(part.Title), part.From)
			for len(steps) > 0 && steps[0].At.Item.From < part.To {
				r.add("text in "+section, steps[0].At.Item.From)
				r.add("step "+steps[0].ID, steps[0].At.Item.To)
				own := &r.pieces[len(r.pieces)-1]
				own.Step, own.Text = &steps[0], strings.TrimRight(steps[0].Approved(), " \t\r\n")
				steps = steps[1:]
			}
			r.add("text in "+section, part.To)
		default:
			r.add(section, part.To)
		}
	}
}

// Text returns the joined pieces. A piece that was first somewhere else gets blank lines before it.
func (o *Outline) Text() string {
	var b strings.Builder
	join := func(pieces []Piece, usual, tail string) {
		for i, p := range pieces {
			if i > 0 && !strings.Contains(p.Lead, "\n") {
				p.Lead = usual
			}
			b.WriteString(p.Lead + p.Raw)
		}
		b.WriteString(tail)
	}
	if len(o.Front) > 0 {
		b.WriteString("---\n")
		front := slices.Clone(o.Front)
		front[0].Lead = strings.TrimPrefix(front[0].Lead, "\n") // of a key that was not the first
		join(front, "\n", o.FrontTail)
		b.WriteString("---\n")
	}
	join(o.Body, "\n\n", o.Tail)
	return b.String()
}
