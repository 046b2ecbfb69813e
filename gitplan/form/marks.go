package form

import (
	"maps"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"

	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// notesTitle matches the titles, in lower case, of sections whose boxes are not steps.
var notesTitle = visible.NewPattern(`^(?:(?:dev|completion|implementation|review|qa|debug|release|open) )?notes?(?: list)?$|` +
	`^(?:definition of (?:done|ready)|dod|(?:acceptance|success|exit) criteria|dev agent record|qa results|file list|change ?log|out of scope|post-completion)\b|` +
	`^(?:steps |how )?to reproduce\b|^(?:reproduction|repro)\b`)

// isPlanHeading reports whether a heading names a section that any plan may have, rather than something that steps
// serve.
func isPlanHeading(text string) bool {
	name := plan.Normalize(strings.TrimSuffix(plan.PlainText(text), ":"))
	return plan.FieldName(name) != "" || slices.Contains([]string{"overview", "context", "goal", "goals", "background", "notes", "acceptance criteria",
		"solution overview", "development approach", "testing strategy", "progress tracking", "what goes where", "technical details", "post-completion"}, name)
}

// The mark of an optional task, and its replacement.
const (
	optionalMark = "[ ]*"
	optional     = "(optional)"
)

var (
	// foreignBox matches a box whose mark is neither open nor done, or a box with the star of an optional task.
	foreignBox = visible.NewPattern(`^(?:\[[~/<>!?|+-]\]\*?|\[[ xX]\]\*)(?:[ \t]|$)`)
	// anyForeignBox matches one in a text: most have none, and need not be read for it.
	anyForeignBox = visible.NewPattern(`\[[~/<>!?|+-]\]|\[[ xX]\]\*`)
	struck        = visible.NewPattern(`^~~([^~]+)~~$`)
	// likeTask matches what people write for a task although no tool reads it as one.
	likeTask = visible.NewPattern(`^(?:[-*+]\s+|\d+[.)]\s+)?(?:[✅❌✔✓]|(?:TODO|FIXME)\b)`)
)

// plainBoxes replaces the boxes of other tools by plain ones, and returns their marks, such as [~] and [ ]*, by
// line.
func plainBoxes(src []byte, body int) ([]byte, map[int]string) {
	if !anyForeignBox.Match(src) {
		return src, nil
	}
	doc := plan.NewDocument(src)
	doc.ReadBlocks(body)
	marks := map[int]string{}
	var edits []plan.Edit
	_ = ast.Walk(doc.Root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		item, ok := n.(*ast.ListItem)
		if !ok || !entering {
			return ast.WalkContinue, nil
		}
		at, line, _ := doc.Boxed(item)
		sign := strings.TrimSpace(foreignBox.FindString(line.Line))
		if sign == "" {
			return ast.WalkContinue, nil
		}
		with := "[ ]"
		if ticked := strings.ToLower(sign[1:2]) == "x"; ticked {
			with = "[x]"
		} else {
			marks[doc.Line(at)] = sign
		}
		if sign == optionalMark {
			with += " " + optional
		}
		edits = append(edits, plan.Span{From: at, To: at + len(sign)}.With(with))
		return ast.WalkContinue, nil
	})
	return plan.Splice(src, edits...), marks
}

// marked applies a mark, and a struck-out title, to a step.
func (s *draftStep) marked(mark string) {
	if mark == optionalMark {
		s.status = plan.StepStatus{Word: "skipped", Reason: "optional"}
	}
	if m := struck.FindStringSubmatch(s.title); m != nil {
		s.title, s.status = m[1], plan.StepStatus{Word: "skipped", Reason: "struck out"}
	}
}

// noteMarks notes the marks of other tools, and lines that look like tasks but are not.
func (f *outline) noteMarks(d *draft) {
	for _, n := range slices.Sorted(maps.Keys(f.marks)) {
		if f.marks[n] != optionalMark {
			d.note(f.at(n), "`%s` is neither open nor done: its box is open", f.marks[n])
		}
	}
	for i := range f.segments {
		if s := &f.segments[i]; f.maySteps(s) {
			for n := s.line; n < s.to; n++ {
				if text := strings.TrimSpace(f.raw(n)); !f.taken[n] && !f.fenced[n] && likeTask.MatchString(text) {
					d.note(f.at(n), "`%s` is not read as a step: write `- [ ] what to do`", plan.Shown(text))
				}
			}
		}
	}
}

// noteStatus says why a step is skipped or blocked.
func (d *draft) noteStatus(s *draftStep) {
	if s.done {
		s.status = plan.StepStatus{}
	}
	if s.status.Word != "" {
		d.note(s.place, "step `%s` is %s: %s", plan.Shown(plan.PlainText(s.title)), s.status.Word, s.status.Reason)
	}
}

// states maps the states of other tools to ours: done, skipped, blocked, or "" for open.
var states = map[string]string{
	"done": "done", "completed": "done", "complete": "done", "closed": "done", "finished": "done",
	"cancelled": "skipped", "canceled": "skipped", "deferred": "skipped", "skipped": "skipped", "optional": "skipped", "wontfix": "skipped", "won't do": "skipped",
	"blocked": "blocked",
	"":        "", "pending": "", "open": "", "todo": "", "to do": "", "new": "", "not started": "", "ready": "", "backlog": "",
}

// hasStatus reads a state of another tool; an unknown one is noted.
func (d *draft) hasStatus(s *draftStep, v *object) {
	if v == nil || v.Kind == 'n' {
		return
	}
	word := strings.NewReplacer("_", " ", "-", " ").Replace(plan.Normalize(v.Text))
	switch state, known := states[word]; {
	case state == "done":
		s.done = true
	case state != "":
		s.status = plan.StepStatus{Word: state, Reason: "imported as " + word}
	case !known:
		d.note(Place{Line: v.Line}, "status `%s` is neither open nor done: the step is open", plan.Shown(v.Text))
	}
}
