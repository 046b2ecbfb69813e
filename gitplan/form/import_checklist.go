package form

import (
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/plan"
)

// checklist reads the forms in which a box is a step: spec-kit's, OpenSpec's,
// and lists of boxes.
func (f *outline) checklist(form Form) *draft {
	d := &draft{}
	first := 0
	var groups []group
	mine := func(i item) bool { return isNumberOf(form, i.number) }
	numbered := slices.ContainsFunc(f.segments, func(s segment) bool { return slices.ContainsFunc(s.items, mine) })
	for i := range f.segments {
		s := &f.segments[i]
		if m := f.meaning(s); len(s.items) == 0 || m != "" && m != "steps" || numbered && !slices.ContainsFunc(s.items, mine) {
			continue // if boxes have numbers, those without one around them are notes
		}
		under := f.heading(i)
		for _, item := range s.items {
			step := f.stepOf(item, form)
			if step.serves == "" || under == "" {
				step.serves += under
			} else {
				step.serves += "; " + under
			}
			f.take(item.line, item.to)
			if first == 0 {
				first = item.line
			}
			d.steps = append(d.steps, step.draftStep)
			groups = append(groups, group{segment: i, parallel: step.parallel})
		}
		if s.level > 2 && under != "" && len(f.rest(s.line, s.to)) == 0 {
			f.take(s.head, s.to)
		}
	}
	f.spread(d, first)
	f.noteLooseBoxes(d)
	titled := d.title
	d.title = withoutWord(withoutWord(d.title, "tasks"), "plan")
	f.noteRenamed(d, titled)
	d.parallel(groups)
	d.note(Place{}, "boxes read as steps: %d", len(d.steps))
	return d
}

// isNumberOf reports whether a number is of the kind that a form uses.
func isNumberOf(form Form, number string) bool {
	switch form {
	case SpecKit:
		return strings.HasPrefix(number, "T")
	case OpenSpec:
		return number != "" && !strings.HasPrefix(number, "T")
	}
	return false
}

// heading returns what the steps of a segment serve: the level-2 heading above them, and the
// one they are under.
func (f *outline) heading(at int) string {
	s := &f.segments[at]
	if s.level < 2 || s.part == at && f.meaning(s) == "steps" {
		return ""
	}
	if name := plan.Normalize(strings.TrimSuffix(plan.PlainText(s.text), ":")); s.part == at && (name == "step" || name == "task") {
		f.said[at] = true // Steps, misspelt, which no step serves
		return ""
	}
	text := s.serves
	if part := &f.segments[s.part]; s.part != at && part.level == 2 && f.meaning(s) != "steps" && text != "" {
		above := part.serves
		if above == "" {
			return ""
		}
		f.said[s.part] = true
		text = above + " / " + text
	}
	f.said[at] = text != ""
	return text
}

// boxStep returns a step from an item of a checklist.
type boxStep struct {
	draftStep
	parallel bool
}

func (f *outline) stepOf(i item, form Form) boxStep {
	s := boxStep{draftStep: draftStep{place: f.at(f.Document.Line(i.box)), done: f.Document.Text[i.box+1] != ' '}}
	s.title, s.id = cutWrittenID(i.text)
	s.label = i.number
	if isNumberOf(form, i.number) {
		var number string
		if number, s.title = plan.CutNumber(plan.Stable(s.title)); number == "" {
			_, s.title = plan.CutNumber(plan.PlainText(s.title)) // **T001** title
		}
	}
	if s.id == "" && isNumberOf(form, i.number) && strings.Trim(i.number, "0123456789") != "" {
		s.id = strings.ReplaceAll(strings.ToLower(i.number), ".", "-")
	}
	var stories []string
	for strings.HasPrefix(s.title, "[") {
		tag, rest, ok := strings.Cut(s.title[1:], "]")
		switch {
		case ok && strings.EqualFold(tag, "P"):
			s.parallel = true
		case ok && isStory(tag):
			stories = append(stories, tag)
		default:
			ok = false
		}
		if !ok || strings.HasPrefix(rest, "(") {
			break
		}
		s.title = strings.TrimSpace(rest)
	}
	s.serves = strings.Join(stories, ", ")
	columns := f.columnOf(i.box)
	s.body = f.below(f.Document.Line(i.box), i.to, columns, i.node.FirstChild().Lines().Len() > 1)
	return s
}

// isStory reports whether a mark is one of spec-kit's stories, such as US1.
func isStory(tag string) bool {
	number, ok := strings.CutPrefix(strings.ToUpper(tag), "US")
	return ok && number != "" && strings.Trim(number, "0123456789") == ""
}

// group is the heading that a step is under, and whether it is marked [P].
type group struct {
	segment  int
	parallel bool
}

// parallel sets the needs of the steps if some are marked [P]: neighbours with the mark do not
// need each other, but all that comes before them, and what comes next needs all of them. A
// heading ends a neighbourhood.
func (d *draft) parallel(groups []group) {
	const widest = 50 // steps that need nothing of each other; so needs stay linear
	var before, now []int
	d.name()
	for i, g := range groups {
		if i > 0 && (!g.parallel || !groups[i-1].parallel || g.segment != groups[i-1].segment || len(now) >= widest) {
			if g.parallel && len(now) >= widest && groups[i-1].parallel && g.segment == groups[i-1].segment {
				d.note(d.steps[i].place, "more than %d steps side by side: this one and those after it need those before it", widest)
			}
			before, now = now, nil
		}
		now = append(now, i)
		if i == 0 || len(before) == 1 && before[0] == i-1 {
			continue
		}
		for _, n := range before {
			d.steps[i].needs = append(d.steps[i].needs, "#"+d.steps[n].id)
		}
		if len(before) == 0 {
			d.steps[i].needs = []string{"none"}
		}
	}
}

// cutMark removes the mark [P] from either end of a title.
func cutMark(title string) (rest string, ok bool) {
	if rest, ok = strings.CutPrefix(title, "[P]"); !ok {
		rest, ok = strings.CutSuffix(title, "[P]")
	}
	return strings.TrimSpace(rest), ok
}
