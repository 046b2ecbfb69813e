package form

import (
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// checklist reads the formats in which each box is a step: spec-kit's, OpenSpec's, and plain lists of boxes.
func (f *outline) checklist(d *draft, form Form) {
	mine := func(i item) bool { return isNumberOf(form, i.number) }
	numbered := slices.ContainsFunc(f.segments, func(s *segment) bool { return slices.ContainsFunc(s.items, mine) })
	for i, s := range f.segments {
		if len(s.items) == 0 || !f.maySteps(s) || numbered && !slices.ContainsFunc(s.items, mine) {
			continue // if boxes are numbered, boxes without a number among them are notes
		}
		under := f.heading(i)
		for _, item := range s.items {
			step := f.stepOf(item, form)
			step.group.segment = i
			step.serves = strings.Join(slices.DeleteFunc([]string{step.serves, under}, plan.Blank), "; ")
			f.take(item.line, item.to)
			d.steps = append(d.steps, step)
		}
		if s.level > 2 && under != "" && len(f.rest(s.line, s.to)) == 0 {
			f.take(s.head, s.to)
		}
	}
	d.note(Place{}, "boxes read as steps: %d", len(d.steps))
}

// isNumberOf reports whether a number is of the kind that a form uses.
func isNumberOf(form Form, number string) bool {
	return number != "" && (form == SpecKit || form == OpenSpec) && strings.HasPrefix(number, "T") == (form == SpecKit)
}

// heading returns what the steps of a segment serve: the level-2 heading above, and their own.
func (f *outline) heading(at int) string {
	s := f.segments[at]
	if s.level < 2 || s.part == at && f.meaning(s) == "steps" {
		return ""
	}
	text := s.serves
	if part := f.segments[s.part]; s.part != at && part.level == 2 && f.meaning(s) != "steps" && part.serves != "" {
		f.said[s.part] = true
		text = part.serves + " / " + text
	}
	f.said[at] = text != ""
	return text
}

// stepOf returns a step from an item of a checklist.
func (f *outline) stepOf(i item, form Form) *draftStep {
	s := &draftStep{place: f.at(f.Document.Line(i.box)), label: i.number, done: f.Document.Text[i.box+1] != ' '}
	s.title, s.id = cutWrittenID(i.text)
	if isNumberOf(form, i.number) {
		var number string
		if number, s.title = plan.CutNumber(plan.Stable(s.title)); number == "" {
			_, s.title = plan.CutNumber(plan.PlainText(s.title)) // **T001** title
		}
		if s.id == "" && strings.Trim(i.number, "0123456789") != "" {
			s.id = strings.ReplaceAll(strings.ToLower(i.number), ".", "-")
		}
	}
	var stories []string
	for m := mark().FindStringSubmatch(s.title); m != nil; m = mark().FindStringSubmatch(s.title) {
		s.title = s.title[len(m[0]):]
		if strings.EqualFold(m[1], "P") {
			s.group.parallel = true
		} else {
			stories = append(stories, m[1])
		}
	}
	s.serves = strings.Join(stories, ", ")
	s.body = f.below(s.place.Line, i.to, f.columnOf(i.box), i.node.FirstChild().Lines().Len() > 1)
	return s
}

// mark matches spec-kit's marks before a title: [P], and a story such as [US1].
var mark = visible.NewPattern(`^\[((?i:P|US\d+))\](?:\s+|$)`)

// group is the heading above a step, and whether the step is marked [P].
type group struct {
	segment  int
	parallel bool
}

// parallel sets the needs of steps if some are marked [P]: neighbours with the mark below one heading do not
// need each other, but all that comes before, and what comes next needs all of them.
func (d *draft) parallel() {
	const widest = 50 // steps that need nothing of each other; so needs stay linear
	var before, now []int
	d.name()
	for i, s := range d.steps {
		if i > 0 && (!s.group.parallel || s.group != d.steps[i-1].group || len(now) >= widest) {
			before, now = now, nil
		}
		now = append(now, i)
		if i == 0 || len(before) == 1 && before[0] == i-1 {
			continue
		}
		for _, n := range before {
			s.needs = append(s.needs, "#"+d.steps[n].id)
		}
		if len(before) == 0 {
			s.needs = []string{"none"}
		}
	}
}

// sections reads the formats in which each section is a step: ralphex's and the Planner/Executor format.
func (f *outline) sections(d *draft) {
	for _, at := range f.heads {
		head, to := f.segments[at], f.segments[f.lastOf(at)].to
		s := &draftStep{place: f.at(head.head), label: head.numbered.Label, own: f.isExported(at)}
		s.group.segment = head.part
		s.title, s.id = cutWrittenID(head.numbered.Title)
		if s.own {
			s.body = f.linesBetween(head.line, to, 0)
			if last := len(s.body) - 1; last >= 0 { // the box that Export writes for the step itself
				text, isBullet := strings.CutPrefix(s.body[last].text, "- ")
				if ticked, title, ok := plan.CutBox(text); isBullet && ok && plan.Stable(title) == plan.Stable(s.title) {
					s.done, s.body = ticked, s.body[:last].trimmed()
				}
			}
		} else {
			id, title := head.numbered.Named(s.title)
			if s.id == "" {
				s.id = id
			} else if id != "" { // the written id counts; the label is text
				title = strings.TrimSuffix(head.numbered.Label+": "+s.title, ": ")
			}
			s.title = parallelMark().ReplaceAllString(title, "")
			s.group.parallel = s.title != title
			s.body = f.fieldsAsBullets(head.line, to)
			s.done = head.numbered.Done || f.allTicked(head.line, to)
			if part := f.segments[head.part]; head.part != at && f.meaning(head) == "" && part.level == 2 &&
				!isPlanHeading(part.serves) {
				s.serves = part.serves
				f.said[head.part] = s.serves != ""
			}
		}
		f.take(head.head, to)
		d.steps = append(d.steps, s)
	}
	if !slices.ContainsFunc(f.heads, f.isExported) {
		d.note(Place{}, "sections read as steps, with their boxes as checklists: %d", len(f.heads))
	}
}

// parallelMark matches the mark [P] at either end of a title.
var parallelMark = visible.NewPattern(`^\[P\]\s*|\s*\[P\]$`)

// allTicked reports whether there are boxes in lines [from, to), and all are ticked.
func (s *source) allTicked(from, to int) bool {
	index := func(line int) int {
		n, _ := slices.BinarySearchFunc(s.boxes, line, func(box, line int) int { return s.Document.Line(box) - line })
		return n
	}
	boxes := s.boxes[index(from):index(to)]
	return len(boxes) > 0 && !slices.ContainsFunc(boxes, func(box int) bool { return s.Document.Text[box] == ' ' })
}

// fieldsAsBullets returns the text of a step's section. Lines such as `**File**: a.go` become bullets, as
// fields are; what continues one is indented, and so is a list or code below one without a value.
func (f *outline) fieldsAsBullets(from, to int) (out lines) {
	// part is the part of a field that the last line was; empty is a field without a value.
	const none, paragraph, empty, list = 0, 1, 2, 3
	field, fence, gap, files := none, "", false, false // gap: the line above is blank; files: the field lists them
	for _, l := range f.linesBetween(from, to, 0) {
		text := strings.Replace(strings.TrimSpace(l.text), "**File(s)", "**Files", 1)
		bold := boldField().FindStringSubmatch(text)
		isList, block := listItem().MatchString(l.text), newBlock().MatchString(l.text)
		fenced := block && fence == "" && (text[0] == '`' || text[0] == '~')
		switch {
		case fence != "":
			if field != none && text != "" {
				l.text = "  " + l.text
			}
			if strings.HasPrefix(text, fence) {
				if fence = ""; field == empty {
					field = none
				}
			}
		case text == "":
			if field == paragraph {
				field = none
			}
		case bold != nil && !strings.HasPrefix(l.text, " ") && (plan.FieldName(bold[1]) != "" || field == paragraph || field == empty && !gap):
			l.text, files = "- "+text, plan.FieldName(bold[1]) == "files"
			if field = paragraph; plan.Blank(bold[2]) {
				field = empty
			}
		case files && boxed().MatchString(l.text):
			field = none
		case field == paragraph && (isList || block), block && !(fenced && field == empty),
			gap && !isList && !fenced && !strings.HasPrefix(l.text, " "):
			field = none
		case field != none:
			if l.text = "  " + strings.TrimRight(l.text, " "); isList {
				field = list
			}
		}
		if fenced {
			fence = text[:3]
		}
		gap = text == ""
		out = append(out, l)
	}
	return out.trimmed()
}

var (
	boldField = visible.NewPattern(`^(?:\*\*|__)([^:*_]{1,40})(?::(?:\*\*|__)|(?:\*\*|__)[ ]*:)[*_ ]*(.*)$`)
	boxed     = visible.NewPattern(`^(?:[-*+]|\d{1,9}[.)]) +\[[ xX]\](?: |$)`)
	listItem  = visible.NewPattern(`^(?:[-*+]|\d{1,9}[.)]) `)
	newBlock  = visible.NewPattern("^(?:#{1,6}(?: |$)|>|<|```|~~~|(?:[-*_] ?){3,}$)")
)
