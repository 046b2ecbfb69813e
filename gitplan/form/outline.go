package form

import (
	"cmp"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"

	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// outline is a Markdown text in another format, split by its headings.
type outline struct {
	*source
	segments []*segment
	heads    []int        // the segments whose headings begin steps
	all      bool         // boxes in notes are steps, too
	taken    []bool       // for each line, whether it became part of a step
	first    int          // the first taken line; 0 without one
	said     map[int]bool // the segments whose headings are in the steps' field For
}

// segment is a heading of any level and the lines down to the next heading; the first has no heading.
type segment struct {
	level      int
	text       string
	head       int // the heading's line
	line, to   int // the lines [line, to) below the heading
	first, end ast.Node
	part       int // the segment of the level-1 or level-2 heading above

	means    string        // the meaning of a level-2 section; "notes" for any section of notes
	serves   string        // the field For of its steps
	numbered plan.Numbered // the number and title of a heading that may begin a step
	begins   bool          // the heading begins a step
	inStep   bool          // the heading, or one above it, begins a step
	items    []item        // the boxed items of its lists, except those nested in other boxed items
}

// longestServed bounds a heading that its steps repeat in their field For, in bytes.
const longestServed = 200

// item is a boxed item and the number at its beginning.
type item struct {
	node     ast.Node
	box      int // offset of the "["
	line, to int
	text     string // the text after the box, on the same line
	number   string // T001, 1.1, 3; or nothing
}

func newOutline(src []byte, body int) *outline {
	f := &outline{source: newSource("", src, body), said: map[int]bool{}}
	last := len(f.Document.Lines) + 1
	f.taken = make([]bool, last+1)
	f.segments = []*segment{{line: f.Document.Line(min(body, max(len(src)-1, 0))), to: last, first: f.Document.Root.FirstChild()}}
	part := 0
	for _, p := range f.Document.Parts(6) {
		above := f.segments[len(f.segments)-1]
		above.to, above.end = p.Line, p.Heading
		if p.Level <= 2 {
			part = len(f.segments)
		}
		s := &segment{level: p.Level, text: p.Text, head: p.Line, line: f.lineAt(p.From), to: last, first: p.First, part: part,
			numbered: plan.NumberOf(p.Text)}
		if text := plan.Stable(p.Text); len(text) <= longestServed {
			s.serves = text
		}
		if p.Level == 2 {
			s.means = plan.SectionMeaning(p.Title)
		}
		if p.Level > 1 && notesTitle().MatchString(plan.Normalize(p.Title)) {
			s.means = "notes"
		}
		f.segments = append(f.segments, s)
	}
	for _, s := range f.segments {
		for n := s.first; n != nil && n != s.end; n = n.NextSibling() {
			if n.Kind() == ast.KindList {
				f.findItems(s, plan.Items(n))
			}
		}
	}
	f.heads = f.stepHeadings()
	for _, at := range f.heads {
		f.segments[at].begins = true
		for last, i := f.lastOf(at), at; i <= last; i++ {
			f.segments[i].inStep = true
		}
	}
	return f
}

// findItems finds the boxes among items, and in items without a box that only group others.
func (f *outline) findItems(s *segment, items []ast.Node) {
	for _, n := range items {
		box, text, ok := f.Document.Boxed(n)
		if !ok {
			f.findItems(s, plan.Bullets(n))
			continue
		}
		i := item{node: n, box: box.From, text: text, line: f.Document.Line(n.Pos()),
			to: f.lineAt(f.Document.End(n, len(f.Document.Src)))}
		i.number, _ = plan.CutNumber(plan.PlainText(i.text))
		s.items = append(s.items, i)
	}
}

// take marks lines as part of a step.
func (f *outline) take(from, to int) {
	f.first = cmp.Or(f.first, from)
	for n := from; n < to; n++ {
		f.taken[n] = true
	}
}

// rest returns the lines that are part of no step.
func (f *outline) rest(from, to int) (out lines) {
	for n := from; n < to; n++ {
		switch {
		case !f.taken[n]:
			out = append(out, line{dedent(f.raw(n), 0, f.fenced[n]), f.at(n)})
		case n > from && !f.taken[n-1]:
			out = append(out, line{})
		}
	}
	return out.trimmed()
}

// spread puts the lines that are part of no step into the title and the sections, and the steps in the place of the
// first one. Text above the first section is the summary if it precedes the steps.
func (f *outline) spread(d *draft) {
	placed, titled, first := false, false, f.first
	first = cmp.Or(first, len(f.taken))
	for i, s := range f.segments {
		if i > 0 && s.part != i || s.level > 0 && f.taken[s.head] {
			continue
		}
		to := len(f.Document.Lines) + 1
		if next := slices.IndexFunc(f.segments[i+1:], func(s *segment) bool { return s.level <= 2 }); next >= 0 {
			to = f.segments[i+1+next].head
		}
		if !placed && first < to {
			placed, d.sections = true, append(d.sections, theSteps)
		}
		switch {
		case i == 0 || s.level == 1 && !titled:
			if i > 0 {
				titled, d.title = true, s.text
			}
			end := to
			if s.line <= first && first < to {
				end = first
			}
			d.summary = joinLines(d.summary, f.rest(s.line, end))
			if below := f.rest(end, to); len(below) > 0 {
				d.sections = append(d.sections, draftSection{level: 2, title: "Notes", body: below})
			}
		default:
			body := f.rest(s.line, to)
			if len(body) > 0 || !f.said[i] && !(s.means == "steps" && slices.Contains(f.taken[s.line:to], true)) {
				d.sections = append(d.sections, draftSection{level: s.level, title: s.text, body: body})
			}
		}
	}
	if !placed {
		d.sections = append(d.sections, theSteps)
	}
}

// meaning returns the meaning of the level-2 section around a segment; "notes" if its boxes are not steps.
func (f *outline) meaning(s *segment) string {
	part := f.segments[s.part].means
	switch is := s.means == "notes" || part == "notes" && s.numbered.Word != "task"; {
	case is && !f.all:
		return "notes"
	case is, part == "notes":
		return ""
	}
	return part
}

// maySteps reports whether boxes and headings of a segment may be steps.
func (f *outline) maySteps(s *segment) bool {
	m := f.meaning(s)
	return m == "" || m == "steps"
}

// source returns the lines of a document in the form of a draft's texts.
type source struct {
	Document *plan.Document
	file     string
	boxes    []int  // the offsets of the marks in all boxes
	fenced   []bool // lines of code in fences, where a tab is kept
}

func newSource(file string, src []byte, body int) *source {
	s := &source{Document: plan.NewDocument(src).ReadBlocks(body), file: file}
	s.fenced, s.boxes = s.Document.Fenced(), s.Document.Boxes(s.Document.Root)
	return s
}

func (s *source) at(n int) Place { return Place{s.file, n} }

// raw returns a line without its end.
func (s *source) raw(n int) string {
	from := s.Document.Lines[n-1]
	return strings.TrimRight(s.Document.Src[from:s.Document.NextLine(from)], "\r\n")
}

// linesBetween returns lines [from, to) without up to columns of indentation, with tabs turned into blanks.
func (s *source) linesBetween(from, to, columns int) lines {
	var out lines
	for n := from; n < to; n++ {
		text := dedent(s.raw(n), columns, s.fenced[n])
		if columns > 0 && strings.HasPrefix(s.raw(n), "=") && strings.Trim(text, "= ") == "" {
			text = `\` + text // left of its paragraph it is text, below it a heading's line
		}
		out = append(out, line{text, s.at(n)})
	}
	return out.trimmed()
}

// below returns the text of a boxed item below the box's line. The continuation of that line's paragraph becomes a
// paragraph of its own, which must not begin another block.
func (s *source) below(box, to, columns int, goesOn bool) lines {
	out := s.linesBetween(box+1, to, columns)
	if goesOn && len(out) > 0 {
		out[0].text = noBlock(strings.TrimLeft(out[0].text, " "))
	}
	return out
}

// noBlock puts a backslash into a line that would begin another block.
func noBlock(text string) string {
	if m := beginsBlock().FindStringSubmatchIndex(text); m != nil {
		at := max(m[3], 0)
		return text[:at] + `\` + text[at:]
	}
	return text
}

var beginsBlock = visible.NewPattern("^(?:(\\d+)[.)]|[#><=|]|```|~~|[-+*](?:[ \t]|$)|--|\\+\\+|(?:[-_*] ?){3,}$)")

// column returns the column behind a byte at one: a tab goes on to the next multiple of four.
func column(at int, c byte) int {
	if c == '\t' {
		return at + 4 - at%4
	}
	return at + 1
}

// dedent removes columns of blanks from the start of a line.
func dedent(text string, columns int, keepTabs bool) string {
	if plan.Blank(text) {
		return ""
	}
	at, i := 0, 0
	for ; (text[i] == ' ' || text[i] == '\t') && !(keepTabs && at >= columns); i++ {
		at = column(at, text[i])
	}
	return strings.Repeat(" ", max(at-columns, 0)) + text[i:]
}

// columnOf returns the column, from 0, of the text at an offset.
func (s *source) columnOf(offset int) int {
	at := 0
	for _, c := range []byte(s.Document.Text[s.Document.LineStart(offset):offset]) {
		at = column(at, c)
	}
	return at
}

// lineAt returns the number of the line with an offset, or the one after the last.
func (s *source) lineAt(offset int) int {
	if offset >= len(s.Document.Src) {
		return len(s.Document.Lines) + 1
	}
	return s.Document.Line(offset)
}
