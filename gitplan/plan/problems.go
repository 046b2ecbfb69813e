package plan

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"

	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// Weakness is something that is wrong or weak in a plan.
type Weakness struct {
	Rule  string `json:"rule"`           // its stable name
	File  string `json:"file,omitempty"` // the file in a queue folder; empty elsewhere
	Line  int    `json:"line"`           // the line, from 1; 0 for the whole text
	Step  string `json:"step,omitempty"`
	Text  string `json:"text"` // the weakness
	Fix   string `json:"mend,omitempty"`
	Error bool   `json:"error"` // the plan cannot be used at all
}

func (w Weakness) String() string { return fmt.Sprintf("line %d: %s", w.Line, w.Text) }

// Wrong returns a weakness that is an error.
func Wrong(line int, rule, text string) Weakness {
	return Weakness{Line: line, Rule: rule, Text: text, Error: true}
}

// ParseError is everything that is wrong with a plan's text, in line order.
type ParseError struct{ Problems []Weakness }

func (e *ParseError) Error() string {
	var lines []string
	for _, p := range e.Problems {
		lines = append(lines, p.String())
	}
	return strings.Join(lines, "\n")
}

// Problem notes something wrong.
func (d *Document) Problem(line int, rule, format string, args ...any) {
	d.Problems = append(d.Problems, Wrong(line, rule, fmt.Sprintf(format, args...)))
}

// Warn notes something that is accepted but perhaps not meant.
func (d *Document) Warn(line int, format string, args ...any) {
	d.Warnings = append(d.Warnings, Weakness{Line: line, Rule: "form", Text: fmt.Sprintf(format, args...)})
}

// InOrder sorts problems by line; those of one line keep their order.
func InOrder(problems []Weakness) []Weakness {
	slices.SortStableFunc(problems, func(a, b Weakness) int { return a.Line - b.Line })
	return problems
}

// Shown returns a text as a message may show it: short, and without what a terminal would obey.
func Shown(s string) string { return visible.OneLine(s, 80) }

// TextProblems returns what makes a file no text, or a text with an unresolved conflict.
func TextProblems(src []byte) []Weakness {
	if bytes.HasPrefix(src, []byte("\xff\xfe")) || bytes.HasPrefix(src, []byte("\xfe\xff")) {
		return []Weakness{Wrong(1, "encoding", "the file is UTF-16: save it as UTF-8")}
	}
	const most = 20 // lines named; a binary file has no end of them
	var out []Weakness
	n := 0
	for line := range bytes.Lines(src) {
		n++
		switch {
		case len(out) == most:
		case bytes.IndexByte(line, 0) >= 0:
			out = append(out, Wrong(n, "encoding", "a NUL byte: remove it, or save the file as UTF-8"))
		case !utf8.Valid(line):
			out = append(out, Wrong(n, "encoding", "invalid UTF-8: save the file as UTF-8"))
		case bytes.IndexByte(bytes.TrimRight(line, "\r\n"), '\r') >= 0: // a person would read another text than the parser
			out = append(out, Wrong(n, "encoding",
				"a carriage return by itself, which ends a line for some readers of Markdown only: remove it"))
		}
	}
	if bytes.Contains(src, []byte("<<<<<<<")) {
		d := NewDocument(src)
		for _, m := range conflict().FindAllIndex(src, -1) {
			out = append(out, Wrong(d.Line(m[0]), "conflict",
				fmt.Sprintf("an unresolved conflict, down to line %d: keep one side and remove its markers", d.Line(m[1]-1))))
		}
	}
	return out
}

// conflict matches the three markers of a merge conflict, in order, of git's default size.
var conflict = visible.NewPattern(`(?ms)^<{7}(?:\r*| [^\n]*)$.*?^={7}(?:\r*| [^\n]*)$.*?^>{7}(?:\r*| [^\n]*)$`)

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

// Suspect notes a line that hides a task, by one of these rules.
func (d *Document) Suspect(line int, rule, why string) {
	d.Suspicious = append(d.Suspicious, Weakness{Line: line, Rule: rule, Text: why})
}

// FindUnread looks for such lines in the blocks from first to before last, except in quotes.
func (d *Document) FindUnread(first, last ast.Node) {
	for n := first; n != nil && n != last; n = n.NextSibling() {
		switch n := n.(type) {
		case *ast.List, *ast.ListItem:
			d.FindUnread(n.FirstChild(), nil)
		case *ast.CodeBlock: // four blanks are before it
			for i := range n.Lines().Len() {
				if text := d.Segment(n.Lines().At(i)); bullet().MatchString(text) && likeBox().MatchString(text) {
					d.Suspect(d.Line(n.Lines().At(i).Start), RuleUnread, "this box is code, since it is indented by four spaces or more: indent it less")
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
				if likeBox().MatchString(text) {
					d.Suspect(d.Line(n.Lines().At(i).Start), RuleUnread, notBox)
				} else if likeHeading().MatchString(text) {
					d.Suspect(d.Line(n.Lines().At(i).Start), RuleUnread, notHeading)
				}
			}
		}
	}
}

// HidesTask reports that a line may be a task to a person but is text to Markdown.
func (w Weakness) HidesTask() bool { return w.Rule == RuleUnread || w.Swallows() }

// Swallows reports that a fence or comment turns tasks into text, perhaps intentionally.
func (w Weakness) Swallows() bool { return w.Rule == RuleSwallowed }

// Approvable returns ErrHidden for a plan with text that a person cannot see and a session would read.
func (p *Plan) Approvable() error {
	found := p.Hidden()
	if len(found) == 0 {
		return nil
	}
	text := fmt.Sprintf("line %d of the plan holds %s", found[0].Line, found[0].Text)
	if more := len(found) - 1; more > 0 {
		text += fmt.Sprintf(" (and %d more lines do)", more)
	}
	return &fault.Fault{Kind: fault.ErrHidden, Text: text + ", so it cannot be approved", Next: "take it out: git plan edit (git plan lint names each line)"}
}

// Hidden returns the lines with invisible characters in the text that approval covers.
func (p *Plan) Hidden() []Weakness {
	if visible.All(string(p.Source)) {
		return nil
	}
	text := bytes.Clone(p.Source)
	for _, e := range p.meaningEdits() {
		for i := e.From; i < e.To; i++ {
			if text[i] != '\n' {
				text[i] = ' '
			}
		}
	}
	return HiddenIn(text)
}

// HiddenIn returns the lines of a text that have invisible characters, except a byte order mark at the start.
func HiddenIn(text []byte) []Weakness {
	var out []Weakness
	n := 0
	for line := range bytes.Lines(bytes.TrimPrefix(text, []byte("\ufeff"))) {
		n++
		if what := visible.Describe(string(line)); what != "" {
			out = append(out, Weakness{Line: n, Rule: "hidden", Text: "invisible characters: " + what,
				Fix: "remove it: it cannot be approved", Error: true})
		}
	}
	return out
}
