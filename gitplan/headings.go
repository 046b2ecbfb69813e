package gitplan

import (
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
)

// part is a level-1 or level-2 heading and what stands under it.
type part struct {
	level    int
	title    string
	line     int
	from, to int // the body in the source
	first    ast.Node
	last     ast.Node
}

func (d *document) parts() []part {
	var out []part
	for n := d.root.FirstChild(); n != nil; n = n.NextSibling() {
		h, ok := n.(*ast.Heading)
		if !ok || h.Level > 2 {
			if len(out) > 0 && out[len(out)-1].first == nil {
				out[len(out)-1].first = n
			}
			continue
		}
		at := d.lineStart(h.Pos())
		if len(out) > 0 {
			out[len(out)-1].to = at
			out[len(out)-1].last = n
		}
		out = append(out, part{level: h.Level, title: plainText(d.paragraph(h)), line: d.line(at),
			from: d.headingEnd(h), to: len(d.src)})
	}
	return out
}

// headingEnd is where the line after a heading begins; one that is underlined
// has a line more.
func (d *document) headingEnd(h *ast.Heading) int {
	at := d.nextLine(h.Pos())
	if line := strings.TrimLeft(d.md[d.lineStart(h.Pos()):at], " "); line[0] == '#' {
		marks := strings.TrimLeft(line, "#")
		if marks == "" || strings.IndexByte(" \t\r\n", marks[0]) >= 0 {
			return at
		}
	}
	return d.nextLine(d.nextLine(h.Lines().At(h.Lines().Len() - 1).Start))
}

// words is a text in lower case with one blank between words.
func words(s string) string { return strings.ToLower(strings.Join(strings.Fields(s), " ")) }

func title(name string) string { return strings.ToUpper(name[:1]) + name[1:] }

// joinText joins texts with a blank line between them.
func joinText(texts []string) string {
	texts = slices.DeleteFunc(texts, func(s string) bool { return s == "" })
	return strings.Join(texts, "\n\n")
}

// stepsHeading is the block behind the heading Steps of a written draft.
func (d *document) stepsHeading() ast.Node {
	for n := d.root.FirstChild(); n != nil; n = n.NextSibling() {
		if h, ok := n.(*ast.Heading); ok && h.Level == 2 && d.paragraph(h) == "Steps" {
			return n.NextSibling()
		}
	}
	return nil
}
