package form

import (
	"strings"

	"github.com/yuin/goldmark/ast"

	"github.com/git-plan/git-plan/gitplan/plan"
)

// outline is a Markdown text in another form, split by its headings.
type outline struct {
	*source
	segments []segment
	taken    []bool       // lines that became part of a step
	said     map[int]bool // segments whose headings are in the steps' field For
}

// segment is a heading of any level and what is under it down to the next; the first has no heading.
type segment struct {
	level      int
	text       string
	head       int // the heading's line
	line, to   int // the lines under it, from one to before another
	first, end ast.Node
	part       int // the segment with the level-1 or level-2 heading it is under

	means    string        // the meaning of a level-2 section
	serves   string        // what the steps under it serve
	numbered plan.Numbered // if the heading may be that of a step
	items    []item        // the boxes of its lists that are in no other boxed item
}

// longestServed bounds a heading that its steps repeat in their field For, in bytes.
const longestServed = 200

// item is a boxed item and what its text begins with.
type item struct {
	node     ast.Node
	box      int // offset of the "["
	line, to int
	text     string // after the box, on its line
	number   string // T001, 1.1, 3; or nothing
}

func newOutline(src []byte, body int) *outline {
	f := &outline{source: newSource("", src, body)}
	f.taken = make([]bool, len(f.Document.Lines)+2)
	f.said = map[int]bool{}
	first := f.Document.Line(min(body, max(len(src)-1, 0)))
	f.segments = []segment{{line: first, first: f.Document.Root.FirstChild()}}
	part := 0
	for n := f.Document.Root.FirstChild(); n != nil; n = n.NextSibling() {
		h, ok := n.(*ast.Heading)
		if !ok {
			continue
		}
		head := f.Document.Line(h.Pos())
		last := &f.segments[len(f.segments)-1]
		last.to, last.end = head, n
		if h.Level <= 2 {
			part = len(f.segments)
		}
		s := segment{level: h.Level, text: f.Document.Paragraph(h), head: head, first: n.NextSibling(), part: part}
		if end := f.Document.HeadingEnd(h); end < len(f.Document.Src) {
			s.line = f.Document.Line(end)
		} else {
			s.line = len(f.Document.Lines) + 1
		}
		f.segments = append(f.segments, s)
	}
	f.segments[len(f.segments)-1].to = len(f.Document.Lines) + 1
	for i := range f.segments {
		s := &f.segments[i]
		s.numbered = plan.NumberOf(s.text)
		if text := plan.Stable(s.text); len(text) <= longestServed {
			s.serves = text
		}
		if s.level == 2 { // once: many may stand under a long heading
			s.means = plan.SectionMeaning(plan.PlainText(s.text))
		}
		for n := s.first; n != nil && n != s.end; n = n.NextSibling() {
			if list, ok := n.(*ast.List); ok {
				f.findItems(s, list)
			}
		}
	}
	return f
}

// findItems finds the boxes in a list, and in its items without a box that only group others.
func (f *outline) findItems(s *segment, list *ast.List) {
	for n := list.FirstChild(); n != nil; n = n.NextSibling() {
		if box, text, ok := f.Document.Boxed(n); ok {
			i := item{node: n, box: box, text: text.Text, line: f.Document.Line(n.Pos()), to: f.lineAfter(n)}
			i.number, _ = plan.CutNumber(plan.PlainText(text.Text))
			s.items = append(s.items, i)
			continue
		}
		for c := n.FirstChild(); c != nil; c = c.NextSibling() {
			if nested, ok := c.(*ast.List); ok {
				f.findItems(s, nested)
			}
		}
	}
}

// take notes that a step took some lines.
func (f *outline) take(from, to int) {
	for n := from; n < to; n++ {
		f.taken[n] = true
	}
}

