package form

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// recognise returns the format of a text, the reason, and a hint at another format if there is doubt.
func (f *outline) recognise() (form Form, reason, doubt string) {
	c := f.count()
	exported := slices.ContainsFunc(f.heads, f.isExported)
	switch {
	case c.ids > 0 && !exported:
		return Own, fmt.Sprintf("%d boxes under Steps have an id such as {#id}", c.ids), ""
	case exported || len(f.heads) > 0 && (2*c.loose <= c.boxes || c.boxes < 2*len(f.heads) && c.tasks+c.dotted == 0):
		head := f.segments[f.heads[0]]
		form, reason = Ralphex, fmt.Sprintf("headings such as `%s` (line %d) begin steps", plan.Shown(head.text), head.head)
		if 4*c.loose >= c.boxes && c.loose > 0 && !exported {
			doubt = fmt.Sprintf("%d of %d boxes are under no such heading; if each box is a step, use --form checklist",
				c.loose, c.boxes)
		}
		return form, reason, doubt
	}
	switch {
	case c.tasks > 2 || c.tasks > 0 && 2*c.tasks >= c.boxes:
		form, reason = SpecKit, fmt.Sprintf("%d of %d boxes have numbers such as T001", c.tasks, c.boxes)
	case c.dotted > 0 && 4*c.dotted >= c.boxes:
		form, reason = OpenSpec, fmt.Sprintf("%d of %d boxes have numbers such as 1.1", c.dotted, c.boxes)
	case c.steps > 0 && c.titled:
		form, reason = Own, "it has a title and boxes in a section of steps"
	case c.boxes > 0:
		form, reason = Checklist, "it has boxes"
	default:
		form, reason = Own, "it has neither boxes nor headings such as `### Task 1: what to do`"
	}
	return form, reason, doubt
}

// counts is the basis for recognising a format.
type counts struct {
	boxes, loose  int // all boxes that may be steps; those under no heading of a step
	steps, ids    int // boxes in a section of steps; those with an id
	tasks, dotted int // boxes numbered T001, and 1.1
	titled        bool
}

func (f *outline) count() (c counts) {
	for _, s := range f.segments {
		c.titled = c.titled || s.level == 1
		if !f.maySteps(s) {
			continue
		}
		for _, i := range s.items {
			c.boxes++
			if !s.inStep {
				c.loose++
			}
			if f.meaning(s) == "steps" {
				c.steps++
				if _, id := cutWrittenID(i.text); id != "" {
					c.ids++
				}
			}
			switch {
			case strings.HasPrefix(i.number, "T"):
				c.tasks++
			case strings.Contains(i.number, "."):
				c.dotted++
			}
		}
	}
	return c
}

// stepHeadings returns the headings that begin steps, all of one level: those that say Task or Iteration, else Step,
// else plain numbers in a section of steps; and numbers beside them. If some are in a section of steps, only those.
func (f *outline) stepHeadings() (out []int) {
	rank := func(s *segment) int {
		hasNumber := func(i item) bool { return i.number != "" }
		switch {
		case !s.numbered.Ok || s.level < 2 || f.meaning(s) == "notes":
			return 0
		case s.numbered.Word != "":
			return map[string]int{"task": 3, "step": 2}[s.numbered.Word]
		case s.level > 2 && f.meaning(s) == "steps" && !slices.ContainsFunc(s.items, hasNumber):
			return 1
		}
		return 0
	}
	best, level, inSteps, parts := 1, 0, false, map[int]bool{} // level-2 sections with such a heading
	for _, s := range f.segments {
		if r := rank(s); r > best || r == best && level == 0 {
			best, level, inSteps, parts = r, s.level, f.meaning(s) == "steps", map[int]bool{s.part: true}
		} else if r == best && s.level == level {
			inSteps, parts[s.part] = inSteps || f.meaning(s) == "steps", true
		}
	}
	for i, s := range f.segments {
		if is := f.meaning(s); s.numbered.Ok && s.level == level &&
			(is == "steps" || !inSteps && is != "notes" && parts[s.part]) {
			out = append(out, i)
		}
	}
	return out
}

// isExported reports whether a heading begins a step that Export wrote.
func (f *outline) isExported(at int) bool {
	s := f.segments[at]
	_, id := cutWrittenID(s.text)
	return id != "" && s.level == 3 && s.numbered.Word == "task" &&
		strings.Trim(s.numbered.Label, "0123456789") == "" && f.meaning(s) == "steps"
}

