package share

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/git-plan/git-plan/gitplan/plan"
)

// Piece is one part of a plan's text that is merged as a whole.
type Piece struct {
	Name  string     // a unique name for people: "step hello", "section rules"
	Text  string     // the text to compare, with open boxes and without Status
	Raw   string     // the text as written
	Lead  string     // the blank lines before it, with the end of the line above
	Front bool       // the piece is part of the front matter, including its marks
	Step  *plan.Step // nil for other pieces than steps
}

// Outline is a plan's text as pieces, which together are the text to the byte.
type Outline struct {
	Plan   *plan.Plan // the plan, parsed with LF line ends and an ID for each step
	Pieces []Piece
	Named  map[string]Piece // the pieces by Name
	Tail   string           // the blank lines after the last piece
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
	d := plan.NewDocument(src).ReadBlocks(p.FrontMatter.Body)
	r := &pieceReader{d: d, front: true, taken: map[string]int{}}
	r.add("the first line of the front matter", p.FrontMatter.Inner.From)
	for i, k := range p.FrontMatter.Keys {
		to := p.FrontMatter.Inner.To
		if i+1 < len(p.FrontMatter.Keys) {
			to = p.FrontMatter.Keys[i+1].Lines.From
		}
		r.add(k.Name+" in the front matter", to)
	}
	r.add("the last line of the front matter", p.FrontMatter.Body)
	r.front = false
	r.addParts(p, d.Parts(2))
	o := &Outline{Plan: p, Pieces: r.pieces, Named: map[string]Piece{}, Tail: d.Src[r.ended:r.at]}
	for _, p := range o.Pieces {
		o.Named[p.Name] = p
	}
	return o, nil
}

// pieceReader cuts one piece after the other off a text.
type pieceReader struct {
	d      *plan.Document
	at     int // the start of the next piece, with blank lines before it
	ended  int // the end of the last piece, without blank lines after it
	front  bool
	taken  map[string]int // name -> how many pieces have it
	pieces []Piece
}

// add makes a piece of the text up to an offset, unless it is blank.
func (r *pieceReader) add(name string, to int) {
	if raw := r.d.Between(r.at, to); raw != "" {
		if r.taken[name]++; r.taken[name] > 1 {
			name = fmt.Sprintf("%s (%d)", name, r.taken[name])
		}
		from := r.at + strings.Index(r.d.Src[r.at:to], raw)
		r.pieces = append(r.pieces, Piece{Name: name, Text: raw, Raw: raw, Lead: r.d.Src[r.ended:from], Front: r.front})
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
	for i, p := range o.Pieces {
		if i > 0 && !strings.Contains(p.Lead, "\n") {
			p.Lead = "\n\n"
		}
		b.WriteString(p.Lead + p.Raw)
	}
	return b.String() + o.Tail
}
