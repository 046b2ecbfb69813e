package pages

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// roffWriter writes the macros of man(7).
type roffWriter struct{ w io.Writer }

func (r *roffWriter) line(format string, args ...any) { fmt.Fprintf(r.w, format+"\n", args...) }

// macro writes a macro with its arguments quoted.
func (r *roffWriter) macro(name string, args ...string) {
	line := "." + name
	for _, a := range args {
		line += ` "` + strings.ReplaceAll(roff(a), `"`, `\(dq`) + `"`
	}
	r.line("%s", line)
}

// text writes running text, a sentence to a line as man(7) asks for.
func (r *roffWriter) text(s string) {
	r.filled(roff(strings.Join(strings.Fields(s), " ")))
}

// filled writes text that is escaped already.
func (r *roffWriter) filled(s string) {
	for _, line := range strings.Split(strings.ReplaceAll(s, ". ", ".\n"), "\n") {
		if line = strings.TrimSpace(line); line != "" {
			r.line("%s", noMacro(line))
		}
	}
}

// item writes a term with what it means.
func (r *roffWriter) item(term, meaning string) {
	r.macro("TP")
	r.line(`\fB%s\fR`, roff(term))
	for _, part := range strings.Split(meaning, "\n") {
		r.text(part)
	}
}

// roff escapes a text for a manual page.
func roff(s string) string { return strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(s) }

// noMacro keeps a line that begins with a dot or a quote from being read as a macro.
func noMacro(line string) string {
	if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
		return `\&` + line
	}
	return line
}

// markdown writes headings, paragraphs, lists and code: what our pages are made of.
func (r *roffWriter) markdown(source []byte) {
	// Not goldmark's own default: that includes what writes HTML, which every start of the
	// program would pay for.
	root := parser.NewParser(
		parser.WithBlockParsers(parser.DefaultBlockParsers()...),
		parser.WithInlineParsers(util.Prioritized(parser.NewCodeSpanParser(), 100), util.Prioritized(parser.NewEmphasisParser(), 500)),
	).Parse(text.NewReader(source))
	var first bool // a paragraph right behind a heading needs no macro
	for n := root.FirstChild(); n != nil; n = n.NextSibling() {
		switch n := n.(type) {
		case *ast.Heading:
			title := string(n.Lines().Value(source))
			if n.Level == 2 {
				r.macro("SH", strings.ToUpper(title))
			} else {
				r.macro("SS", title)
			}
			first = true
			continue
		case *ast.FencedCodeBlock:
			if !first {
				r.macro("PP")
			}
			r.code(n.Lines().Value(source))
		case *ast.List:
			for item := n.FirstChild(); item != nil; item = item.NextSibling() {
				r.line(`.IP \(bu 2`)
				for b := item.FirstChild(); b != nil; b = b.NextSibling() {
					r.filled(inline(b, source))
				}
			}
		default:
			if !first {
				r.macro("PP")
			}
			r.filled(inline(n, source))
		}
		first = false
	}
}

// code writes an example. One with a here-document is at the margin: whoever copies it from the
// page copies the blanks, too, and the shell would not find its end.
func (r *roffWriter) code(lines []byte) {
	r.macro("RS", "4")
	if bytes.Contains(lines, []byte("<<")) {
		r.line(".in 0") // a request, which takes no quotes
	}
	r.macro("nf")
	for _, line := range strings.Split(strings.TrimRight(string(lines), "\n"), "\n") {
		if line = noMacro(roff(line)); line == "" {
			line = `\&` // an empty line is a warning in man(7)
		}
		r.line("%s", line)
	}
	r.macro("fi")
	r.macro("RE")
}

// inline returns running text with code in bold and emphasis in italics, escaped.
func inline(n ast.Node, source []byte) string {
	var b strings.Builder
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		switch c := c.(type) {
		case *ast.Text:
			b.WriteString(roff(string(c.Segment.Value(source))))
			if c.SoftLineBreak() {
				b.WriteByte(' ')
			}
		case *ast.CodeSpan:
			b.WriteString(`\fB` + inline(c, source) + `\fR`)
		case *ast.Emphasis:
			b.WriteString(`\fI` + inline(c, source) + `\fR`)
		default:
			b.WriteString(inline(c, source))
		}
	}
	return b.String()
}
