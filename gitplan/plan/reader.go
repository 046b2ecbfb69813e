package plan

import (
	"strings"

	"github.com/yuin/goldmark/ast"

	"github.com/git-plan/git-plan/gitplan/markdown"
)

// reader makes a plan of a document.
type reader struct {
	*markdown.Document
	rules, do []string       // texts of which there may be several: of the plan, and of the step being read
	required  map[string]int // the lines of requirements, by their ids
}

// Field is a nested bullet `Key: value` of a step.
type Field struct {
	key   string // as it is written, without emphasis
	Name  string // as the table of the format calls it, in lower case
	Value string // behind the colon, up to the end of the paragraph
	Line  int
	Item  ast.Node
	from  int // where the value begins in the source
}

// FieldOf reads the first paragraph of a bullet as a field. ok is false unless it begins
// with text and no box; the field's name is "" if the format has no such key.
func FieldOf(d *markdown.Document, bullet ast.Node) (f Field, ok bool) {
	paragraph, isParagraph := bullet.FirstChild().(*ast.Paragraph)
	if !isParagraph {
		return f, false
	}
	text := d.Paragraph(paragraph)
	if _, _, boxed := markdown.CutBox(text); boxed {
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
	f.from = at + strings.IndexByte(d.Text[at:], ':') + 1
	return f, true
}

// nested returns the bullets under a field, the first paragraph of each.
func (d *reader) nested(f Field) []string {
	var out []string
	for n := f.Item.FirstChild().NextSibling(); n != nil; n = n.NextSibling() {
		list, ok := n.(*ast.List)
		if !ok {
			continue
		}
		for bullet := list.FirstChild(); bullet != nil; bullet = bullet.NextSibling() {
			if paragraph, ok := bullet.FirstChild().(*ast.Paragraph); ok {
				out = append(out, d.Paragraph(paragraph))
			}
		}
	}
	return out
}
