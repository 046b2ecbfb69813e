package form

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/markdown"
)

// hidden returns what hides tasks in a text of another form: fences and comments that swallow
// tasks, lines that look like boxes, and headings that look like those of steps.
func (f *foreign) hidden() []markdown.Problem {
	f.Careless = nil
	f.FindSwallowed()
	for i := range f.segments {
		s := &f.segments[i]
		if m := f.meaning(s); m == "" || m == "steps" {
			f.FindUnread(s.first, s.end)
		}
	}
	f.findUnreadHeadings()
	return markdown.InOrder(f.Careless)
}

// findUnreadHeadings finds headings that say Task like those of steps, but begin none: what is
// under them belongs to the step above, or to no step. A deeper one with a label is a part of
// that step, whose boxes include its own.
func (f *foreign) findUnreadHeadings() {
	heads := f.stepHeadings()
	if len(heads) == 0 {
		return
	}
	is := map[int]bool{}
	for _, at := range heads {
		is[at] = true
	}
	like := &f.segments[heads[0]]
	for i := range f.segments {
		s := &f.segments[i]
		if is[i] || s.level < 2 || s.numbered.Word == "" || s.numbered.Word != like.numbered.Word || s.numbered.Ok && s.level > like.level {
			continue
		}
		f.Unread(s.head, fmt.Sprintf("`%s` is not read as a step: write it as `%s Task %d: what to do`", markdown.Shown(s.text), strings.Repeat("#", like.level), len(heads)+1))
	}
}

// doubt reopens done steps next to something that hides tasks: perhaps not all of the step was
// done. It trusts what this program wrote.
func (d *draft) doubt(careless []markdown.Problem) {
	for _, p := range careless {
		at, on := slices.BinarySearchFunc(d.steps, p.Line, func(s draftStep, line int) int { return cmp.Compare(s.place.Line, line) })
		if !on {
			at--
		}
		if at < 0 || !d.steps[at].done || d.steps[at].own {
			continue
		}
		d.steps[at].done = false
		d.note(Place{Line: p.Line}, "step `%s` stays open, though its boxes are ticked, because this line may be one of its tasks", markdown.Shown(markdown.PlainText(d.steps[at].title)))
	}
}
