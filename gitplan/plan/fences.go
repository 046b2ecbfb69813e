package plan

import (
	"fmt"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"

	"github.com/git-plan/git-plan/gitplan/visible"
)

// FindSwallowed warns of fences and comments that nothing closes, or only the next one: they swallow steps. What closes
// a fence (not one of Markdown) may be the beginning of the next: if another is open, or a line in it looks so.
func (d *Document) FindSwallowed() {
	var closed []*ast.FencedCodeBlock
	open := d.findOpen(d.Root, &closed)
	for _, fence := range closed {
		opening, after := d.around(fence)
		mark, _, _ := strings.Cut(strings.TrimSpace(d.Text[opening:d.NextLine(opening)]), " ")
		info := strings.ToLower(strings.TrimLeft(mark, "-*+`~ "))
		tasks := d.tasksIn(fence.Lines())
		if len(tasks) == 0 || info == "md" || info == "markdown" {
			continue
		}
		suspect := open
		for i := 0; i < fence.Lines().Len() && !suspect; i++ {
			text := d.Segment(fence.Lines().At(i))
			begins := strings.HasPrefix(text, "```") || strings.HasPrefix(text, "~~~")
			suspect = begins && len(text) > 3 || isTaskHeading(text)
		}
		if suspect {
			d.Suspect(d.Line(opening), RuleSwallowed, fmt.Sprintf("the fence opened here is closed only in line %d and swallows %s: write ``` after the code", d.Line(after), visible.Few(tasks)))
		}
	}
}

// findOpen warns of unclosed fences and comments, collects the other fences, and reports whether a fence is open.
func (d *Document) findOpen(root ast.Node, closed *[]*ast.FencedCodeBlock) (open bool) {
	for n := root.FirstChild(); n != nil; n = n.NextSibling() {
		switch n := n.(type) {
		case *ast.FencedCodeBlock:
			if d.MissingFence(n) == "" {
				*closed = append(*closed, n)
				continue
			}
			open = true
			opening, _ := d.around(n)
			d.neverClosed(d.Line(opening), "fence", "``` after the code", n.Lines())
		case *ast.HTMLBlock:
			line, tasks := d.Line(n.Lines().At(0).Start), d.tasksIn(n.Lines())
			if end := MissingEnd(d, n); end != "" {
				d.neverClosed(line, "comment or HTML", "`"+end+"` after it", n.Lines())
			} else if n.HTMLBlockType >= ast.HTMLBlockType6 && len(tasks) > 0 {
				d.Suspect(line, RuleSwallowed, "the HTML that begins here goes on up to an empty line and swallows "+visible.Few(tasks)+": write an empty line before them")
			}
		case *ast.List, *ast.ListItem:
			open = d.findOpen(n, closed) || open
		}
	}
	return open
}

func (d *Document) neverClosed(line int, what, end string, lines *text.Segments) {
	if tasks := d.tasksIn(lines); len(tasks) > 0 {
		d.Suspect(line, RuleSwallowed, "the "+what+" opened here is never closed and swallows "+visible.Few(tasks)+": write "+end)
	} else {
		d.Warn(line, "the %s opened here is never closed: write %s", what, end)
	}
}

var boxInCode = visible.NewPattern(`^(?:[-*+]|\d+[.)])[-*+.)\d\s]*(\[[ xX]\](?:[ \t].*)?)$`)

// tasksIn returns the boxes and headings of tasks in code or HTML, each with its line.
func (d *Document) tasksIn(lines *text.Segments) []string {
	var out []string
	for i := range lines.Len() {
		segment := lines.At(i)
		text := d.Segment(segment)
		bare := ""
		if m := boxInCode().FindStringSubmatch(text); m != nil {
			_, title, _ := CutBox(m[1])
			title, _, _ = CutID(title)
			bare = PlainText(title)
		} else if isTaskHeading(text) {
			bare = text
		}
		if bare != "" {
			out = append(out, fmt.Sprintf("`%s` (line %d)", Shown(bare), d.Line(segment.Start)))
		}
	}
	return out
}

func isTaskHeading(line string) bool {
	title := strings.TrimLeft(line, "#")
	if len(title) == len(line) || !strings.HasPrefix(title, " ") {
		return false
	}
	n := NumberOf(strings.TrimSpace(title))
	return n.Ok && n.Word != ""
}

// FencedPlan returns the line of a fence around a whole plan that has text around it, or 0.
func (d *Document) FencedPlan() int {
	for n := d.Root.FirstChild(); n != nil; n = n.NextSibling() {
		fence, ok := n.(*ast.FencedCodeBlock)
		if !ok || fence.Lines().Len() == 0 {
			continue
		}
		begin := fence.Lines().At(0).Start
		text := d.Text[begin:fence.Lines().At(fence.Lines().Len()-1).Stop]
		holdsPlan := strings.Contains(text, "\n## ") || strings.Contains(text, "\n- [")
		if strings.HasPrefix(strings.TrimSpace(text), "# ") && holdsPlan {
			return d.Line(begin) - 1
		}
	}
	return 0
}

// around returns the offset of the line that opens a fence, and of the line after its code.
func (d *Document) around(fence *ast.FencedCodeBlock) (opening, after int) {
	if n := fence.Lines().Len(); n > 0 {
		return d.Lines[max(d.Line(fence.Lines().At(0).Start)-2, 0)], d.NextLine(fence.Lines().At(n - 1).Start)
	}
	opening = d.LineStart(min(fence.Pos(), len(d.Src)-1))
	return opening, d.NextLine(opening)
}

var fenceMark = visible.NewPattern("`{3,}|~{3,}")

// MissingFence returns the line that would close a fence, or "" if one does.
func (d *Document) MissingFence(fence *ast.FencedCodeBlock) string {
	opening, after := d.around(fence)
	mark := fenceMark().FindString(d.Text[opening:d.NextLine(opening)])
	line := strings.TrimSpace(d.Text[after:d.NextLine(after)])
	if mark != "" && len(line) >= len(mark) && strings.Trim(line, mark[:1]) == "" {
		return ""
	}
	return mark
}

var closesRaw = visible.NewPattern(`</(?:script|style|textarea|pre)>`)

// MissingEnd returns what would end an HTML block that blank lines do not end (CommonMark, 4.6), or "".
func MissingEnd(d *Document, block *ast.HTMLBlock) string {
	end := map[ast.HTMLBlockType]string{ast.HTMLBlockType1: "</pre>", ast.HTMLBlockType2: "-->",
		ast.HTMLBlockType3: "?>", ast.HTMLBlockType4: ">", ast.HTMLBlockType5: "]]>"}[block.HTMLBlockType]
	text := strings.ToLower(d.Text[block.Lines().At(0).Start:block.Lines().At(block.Lines().Len()-1).Stop])
	if block.HasClosure() || strings.Contains(text, end) ||
		block.HTMLBlockType == ast.HTMLBlockType1 && closesRaw().MatchString(text) {
		return ""
	}
	return end
}
