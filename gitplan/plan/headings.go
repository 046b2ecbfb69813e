package plan

import (
	"slices"
	"strings"
	"unicode"

	"github.com/yuin/goldmark/ast"

	"github.com/git-plan/git-plan/gitplan/visible"
)

// Part is a heading and the text below it, up to the next one.
type Part struct {
	Level    int
	Text     string // the text as written, in one line
	Title    string // without emphasis
	Line     int
	From, To int // the body in the source
	Heading  *ast.Heading
	First    ast.Node
	Last     ast.Node
}

// Parts returns the headings down to a level, and the text below each, in order.
func (d *Document) Parts(deepest int) []Part {
	var out []Part
	for n := d.Root.FirstChild(); n != nil; n = n.NextSibling() {
		h, ok := n.(*ast.Heading)
		if !ok || h.Level > deepest {
			if len(out) > 0 && out[len(out)-1].First == nil {
				out[len(out)-1].First = n
			}
			continue
		}
		at := d.LineStart(h.Pos())
		if len(out) > 0 {
			out[len(out)-1].To, out[len(out)-1].Last = at, n
		}
		text := d.Paragraph(h)
		out = append(out, Part{Heading: h, Level: h.Level, Text: text, Title: PlainText(text), Line: d.Line(at),
			From: d.HeadingEnd(h), To: len(d.Src)})
	}
	return out
}

// HeadingEnd returns the offset of the line after a heading; an underlined one has two lines.
func (d *Document) HeadingEnd(h *ast.Heading) int {
	at := d.NextLine(h.Pos())
	if line := strings.TrimLeft(d.Text[d.LineStart(h.Pos()):at], " "); line[0] == '#' {
		marks := strings.TrimLeft(line, "#")
		if marks == "" || strings.IndexByte(" \t\r\n", marks[0]) >= 0 {
			return at
		}
	}
	return d.NextLine(d.NextLine(h.Lines().At(h.Lines().Len() - 1).Start))
}

// Normalize returns a text in lower case with one blank between words.
func Normalize(s string) string { return strings.ToLower(strings.Join(strings.Fields(s), " ")) }

// JoinText joins texts with a blank line between them.
func JoinText(texts []string) string {
	texts = slices.DeleteFunc(texts, func(s string) bool { return s == "" })
	return strings.Join(texts, "\n\n")
}

// Numbered is a heading that may be a step's: `Task 1: title`, `Step 2 - title`, `3. title`.
type Numbered struct {
	Word  string // task, step, or empty for a number alone
	Label string
	Title string
	Done  bool // it has a ticked box
	Ok    bool
}

// NumberOf reads a heading. Before a colon is a label, as in ralphex; without one, or behind Step, it is a number.
func NumberOf(text string) (n Numbered) {
	bare := Stable(text)
	if ticked, rest, ok := CutBox(bare); ok {
		n.Done, bare = ticked, Stable(rest)
	}
	if strings.HasPrefix(bare, "*") || strings.HasPrefix(bare, "_") {
		bare = PlainText(bare) // the marks end inside of it: **Task 1**: title
	}
	number, title := CutNumber(bare)
	if m := taskHeading().FindStringSubmatch(bare); m != nil {
		n.Word, number, title = "task", m[2]+m[4], m[3]+m[5]
		if m[1] == "" {
			n.Word = "step"
		}
		n.Label, n.Title = strings.TrimRight(number, ".)"), title
		n.Ok = n.Word == "task" && n.Label+title != "" || startsWithNumber(number)
		return n
	}
	if strings.HasPrefix(number, "T") {
		n.Word = "task"
	}
	n.Label, n.Title, n.Ok = number, title, number != "" && title != ""
	return n
}

// taskHeading matches a heading that begins with one of these words, its label and its title.
var taskHeading = visible.NewPattern(`^(?i:(task|iteration)|step)(?:(?: #?([^\s:：]+))? ?[:：] *(.*)| #?(\d\S*)[ –—-]*(.*)|(?: .*)?)$`)

func startsWithNumber(s string) bool { return s != "" && unicode.IsDigit(rune(s[0])) }

// CutNumber splits off the number at the beginning of an item or heading: T001, 1.1, 2., 3). "2 files" does not
// begin with one.
func CutNumber(text string) (number, rest string) {
	m := leadingNumber().FindStringSubmatch(text)
	if m == nil || strings.Contains(m[0], "..") || m[3] != "" && m[4] == "" && !strings.Contains(m[3], ".") {
		return "", text
	}
	return strings.TrimRight(m[1]+m[2]+m[3], "."), text[len(m[0]):]
}

// leadingNumber matches [T001], T001 or 1.1, and what parts it from a title.
var leadingNumber = visible.NewPattern(`^(?:\[(T-?\d[\d.]*[a-z]?)\]|(T-?\d[\d.]*[a-z]?)|(\d[\d.]*))([:)]*)(?:[ \t]+[-–— ]*|$)`)

// Named returns the id and the title of a step by its label: T001 is an id, a word a part of the title.
func (n Numbered) Named(title string) (id, whole string) {
	letter := strings.TrimLeft(n.Label, "0123456789.")
	switch {
	case letter == "", len(letter) == 1 && letter != n.Label && unicode.IsLetter(rune(letter[0])): // 2, 1.1, 2a
		return "", title
	case strings.HasPrefix(n.Label, "T") && startsWithNumber(strings.TrimLeft(n.Label[1:], "-")):
		return strings.ReplaceAll(strings.ToLower(n.Label), ".", "-"), title
	case title == "":
		return "", n.Label
	}
	return "", n.Label + ": " + title
}
