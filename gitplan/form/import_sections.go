package form

import (
	"fmt"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// sections reads the forms in which a section is a step: ralphex's and the
// Planner/Executor form.
func (f *outline) sections(planner bool) *draft {
	d := &draft{}
	heads := f.stepHeadings()
	first := 0
	var groups []group
	parallel := false
	for _, at := range heads {
		head := &f.segments[at]
		last := f.lastOf(at)
		to := f.segments[last].to
		own := f.isExported(at)
		s := draftStep{place: f.at(head.head), label: head.numbered.Label, title: head.numbered.Title, own: own}
		s.title, s.id = cutWrittenID(s.title)
		if own {
			s.body = f.linesBetween(head.line, to, 0)
			s.takeOwnBox()
		} else {
			switch id, title := head.numbered.Named(s.title); {
			case s.id != "" && id != "": // the one that is written counts, the label is text
				s.title = strings.TrimSuffix(head.numbered.Label+": "+s.title, ": ")
			case s.id != "":
				s.title = title
			default:
				s.id, s.title = id, title
			}
			s.body = f.fieldsAsBullets(head.line, to)
			s.done = head.numbered.Done || f.allTicked(at, last)
			if part := &f.segments[head.part]; head.part != at && f.meaning(head) == "" && part.level == 2 && !isPlanHeading(part.serves) {
				s.serves = part.serves
				f.said[head.part] = s.serves != ""
			}
		}
		if title, marked := cutMark(s.title); marked && !own {
			s.title, parallel = title, true
			groups = append(groups, group{head.part, true})
		} else {
			groups = append(groups, group{head.part, false})
		}
		f.take(head.head, to)
		if first == 0 {
			first = head.head
		}
		d.steps = append(d.steps, s)
	}
	f.spread(d, first)
	f.noteLooseBoxes(d)
	titled := d.title
	d.title = withoutWord(d.title, "plan")
	if parallel {
		d.parallel(groups)
	}
	if !f.hasExported(heads) {
		f.noteRenamed(d, titled)
		d.note(Place{}, "sections read as steps, with their boxes as checklists: %d", len(heads))
	}
	d.planner = planner
	return d
}

// noteRenamed notes the headings that are renamed in the plan.
func (f *outline) noteRenamed(d *draft, titled string) {
	for i := range f.segments {
		s := &f.segments[i]
		switch {
		case s.level == 1 && d.title != titled && s.text == titled:
			d.note(f.at(s.head), "the title `%s` is now `%s`", plan.Shown(titled), plan.Shown(d.title))
			titled = d.title
		case s.level == 2 && f.meaning(s) == "steps" && plan.PlainText(s.text) != "Steps" && f.anyTaken(s.line, f.sectionEnd(i)):
			d.note(f.at(s.head), "`## %s` is now `## Steps`", plan.Shown(s.text))
		}
	}
}

// isPlanHeading reports whether a heading names a part that any plan may have. Steps below it
// do not serve it just for that.
func isPlanHeading(text string) bool {
	name := plan.Normalize(strings.TrimSuffix(plan.PlainText(text), ":"))
	return plan.FieldName(name) != "" || slices.Contains([]string{"overview", "context", "goal", "goals", "background", "notes", "acceptance criteria",
		"solution overview", "development approach", "testing strategy", "progress tracking", "what goes where", "technical details", "post-completion"}, name)
}

// allTicked reports whether there are boxes in some segments, and all are ticked.
func (f *outline) allTicked(from, to int) bool {
	var s plan.Step
	for _, segment := range f.segments[from : to+1] {
		for _, i := range segment.items {
			plan.FindBoxes(f.Document, &s, i.node)
		}
	}
	for _, box := range s.At.Boxes {
		if f.Document.Text[box] == ' ' {
			return false
		}
	}
	return len(s.At.Boxes) > 0
}

// noteLooseBoxes notes the boxes that are in no step.
func (f *outline) noteLooseBoxes(d *draft) {
	for i := range f.segments {
		s := &f.segments[i]
		if m := f.meaning(s); m != "" && m != "steps" {
			continue
		}
		loose := 0
		for _, i := range s.items {
			if !f.taken[i.line] {
				loose++
			}
		}
		if loose > 0 {
			under := "before any heading"
			if s.level > 0 {
				under = fmt.Sprintf("under `%s`", plan.Shown(s.text))
			}
			d.note(f.at(s.items[0].line), "boxes %s belong to no step, and stay as text: %d", under, loose)
		}
	}
}

// fieldsAsBullets returns the text of a step's section. Lines such as `**File**: a.go` become
// bullets, as fields are, and what continues them is indented; so is a list or code under one
// without a value.
func (f *outline) fieldsAsBullets(from, to int) (out lines) {
	const outside, inside, empty, ended, listed = 0, 1, 2, 3, 4 // of a field: in its paragraph, without a value, after an empty line, in its list
	state, fence := outside, ""
	for _, l := range f.span(from, to) {
		text := strings.Replace(strings.TrimSpace(l.text), "**File(s)", "**Files", 1)
		key, bold := boldKey(strings.TrimLeft(text, "*_"), l.text)
		bold = bold && fence == "" && (plan.FieldName(key) != "" || state == inside || state == empty)
		list, block := listItem.MatchString(l.text), fence == "" && newBlock.MatchString(l.text)
		fenced := block && (text[0] == '`' || text[0] == '~')
		switch {
		case fence != "":
			if state != outside {
				l.text = "  " + l.text
			}
		case text == "" && state == inside:
			state = outside
		case text == "" && state == empty:
			state = ended
		case text == "":
		case bold:
			if last := out.trimmed(); len(last) > 0 && len(last) == len(out) && state == outside && !inList.MatchString(last[len(last)-1].text) {
				out = append(out, line{})
			}
			l.text = "- " + text
			if state = inside; strings.Trim(text[strings.IndexByte(text, ':')+1:], "*_ ") == "" {
				state = empty
			}
		case state == inside && (list || block), block && !(fenced && (state == empty || state == ended)),
			(state == ended || state == listed && blankEnd(out)) && !list && !fenced && !strings.HasPrefix(l.text, " "):
			state = outside
		case state != outside:
			if state == ended {
				out = out.trimmed()
			}
			if l.text = "  " + strings.TrimRight(l.text, " "); list {
				state = listed
			}
		}
		switch {
		case fenced:
			fence = text[:3]
		case fence != "" && strings.HasPrefix(text, fence):
			fence = ""
			if state == empty || state == ended {
				state = outside
			}
		}
		out = append(out, l)
	}
	return out.trimmed()
}

func blankEnd(l lines) bool { return len(l) > 0 && plan.Blank(l[len(l)-1].text) }

var (
	listItem = visible.NewPattern(`^(?:[-*+]|\d{1,9}[.)]) `)
	inList   = visible.NewPattern(`^(?:[-*+]|\d{1,9}[.)]) |^ `)
	newBlock = visible.NewPattern("^(?:#{1,6}(?: |$)|>|<|```|~~~|(?:[-*_] ?){3,}$)")
)

// withoutWord removes a word such as "Plan:" from the start of a title.
func withoutWord(title, word string) string {
	first, rest, found := strings.Cut(title, ":")
	if found && strings.EqualFold(strings.TrimSpace(first), word) && !plan.Blank(rest) {
		return strings.TrimSpace(rest)
	}
	return title
}
