package gitplan

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// hidden is what hides tasks in a text of another form: fences and comments that
// swallow them, lines that look like boxes, and headings that look like those of steps.
func (f *foreign) hidden() []Problem {
	f.careless = nil
	f.findSwallowed()
	for i := range f.segments {
		s := &f.segments[i]
		if m := f.meaning(s); m == "" || m == "steps" {
			f.findUnread(s.first, s.end)
		}
	}
	f.findUnreadHeadings()
	return inOrder(f.careless)
}

// findUnreadHeadings looks for headings that say Task as those of steps do, and begin
// none: what stands under them belongs to the step above, or to none. One deeper, with
// a label, is a part of that step, and its boxes count there.
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
		if is[i] || s.level < 2 || s.numbered.word == "" || s.numbered.word != like.numbered.word || s.numbered.ok && s.level > like.level {
			continue
		}
		f.unread(s.head, fmt.Sprintf("`%s` is not read as a step: write it as `%s Task %d: what to do`", shown(s.text), strings.Repeat("#", like.level), len(heads)+1))
	}
}

// doubt takes back that steps are done beside what hides tasks: perhaps not all of them
// was. What this program wrote says by itself what is done.
func (d *draft) doubt(careless []Problem) {
	for _, p := range careless {
		at, on := slices.BinarySearchFunc(d.steps, p.Line, func(s draftStep, line int) int { return cmp.Compare(s.place.line, line) })
		if !on {
			at--
		}
		if at < 0 || !d.steps[at].done || d.steps[at].own {
			continue
		}
		d.steps[at].done = false
		d.note(place{line: p.Line}, "step `%s` stays open, though its boxes are ticked, for what stands here may be a task of it", shown(plainText(d.steps[at].title)))
	}
}