// lastOf returns the last segment of the step that begins with one.
func (f *outline) lastOf(at int) int {
	s := f.segments[at]
	for i := at + 1; i < len(f.segments); i++ {
		next := f.segments[i]
		if next.level < s.level || next.level == s.level && (s.level == 2 || next.numbered.Ok) {
			return i - 1
		}
	}
	return len(f.segments) - 1
}

// hidden returns where tasks may hide: open fences and comments, lines that resemble boxes, open boxes below a ticked
// one, and headings that say Task like those of steps but begin none. A deeper one with a label is a part of its step.
func (f *outline) hidden() []plan.Weakness {
	f.Document.Suspicious = nil
	f.Document.FindSwallowed()
	for _, s := range f.segments {
		if f.maySteps(s) {
			f.Document.FindUnread(s.first, s.end)
			for _, i := range s.items {
				boxes := f.Document.Boxes(i.node)
				if at := slices.IndexFunc(boxes, func(box int) bool { return f.Document.Text[box] == ' ' }); at > 0 &&
					f.Document.Text[boxes[0]] != ' ' {
					f.Document.Suspect(f.Document.Line(boxes[at]), plan.RuleUnread, "this box is open, though the one above it is ticked")
				}
			}
		}
		if len(f.heads) == 0 || s.begins || s.level < 2 || s.numbered.Word == "" {
			continue
		}
		if like := f.segments[f.heads[0]]; s.numbered.Word == like.numbered.Word && !(s.numbered.Ok && s.level > like.level) {
			f.Document.Suspect(s.head, plan.RuleUnread, fmt.Sprintf("`%s` is not read as a step: write it as `%s Task %d: what to do`",
				plan.Shown(s.text), strings.Repeat("#", like.level), len(f.heads)+1))
		}
	}
	return plan.InOrder(f.Document.Suspicious)
}

// reopen reopens done steps of other tools in which tasks may hide: perhaps not all of them were done.
func (d *draft) reopen(suspicious []plan.Weakness) {
	for _, s := range d.steps {
		last := s.place.Line
		for _, l := range s.body {
			last = max(last, l.from.Line)
		}
		at, _ := slices.BinarySearchFunc(suspicious, s.place.Line,
			func(p plan.Weakness, line int) int { return cmp.Compare(p.Line, line) })
		if s.done && !s.own && at < len(suspicious) && suspicious[at].Line <= last {
			s.done = false
			d.note(Place{Line: suspicious[at].Line}, "step `%s` stays open, though its boxes are ticked, because this line may be one of its tasks", plan.Shown(plan.PlainText(s.title)))
		}
	}
}

// notesTitle matches the titles, in lower case, of sections whose boxes are not steps.
var notesTitle = visible.NewPattern(`^(?:(?:dev|completion|implementation|review|qa|debug|release|open) )?notes?(?: list)?$|` +
	`^(?:definition of (?:done|ready)|dod|(?:acceptance|success|exit) criteria|dev agent record|qa results|file list|change ?log|out of scope|post-completion)\b|` +
	`^(?:steps |how )?to reproduce\b|^(?:reproduction|repro)\b`)

// isPlanHeading reports whether a heading names a section that any plan may have, rather than something that steps
// serve.
func isPlanHeading(text string) bool {
	name := plan.Normalize(strings.TrimSuffix(plan.PlainText(text), ":"))
	return plan.FieldName(name) != "" ||
		slices.Contains([]string{"overview", "context", "goal", "goals", "background", "notes", "acceptance criteria",
			"solution overview", "development approach", "testing strategy", "progress tracking", "what goes where",
			"technical details", "post-completion"}, name)
}

// foreignBox matches a box of another tool whose mark is neither open nor done.
var foreignBox = visible.NewPattern(`^[ \t]*(?:[-*+]|\d+[.)])[ \t]+(\[[~/<>!?|+-]\]\*?|\[[ xX]\]\*)(?:[ \t]|$)`)

// foreignBoxes returns the error for a text of another tool with such boxes, nil without any.
func (f *outline) foreignBoxes() error {
	if slices.ContainsFunc(f.heads, f.isExported) {
		return nil
	}
	var wrong []plan.Weakness
	for _, s := range f.segments {
		for n := s.line; n < s.to && f.maySteps(s); n++ {
			if m := foreignBox().FindStringSubmatch(f.raw(n)); m != nil && !f.fenced[n] {
				wrong = append(wrong, plan.Wrong(n, "step",
					fmt.Sprintf("`%s` is neither open nor done: write `[ ]` or `[x]`, or no box", m[1])))
			}
		}
	}
	if wrong == nil {
		return nil
	}
	return &plan.ParseError{Problems: wrong}
}
