package gitplan

import (
	"strings"
	"unicode"

	"github.com/yuin/goldmark/ast"
)

// foreign is a Markdown text in another form, as its headings part it.
type foreign struct {
	*source
	segments []segment
	taken    []bool       // lines that became part of a step
	said     map[int]bool // segments whose headings the steps say they serve
}

// segment is a heading of any level and what stands under it down to the next
// one. The first segment has no heading.
type segment struct {
	level      int
	text       string
	head       int // the heading's line
	line, to   int // the lines under it, from one to before another
	first, end ast.Node
	part       int // the segment with the level-1 or level-2 heading it stands under

	means    string   // the meaning of a level-2 section
	serves   string   // what the steps under it serve
	numbered numbered // where the heading may be that of a step
	items    []item   // the boxes of its lists that stand in no other boxed item
}

// item is a boxed item and what its text begins with.
type item struct {
	node     ast.Node
	box      int // offset of the "["
	line, to int
	text     string // behind the box, on its line
	number   string // T001, 1.1, 3; or nothing
}

func newForeign(src []byte, body int) *foreign {
	f := &foreign{source: newSource("", src, body)}
	f.taken = make([]bool, len(f.lines)+2)
	f.said = map[int]bool{}
	first := f.document.line(min(body, max(len(src)-1, 0)))
	f.segments = []segment{{line: first, first: f.root.FirstChild()}}
	part := 0
	for n := f.root.FirstChild(); n != nil; n = n.NextSibling() {
		h, ok := n.(*ast.Heading)
		if !ok {
			continue
		}
		head := f.document.line(h.Pos())
		last := &f.segments[len(f.segments)-1]
		last.to, last.end = head, n
		if h.Level <= 2 {
			part = len(f.segments)
		}
		s := segment{level: h.Level, text: f.paragraph(h), head: head, first: n.NextSibling(), part: part}
		if end := f.headingEnd(h); end < len(f.src) {
			s.line = f.document.line(end)
		} else {
			s.line = len(f.lines) + 1
		}
		f.segments = append(f.segments, s)
	}
	f.segments[len(f.segments)-1].to = len(f.lines) + 1
	for i := range f.segments {
		s := &f.segments[i]
		s.numbered, s.serves = numberOf(s.text), serves(s.text)
		if s.level == 2 { // once: many may stand under a long heading
			s.means = sectionMeaning(plainText(s.text))
		}
		for n := s.first; n != nil && n != s.end; n = n.NextSibling() {
			if list, ok := n.(*ast.List); ok {
				f.findItems(s, list)
			}
		}
	}
	return f
}

