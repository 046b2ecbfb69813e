package gitplan

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/yuin/goldmark/ast"
)

// findFences warns of code fences that nothing closes: they swallow all that
// comes after them in the block they stand in, steps too.
func (d *document) findFences(root ast.Node) {
	for n := root.FirstChild(); n != nil; n = n.NextSibling() {
		switch n := n.(type) {
		case *ast.FencedCodeBlock:
			d.findFence(n)
		case *ast.List, *ast.ListItem:
			d.findFences(n)
		}
	}
}

// fencedPlan is the line of the fence in which a whole plan stands, with a text
// around it; 0 where none does.
func (d *document) fencedPlan() int {
	for n := d.root.FirstChild(); n != nil; n = n.NextSibling() {
		fence, ok := n.(*ast.FencedCodeBlock)
		if !ok || fence.Lines().Len() == 0 {
			continue
		}
		begin := fence.Lines().At(0).Start
		text := []byte(d.md[begin:fence.Lines().At(fence.Lines().Len()-1).Stop])
		if bytes.HasPrefix(bytes.TrimSpace(text), []byte("# ")) && holdsPlan(text) {
			return d.line(begin) - 1
		}
	}
	return 0
}

func (d *document) findFence(fence *ast.FencedCodeBlock) {
	opening, after := d.around(fence)
	if d.closesFence(opening, after) {
		return
	}
	message := "the fence opened here is never closed: write ``` behind the code"
	var swallowed []string
	for i := range fence.Lines().Len() {
		segment := fence.Lines().At(i)
		item := strings.TrimLeft(d.segment(segment), "-*+0123456789.) ")
		if _, text, ok := cutBox(item); ok && len(item) < segment.Len() {
			title, _, _ := cutID(text)
			swallowed = append(swallowed, "`"+shown(plainText(title))+"`")
		}
	}
	warning := Problem{d.line(opening), "form", message}
	if n := len(swallowed); n > 0 {
		const named = 3
		list := strings.Join(swallowed[:min(n, named)], ", ")
		if n > named {
			list += fmt.Sprintf(" and %d more", n-named)
		}
		warning.Message = "the fence opened here is never closed and swallows " + list + ": write ``` behind the code"
		d.swallowing = append(d.swallowing, warning)
	}
	d.warnings = append(d.warnings, warning)
}

// around is where the line that opens a fence begins, and the one behind its code.
func (d *document) around(fence *ast.FencedCodeBlock) (opening, after int) {
	if n := fence.Lines().Len(); n > 0 {
		return d.lines[max(d.line(fence.Lines().At(0).Start)-2, 0)], d.nextLine(fence.Lines().At(n - 1).Start)
	}
	opening = d.lineStart(min(fence.Pos(), len(d.src)-1))
	return opening, d.nextLine(opening)
}

// closesFence says whether the line at offset closes the fence that the line at
// opening opens.
func (d *document) closesFence(opening, offset int) bool {
	if offset >= len(d.src) {
		return false
	}
	line := strings.TrimSpace(d.md[offset:d.nextLine(offset)])
	open := d.md[opening:d.nextLine(opening)]
	for _, c := range "`~" {
		if at := strings.Index(open, strings.Repeat(string(c), 3)); at >= 0 {
			width := len(open[at:]) - len(strings.TrimLeft(open[at:], string(c)))
			if len(line) >= width && len(strings.Trim(line, string(c))) == 0 {
				return true
			}
		}
	}
	return false
}
