package plan

import (
	"strings"

	"github.com/yuin/goldmark/ast"
)

type reader struct {
	Document  *Document
	rules, do []string       // texts that may occur several times: of the plan, and of the step being read
	required  map[string]int // the lines of requirements, by their ids
}

// Field is a nested bullet `Key: value` of a step.
type Field struct {
	key   string // as written, without emphasis
	Name  string // as the table of the format calls it, in lower case
	Value string // behind the colon, up to the end of the paragraph
	Line  int
	Item  ast.Node
	From  int // where the value begins in the source
}

// FieldOf reads a bullet as a field; ok is false unless it begins with text and no box, Name is "" for other keys.
func FieldOf(d *Document, bullet ast.Node) (f Field, ok bool) {
	paragraph, isParagraph := bullet.FirstChild().(*ast.Paragraph)
	if !isParagraph {
		return f, false
	}
	text := d.Paragraph(paragraph)
	if _, _, boxed := CutBox(text); boxed {
		return f, false
	}
	f.Item = bullet
	f.Line = d.Line(paragraph.Lines().At(0).Start)
	key, value, found := strings.Cut(text, ":")
	const longest = len("**Files to modify**") + 5
	if !found || len(key) > longest {
		return f, true
	}
	bare := strings.TrimLeft(key, "*_")
	marks := key[:len(key)-len(bare)]
	if closed := strings.TrimRight(bare, "*_ \t"); len(closed) < len(strings.TrimRight(bare, " \t")) {
		bare = closed
	} else {
		value = strings.TrimPrefix(value, marks)
	}
	f.key, f.Name = bare, FieldName(bare)
	f.Value = strings.TrimSpace(value)
	at := paragraph.Lines().At(0).Start
	f.From = at + strings.IndexByte(d.Text[at:], ':') + 1
	return f, true
}

// nested returns the bullets under a field, the first paragraph of each.
func (d *reader) nested(f Field) []string {
	var out []string
	for _, bullet := range Bullets(f.Item) {
		if paragraph, ok := bullet.FirstChild().(*ast.Paragraph); ok {
			out = append(out, d.Document.Paragraph(paragraph))
		}
	}
	return out
}

// checksIn reads the checks in the blocks from first to before last: paragraphs and bullets, separated by ";". Code
// blocks and quotes are prose and HTML is skipped, so none of them is ever run.
func (d *reader) checksIn(first, last ast.Node) []Check {
	var out []Check
	for n := first; n != nil && n != last; n = n.NextSibling() {
		switch n := n.(type) {
		case *ast.Paragraph:
			text := d.Document.Paragraph(n)
			if _, rest, ok := CutBox(text); ok {
				text = rest
			}
			out = append(out, checkItems(text, d.Document.Line(n.Lines().At(0).Start))...)
		case *ast.List:
			for _, item := range Items(n) {
				out = append(out, d.checksIn(item.FirstChild(), nil)...)
			}
		case *ast.FencedCodeBlock, *ast.CodeBlock, *ast.Blockquote:
			if prose := d.Document.Verbatim(n); prose != "" {
				out = append(out, Check{Text: prose, Line: d.Document.Line(BlockStart(n))})
			}
		}
	}
	return out
}

// checkItems splits a text into checks at each ";" outside of code spans.
func checkItems(text string, line int) []Check {
	var out []Check
	for _, item := range SplitOutsideCode(text, ";") {
		if item = strings.TrimSpace(item); item != "" {
			command, _ := CommandOf(item)
			out = append(out, Check{Text: item, Command: command, Line: line})
		}
	}
	return out
}