// rest returns the lines that no step took.
func (f *outline) rest(from, to int) lines {
	var out lines
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

// spread puts what no step took into the title and the sections, and the steps where the first of them was.
func (f *outline) spread(d *draft, firstStep int) {
	placed := false
	titled := false
	for i, s := range f.segments {
		if i > 0 && s.part != i || s.level > 0 && f.taken[s.head] {
			continue
		}
		to := len(f.Document.Lines) + 1
		for _, next := range f.segments[i+1:] {
			if next.level <= 2 {
				to = next.head
				break
			}
		}
		if !placed && firstStep < to {
			placed, d.at = true, len(d.sections)
		}
		body := f.rest(s.line, to)
		switch {
		case i == 0:
			d.summary = body
		case s.level == 1 && !titled:
			titled, d.title = true, s.text
			d.summary = joinLines(d.summary, body)
		case len(body) > 0 || !f.said[i] && !(f.meaning(&f.segments[i]) == "steps" && f.anyTaken(s.line, to)):
			d.sections = append(d.sections, draftSection{s.level, s.text, body})
		}
	}
	if !placed {
		d.at = len(d.sections)
	}
}

func (f *outline) anyTaken(from, to int) bool {
	for n := from; n < to; n++ {
		if f.taken[n] {
			return true
		}
	}
	return false
}

// meaning returns that of the level-2 section that a segment is in.
func (f *outline) meaning(s *segment) string {
	return f.segments[s.part].means
}

// source returns the lines of a document in the form that texts of a draft have.
type source struct {
	Document *plan.Document
	file     string
	fenced   []bool // lines of code in fences, where a tab is kept
}

func newSource(file string, src []byte, body int) *source {
	s := &source{Document: plan.NewDocument(src), file: file}
	s.Document.ReadBlocks(body)
	s.fenced = make([]bool, len(s.Document.Lines)+1)
	_ = ast.Walk(s.Document.Root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if fence, ok := n.(*ast.FencedCodeBlock); ok && entering && fence.Lines().Len() > 0 {
			for i := range fence.Lines().Len() {
				s.fenced[s.Document.Line(fence.Lines().At(i).Start)] = true
			}
		}
		return ast.WalkContinue, nil
	})
	return s
}

func (s *source) at(n int) Place { return Place{s.file, n} }

// raw returns a line without its end.
func (s *source) raw(n int) string {
	to := len(s.Document.Src)
	if n < len(s.Document.Lines) {
		to = s.Document.Lines[n]
	}
	return strings.TrimRight(s.Document.Src[s.Document.Lines[n-1]:to], "\r\n")
}

// linesBetween returns lines [from, to) without up to columns of indentation, in which tabs become blanks.
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

// below returns the text of a boxed item below the box's line. What continues that line's paragraph becomes
// one of its own, which must not begin another block.
func (s *source) below(box, to, columns int, goesOn bool) lines {
	out := s.linesBetween(box+1, to, columns)
	if !goesOn || len(out) == 0 {
		return out
	}
	text := strings.TrimLeft(out[0].text, " ")
	deep := len(out[0].text)-len(text) > 3 // if nothing begins a block
	digits := strings.TrimLeft(text, "0123456789")
	switch {
	case len(digits) < len(text) && digits != "" && (digits[0] == '.' || digits[0] == ')'):
		text = text[:len(text)-len(digits)] + `\` + digits
	case text[0] == '<', strings.ContainsRune("-+*", rune(text[0])) && plan.Blank(text[1:]), deep && beginsBlock(text):
		text = `\` + text
	}
	out[0].text = text
	return out
}

// beginsBlock reports whether a text begins a heading, quote, fence, bullet or line across.
func beginsBlock(text string) bool {
	for _, mark := range []string{"#", ">", "```", "~~~", "- ", "+ ", "* "} {
		if strings.HasPrefix(text, mark) {
			return true
		}
	}
	return strings.Trim(text, "-_* ") == ""
}

// dedent removes columns of blanks from the start of a line.
func dedent(text string, columns int, keepTabs bool) string {
	if plan.Blank(text) {
		return ""
	}
	const tab = 4
	column, i := 0, 0
	for ; text[i] == ' ' || text[i] == '\t'; i++ {
		if keepTabs && column >= columns {
			break
		}
		if column++; text[i] == '\t' {
			column = (column + tab - 1) / tab * tab
		}
	}
	return strings.Repeat(" ", max(column-columns, 0)) + text[i:]
}

// columnOf returns the column, from 0, of the text at an offset.
func (s *source) columnOf(offset int) int {
	const tab = 4
	column := 0
	for _, c := range []byte(s.Document.Text[s.Document.LineStart(offset):offset]) {
		if c == '\t' {
			column += tab - column%tab
		} else {
			column++
		}
	}
	return column
}

// lineAfter returns the number of the line after a block.
func (s *source) lineAfter(n ast.Node) int {
	if at := s.Document.End(n, len(s.Document.Src)); at < len(s.Document.Src) {
		return s.Document.Line(at)
	}
	return len(s.Document.Lines) + 1
}