// findItems finds boxes in a list, and in the items without a box that only
// group others.
func (f *foreign) findItems(s *segment, list *ast.List) {
	for n := list.FirstChild(); n != nil; n = n.NextSibling() {
		if box, text, ok := f.boxed(n); ok {
			i := item{node: n, box: box, text: text.text, line: f.document.line(n.Pos()), to: f.lineAfter(n)}
			i.number, _ = cutNumber(plainText(text.text))
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

// lineAfter is the number of the line behind a block.
func (s *source) lineAfter(n ast.Node) int {
	if at := s.end(n, len(s.src)); at < len(s.src) {
		return s.document.line(at)
	}
	return len(s.lines) + 1
}

// take gives lines to a step.
func (f *foreign) take(from, to int) {
	for n := from; n < to; n++ {
		f.taken[n] = true
	}
}

// rest are the lines that no step took.
func (f *foreign) rest(from, to int) lines {
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

// spread gives what no step took to the title and the sections. The steps stand
// where the first of them stood.
func (f *foreign) spread(d *draft, firstStep int) {
	placed := false
	titled := false
	for i, s := range f.segments {
		if i > 0 && s.part != i || s.level > 0 && f.taken[s.head] {
			continue
		}
		to := len(f.lines) + 1
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

func (f *foreign) anyTaken(from, to int) bool {
	for n := from; n < to; n++ {
		if f.taken[n] {
			return true
		}
	}
	return false
}

// joinLines joins two texts with a blank line between them.
func joinLines(a, b lines) lines {
	if len(a) == 0 || len(b) == 0 {
		return append(a, b...)
	}
	return append(append(a, line{}), b...)
}

// numbered is a heading that may be a step's: `Task 1: title`, `Step 2 - title`,
// `3. title`.
type numbered struct {
	word  string // task, step, or empty for a number alone
	label string
	title string
	done  bool // it has a ticked box
	ok    bool
}

// numberOf reads a heading. ralphex takes anything for the label that has no
// colon; without a colon a label begins with a digit.
func numberOf(text string) (n numbered) {
	bare := stable(strings.Replace(text, "：", ": ", 1)) // fullwidth, as Chinese and Japanese write it
	if ticked, rest, ok := cutBox(bare); ok {
		n.done, bare = ticked, stable(rest)
	}
	if strings.HasPrefix(bare, "*") || strings.HasPrefix(bare, "_") {
		bare = plainText(bare) // the marks end inside of it: **Task 1**: title
	}
	word, rest, _ := strings.Cut(bare, " ")
	switch strings.ToLower(word) {
	case "task", "iteration":
		n.word = "task"
	case "step":
		n.word = "step"
	case "task:", "iteration:":
		n.word, n.title, n.ok = "task", strings.TrimSpace(rest), !blank(rest)
		return n
	default:
		number, title := cutNumber(bare)
		if strings.HasPrefix(number, "T") {
			n.word = "task"
		}
		n.label, n.title, n.ok = number, title, number != "" && title != ""
		return n
	}
	rest = strings.TrimSpace(rest)
	label, title, colon := strings.Cut(rest, ":")
	const longest = 3 // words
	count := len(strings.Fields(label))
	if !colon || count > longest || count > 1 && !startsWithNumber(label) || n.word == "step" && !startsWithNumber(label) {
		if !startsWithNumber(rest) {
			return n
		}
		label, title, _ = strings.Cut(rest, " ")
		title = strings.TrimLeft(title, "-–—:.) ")
	}
	n.label = strings.Trim(label, "#.) ")
	n.title = strings.TrimSpace(title)
	n.ok = n.label != "" || n.word == "task" && n.title != "" // Task :title
	return n
}

func startsWithNumber(s string) bool {
	for _, r := range strings.TrimLeft(s, "#") {
		return unicode.IsDigit(r)
	}
	return false
}

// cutNumber parts the number off the front of an item or heading: T001, 1.1,
// 2., 3). "2 files" has none.
func cutNumber(text string) (number, rest string) {
	inner := strings.TrimLeft(text, "[")
	closing := len(text) - len(inner)
	at := 0
	if closing > 1 {
		return "", text
	}
	if len(inner) > 1 && inner[0] == 'T' {
		at = 1
		if inner[1] == '-' {
			at = 2
		}
	}
	digits := at
	dots := 0
	for at < len(inner) && (inner[at] >= '0' && inner[at] <= '9' || inner[at] == '.' && at > digits) {
		if inner[at] == '.' {
			dots++
		}
		at++
	}
	number = strings.TrimRight(inner[:at], ".")
	if at == digits || strings.Contains(number, "..") {
		return "", text
	}
	isTask := inner[0] == 'T'
	if isTask && at < len(inner) && inner[at] >= 'a' && inner[at] <= 'z' {
		at++ // T012a
		number = inner[:at]
	}
	rest = inner[at:]
	if closing > 0 {
		if !isTask || !strings.HasPrefix(rest, "]") {
			return "", text
		}
		rest = rest[1:]
	}
	end := strings.TrimLeft(rest, ":)")
	ended := len(end) < len(rest) || dots > 0
	if end != "" && end[0] != ' ' && end[0] != '\t' || !isTask && !ended {
		return "", text
	}
	return number, strings.TrimLeft(strings.TrimLeft(end, " \t"), "-–— ")
}
