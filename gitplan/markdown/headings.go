package markdown

import (
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
)

// Part is a level-1 or level-2 heading and what is below it, up to the next one.
type Part struct {
	Level    int
	Title    string
	Line     int
	From, To int // the body in the source
	First    ast.Node
	Last     ast.Node
}

// Parts returns the parts of the document, in order.
func (d *Document) Parts() []Part {
	var out []Part
	for n := d.Root.FirstChild(); n != nil; n = n.NextSibling() {
		h, ok := n.(*ast.Heading)
		if !ok || h.Level > 2 {
			if len(out) > 0 && out[len(out)-1].First == nil {
				out[len(out)-1].First = n
			}
			continue
		}
		at := d.LineStart(h.Pos())
		if len(out) > 0 {
			out[len(out)-1].To = at
			out[len(out)-1].Last = n
		}
		out = append(out, Part{Level: h.Level, Title: PlainText(d.Paragraph(h)), Line: d.Line(at),
			From: d.HeadingEnd(h), To: len(d.Src)})
	}
	return out
}

// HeadingEnd returns the offset of the line after a heading; an underlined one has two
// lines.
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

// Words returns a text in lower case with one blank between words.
func Words(s string) string { return strings.ToLower(strings.Join(strings.Fields(s), " ")) }

// Title returns a name with its first letter in upper case.
func Title(name string) string { return strings.ToUpper(name[:1]) + name[1:] }

// JoinText joins texts with a blank line between them.
func JoinText(texts []string) string {
	texts = slices.DeleteFunc(texts, func(s string) bool { return s == "" })
	return strings.Join(texts, "\n\n")
}

// StepsHeading returns the block after the heading Steps, or nil if there is none.
func (d *Document) StepsHeading() ast.Node {
	for n := d.Root.FirstChild(); n != nil; n = n.NextSibling() {
		if h, ok := n.(*ast.Heading); ok && h.Level == 2 && d.Paragraph(h) == "Steps" {
			return n.NextSibling()
		}
	}
	return nil
}
