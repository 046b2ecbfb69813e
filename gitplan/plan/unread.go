package plan

import (
	"github.com/yuin/goldmark/ast"

	"github.com/git-plan/git-plan/gitplan/visible"
)

// RuleUnread is a line that a person takes for a task and Markdown for text,
// RuleSwallowed a fence or comment that makes text of tasks.
const (
	RuleUnread    = "unread"
	RuleSwallowed = "swallowed"
)

var (
	// likeBox matches the beginning of a line that a person takes for a box, with or without a bullet.
	likeBox = visible.NewPattern(`^(?:[-*+•‣◦●○▪–—−·]|\d{1,9}[.)])?[\s\pZ]*(?:[☐☑☒⬜🔲]|\[(?:[\s\pZ]*(?:[xX✓✔√✗✘~/-][\s\pZ]*)?\](?:[\s\pZ]|$)|[ xX]\][\pL*` + "`" + `]))`)
	bullet  = visible.NewPattern(`^(?:[-*+]|[0-9]+[.)])`)
	// likeHeading matches one that a person takes for the heading of a task.
	likeHeading = visible.NewPattern(`^#{1,6}\pZ*(?i:task|step|iteration)\b[\pZ:]+\w`)
)

const (
	notBox     = "this looks like a step or a box, but is text: write `- [ ] what to do`, with plain spaces, and an empty line above a list"
	notHeading = "this looks like the heading of a task, but is text: write `### Task 1: what to do`, with one plain space after the `#`"
)

// Unread notes a line that looks like a task but is not read as one.
func (d *Document) Unread(line int, why string) {
	d.Suspicious = append(d.Suspicious, Problem{line, RuleUnread, why})
}

// FindUnread looks for such lines in the blocks from first to before last, except in quotes.
func (d *Document) FindUnread(first, last ast.Node) {
	for n := first; n != nil && n != last; n = n.NextSibling() {
		switch n := n.(type) {
		case *ast.List, *ast.ListItem:
			d.FindUnread(n.FirstChild(), nil)
		case *ast.CodeBlock: // four blanks are before it
			for i := range n.Lines().Len() {
				if text := d.Segment(n.Lines().At(i)); bullet.MatchString(text) && likeBox.MatchString(text) {
					d.Unread(d.Line(n.Lines().At(i).Start), "this box is code, since it is indented by four spaces or more: indent it less")
				}
			}
		case *ast.Paragraph:
			item, inItem := n.Parent().(*ast.ListItem)
			for i := range n.Lines().Len() {
				text := d.Segment(n.Lines().At(i))
				if i == 0 && inItem && n.PreviousSibling() == nil {
					if _, _, ok := d.Boxed(item); ok {
						continue
					}
				}
				if likeBox.MatchString(text) {
					d.Unread(d.Line(n.Lines().At(i).Start), notBox)
				} else if likeHeading.MatchString(text) {
					d.Unread(d.Line(n.Lines().At(i).Start), notHeading)
				}
			}
		}
	}
}
