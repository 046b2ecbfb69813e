package form

import (
	"strings"

	"github.com/yuin/goldmark/ast"

	"github.com/git-plan/git-plan/gitplan/markdown"
	"github.com/git-plan/git-plan/gitplan/plan"
)

// countBoxes counts the boxes of a step's checklist. If the step is done, it ticks them:
// ralphex has no other mark for that.
func countBoxes(body lines, done bool) (open, ticked int) {
	doc := markdown.New([]byte(body.String()))
	doc.ReadBlocks(0)
	var s plan.Step
	for n := doc.Root.FirstChild(); n != nil; n = n.NextSibling() {
		if list, ok := n.(*ast.List); ok {
			for item := list.FirstChild(); item != nil; item = item.NextSibling() {
				plan.FindBoxes(doc, &s, item)
			}
		}
	}
	for _, at := range s.At.Boxes {
		n := doc.Line(at)
		column := at - doc.Lines[n-1]
		if done {
			body[n-1].text = body[n-1].text[:column] + "x" + body[n-1].text[column+1:]
		}
		if body[n-1].text[column] == ' ' {
			open++
		} else {
			ticked++
		}
	}
	return open, ticked
}

// takeOwnBox removes the box that Export writes for a step without a checklist: the last one,
// with the step's title.
func (s *draftStep) takeOwnBox() {
	if len(s.body) == 0 {
		return
	}
	text, isBullet := strings.CutPrefix(s.body[len(s.body)-1].text, "- ")
	ticked, title, ok := markdown.CutBox(text)
	if isBullet && ok && markdown.Stable(title) == markdown.Stable(s.title) {
		s.done = ticked
		s.body = s.body[:len(s.body)-1].trimmed()
		return
	}
	open, done := countBoxes(append(lines{}, s.body...), false)
	s.done = done > 0 && open == 0
}

// endsWithOwn reports whether the last line of a body is the box that stands for the step.
func endsWithOwn(body lines, title string) bool {
	s := draftStep{title: title, body: append(lines{}, body...)}
	s.takeOwnBox()
	return len(s.body) < len(body)
}
