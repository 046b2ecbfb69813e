package form

import (
	"strings"

	"github.com/yuin/goldmark/ast"

	"github.com/git-plan/git-plan/gitplan/markdown"
)

// source returns the lines of a document in the form that texts of a draft have.
type source struct {
	*markdown.Document
	file   string
	fenced []bool // lines of code in fences, where a tab is kept
}

func newSource(file string, src []byte, body int) *source {
	s := &source{Document: markdown.New(src), file: file}
	s.ReadBlocks(body)
	s.fenced = make([]bool, len(s.Lines)+1)
	_ = ast.Walk(s.Root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if fence, ok := n.(*ast.FencedCodeBlock); ok && entering && fence.Lines().Len() > 0 {
			for i := range fence.Lines().Len() {
				s.fenced[s.Line(fence.Lines().At(i).Start)] = true
			}
		}
		return ast.WalkContinue, nil
	})
	return s
}

func (s *source) at(n int) Place { return Place{s.file, n} }

// raw returns a line without its end.
func (s *source) raw(n int) string {
	to := len(s.Src)
	if n < len(s.Lines) {
		to = s.Lines[n]
	}
	return strings.TrimRight(s.Src[s.Lines[n-1]:to], "\r\n")
}

// cut returns the lines from one up to, not including, another, without so many columns of
// blanks before each. Tabs before a text become blanks, since what they mean depends on their
// place.
func (s *source) cut(from, to, columns int) lines {
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

// below returns the text of a boxed item, without the box's line. If that line's paragraph
// continues, the rest becomes a paragraph of its own, whose first line must not begin another
// block.
func (s *source) below(box, to, columns int, goesOn bool) lines {
	out := s.cut(box+1, to, columns)
	if !goesOn || len(out) == 0 {
		return out
	}
	text := strings.TrimLeft(out[0].text, " ")
	deep := len(out[0].text)-len(text) > 3 // if nothing begins a block
	digits := strings.TrimLeft(text, "0123456789")
	switch {
	case len(digits) < len(text) && digits != "" && (digits[0] == '.' || digits[0] == ')'):
		text = text[:len(text)-len(digits)] + `\` + digits
	case text[0] == '<', strings.ContainsRune("-+*", rune(text[0])) && markdown.Blank(text[1:]), deep && beginsBlock(text):
		text = `\` + text
	}
	out[0].text = text
	return out
}

// beginsBlock reports whether a text that is not indented begins a heading, quote,
// fence, bullet or line across.
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
	if markdown.Blank(text) {
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
	for _, c := range []byte(s.Text[s.LineStart(offset):offset]) {
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
	if at := s.End(n, len(s.Src)); at < len(s.Src) {
		return s.Document.Line(at)
	}
	return len(s.Lines) + 1
}

// span returns the text of some lines, blank ones around it included.
func (s *source) span(from, to int) lines {
	var out lines
	for n := from; n < to; n++ {
		out = append(out, line{dedent(s.raw(n), 0, s.fenced[n]), s.at(n)})
	}
	return out
}
