package plan

import (
	"strings"

	"github.com/yuin/goldmark/ast"

	"github.com/git-plan/git-plan/gitplan/markdown"
)

// checksIn reads the checks of a field Check, or of a section of checks, in the blocks from
// first up to, not including, last: lines of paragraphs and bullets, separated by ";". Code
// blocks and quotes are prose and HTML is nothing, so none of them is ever run.
func (d *reader) checksIn(first, last ast.Node) []Check {
	var out []Check
	for n := first; n != nil && n != last; n = n.NextSibling() {
		switch n := n.(type) {
		case *ast.Paragraph:
			text := d.Paragraph(n)
			if _, rest, ok := markdown.CutBox(text); ok {
				text = rest
			}
			out = append(out, checkItems(text, d.Line(n.Lines().At(0).Start))...)
		case *ast.List:
			for item := n.FirstChild(); item != nil; item = item.NextSibling() {
				out = append(out, d.checksIn(item.FirstChild(), nil)...)
			}
		case *ast.FencedCodeBlock, *ast.CodeBlock, *ast.Blockquote:
			if prose := d.Verbatim(n); prose != "" {
				out = append(out, Check{Text: prose, Line: d.Line(markdown.Start(n))})
			}
		}
	}
	return out
}

// checkItems splits a text into checks at each ";" outside of code spans.
func checkItems(text string, line int) []Check {
	var out []Check
	for _, item := range markdown.SplitOutsideCode(text, ";") {
		if item = strings.TrimSpace(item); item != "" {
			command, _ := markdown.CommandOf(item)
			out = append(out, Check{Text: item, Command: command, Line: line})
		}
	}
	return out
}
