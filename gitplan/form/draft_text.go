package form

import (
	"strings"

	"github.com/yuin/goldmark/ast"

	"github.com/git-plan/git-plan/gitplan/markdown"
)

// source gives the lines of a document as texts of a draft have them.
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

// cut gives the lines from one to before another, less the blanks of so many
// columns before each. Tabs before a text become blanks: what they mean depends
// on where a line stands.
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

// below gives the text of a boxed item, without the box's line. Where that line's
// paragraph goes on, what goes on is a paragraph of its own, and its first line
// must begin no other block.
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

// dedent takes columns of blanks off the front of a line.
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

// columnOf returns the column, from 0, at which an offset's text stands in its line.
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

// closed ends the fence or comment that a text leaves open: it must not swallow
// what is written behind the text.
func (d *draft) closed(l lines) lines {
	l = l.trimmed()
	text := l.String()
	if !strings.Contains(text, "```") && !strings.Contains(text, "~~~") && !strings.Contains(text, "<") {
		return l
	}
	doc := markdown.New([]byte(text))
	doc.ReadBlocks(0)
	end := ""
	switch last := doc.Root.LastChild().(type) {
	case *ast.FencedCodeBlock:
		end = doc.MissingFence(last)
	case *ast.HTMLBlock:
		end = markdown.MissingEnd(doc, last)
	}
	if end == "" {
		return l
	}
	at := l[len(l)-1].from
	d.note(at, "what was opened above is closed here: `%s`", end)
	return append(l[:len(l):len(l)], line{end, Place{}})
}

// flat makes headings down to a level text, so that they part nothing. It says
// in which lines.
func flat(l lines, level int) (out lines, changed []Place) {
	out = append(out, l...)
	text := l.String()
	if !strings.ContainsAny(text, "#=-") {
		return out, nil
	}
	doc := markdown.New([]byte(text))
	doc.ReadBlocks(0)
	parts := map[int]bool{} // lines behind which a paragraph must not go on
	for n := doc.Root.FirstChild(); n != nil; n = n.NextSibling() {
		h, ok := n.(*ast.Heading)
		if !ok || h.Level > level {
			continue
		}
		first := doc.Line(h.Pos())
		at := doc.Line(max(doc.HeadingEnd(h)-1, 0))
		if at > first || !strings.HasPrefix(strings.TrimLeft(out[first-1].text, " "), "#") {
			first = at // the line under it
		} else {
			parts[first-2] = true // nor may one above go on
		}
		s := out[first-1].text
		bare := strings.TrimLeft(s, " ")
		out[first-1].text = s[:len(s)-len(bare)] + `\` + bare
		changed = append(changed, out[first-1].from)
		parts[at-1] = true
	}
	var apart lines
	for i, line := range out {
		if apart = append(apart, line); parts[i] && i+1 < len(out) && !markdown.Blank(line.text) && !markdown.Blank(out[i+1].text) {
			apart = append(apart, lines{{}}...)
		}
	}
	return apart.trimmed(), changed
}
