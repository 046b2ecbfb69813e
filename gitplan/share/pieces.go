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
	Text string     // what is compared: lines end in LF, boxes are open, without Status
	Raw  string     // the same as it is written
	Step *plan.Step // nil for anything but a step
}

// Outline is a plan's text as pieces, and the blank lines between them, so that
// the text can be put together again to the byte.
type Outline struct {
	Plan        *plan.Plan // of the text with LF line ends, and with an id for each step
	Front, Body []Piece
	Named       map[string]Piece
	Gaps        map[[2]string]string // between neighbours, by name; the ends have no name
}

// Outlined splits a plan's text into pieces. Line ends and a byte order mark belong to no
// piece.
func Outlined(src []byte) (*Outline, error) {
	src, err := plan.FillIDs([]byte(plan.ToLF(string(bytes.TrimPrefix(src, []byte("\ufeff"))))))
	if err != nil {
		return nil, err
	}
	p, err := plan.Parse(src)
	if err != nil {
		return nil, err
	}
	o := &Outline{Plan: p, Named: map[string]Piece{}, Gaps: map[[2]string]string{}}
	d := plan.NewDocument(src)
	d.ReadBlocks(p.FrontMatter.Body)
	front := o.reader(d, p.FrontMatter.Inner.From)
	front.add("the head of the front matter", p.FrontMatter.FirstKey())
	for i, k := range p.FrontMatter.Keys {
		to := p.FrontMatter.Inner.To
		if i+1 < len(p.FrontMatter.Keys) {
			to = p.FrontMatter.Keys[i+1].Lines.From
		}
		front.add(k.Name+" in the front matter", to)
	}
	o.Front = front.end()
	body := o.reader(d, p.FrontMatter.Body)
	body.readParts(p, d.Parts())
	o.Body = body.end()
	for _, p := range slices.Concat(o.Front, o.Body) {
		o.Named[p.Name] = p
	}
	return o, nil
}

// pieceReader cuts one piece after the other off a text.
type pieceReader struct {
	into   *Outline
	d      *plan.Document
	at     int // where the next piece starts, with blank lines before it
	ended  int // where the last one ended, without blank lines after it
	last   string
	taken  map[string]int
	pieces []Piece
}

func (o *Outline) reader(d *plan.Document, from int) *pieceReader {
	return &pieceReader{into: o, d: d, at: from, ended: from, taken: map[string]int{}}
}

// add makes a piece of the text up to an offset, unless there is nothing but blank lines.
func (r *pieceReader) add(name string, to int) {
	raw := r.d.Between(r.at, to)
	if raw != "" {
		if r.taken[name]++; r.taken[name] > 1 {
			name = fmt.Sprintf("%s (%d)", name, r.taken[name])
		}
		from := r.at + strings.Index(r.d.Src[r.at:to], raw)
		r.into.Gaps[[2]string{r.last, name}] = r.d.Src[r.ended:from]
		r.pieces = append(r.pieces, Piece{Name: name, Text: raw, Raw: raw})
		r.last, r.ended = name, from+len(raw)
	}
	r.at = max(r.at, to)
}

func (r *pieceReader) end() []Piece {
	r.into.Gaps[[2]string{r.last, ""}] = r.d.Src[r.ended:r.at]
	return r.pieces
}

func (r *pieceReader) readParts(p *plan.Plan, parts []plan.Part) {
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
				r.addStep(&steps[0])
				steps = steps[1:]
			}
			r.add("text in "+section, part.To)
		default:
			r.add(section, part.To)
		}
	}
}

func (r *pieceReader) addStep(s *plan.Step) {
	r.add("step "+s.ID, s.At.Item.To)
	own := &r.pieces[len(r.pieces)-1]
	own.Step = s
	own.Text = strings.TrimRight(s.Approved(), " \t\r\n")
}

// spacing returns the blank lines between two neighbours; usual is what most have.
type spacing func(before, after Piece, usual string) string

// join puts pieces together.
func join(pieces []Piece, usual string, between spacing) string {
	var b strings.Builder
	last := Piece{}
	for _, p := range pieces {
		b.WriteString(between(last, p, usual) + p.Raw)
		last = p
	}
	b.WriteString(between(last, Piece{}, usual))
	return b.String()
}

// Together returns a text of these pieces. The fences of the front matter are three dashes.
func Together(front, body []Piece, between spacing) string {
	text := join(body, "\n\n", between)
	if len(front) == 0 {
		return text
	}
	return "---\n" + join(front, "\n", between) + "---\n" + text
}

// Text returns the text of an outline as it was, with LF line ends.
func (o *Outline) Text() string {
	return Together(o.Front, o.Body, func(a, b Piece, _ string) string { return o.Gaps[[2]string{a.Name, b.Name}] })
}
