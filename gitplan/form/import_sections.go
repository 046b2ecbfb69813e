package form

import (
	"fmt"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"

	"github.com/git-plan/git-plan/gitplan/markdown"
	"github.com/git-plan/git-plan/gitplan/plan"
)

// sections reads the forms in which a section is a step: ralphex's and the
// Planner/Executor form.
func (f *foreign) sections(planner bool) *draft {
	d := &draft{}
	heads := f.stepHeadings()
	first := 0
	var groups []group
	parallel := false
	for _, at := range heads {
		head := &f.segments[at]
		last := f.lastOf(at)
		to := f.segments[last].to
		own := f.isOwn(at)
		s := draftStep{place: f.at(head.head), label: head.numbered.Label, title: head.numbered.Title, own: own}
		s.title, s.id = cutWrittenID(s.title)
		if own {
			s.body = f.cut(head.line, to, 0)
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
			s.body = f.fieldsAsBullets(head, f.segments[last].end, to)
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
	if !f.own(heads) {
		f.noteRenamed(d, titled)
		d.note(Place{}, "sections read as steps, with their boxes as checklists: %d", len(heads))
	}
	d.planner = planner
	return d
}

// noteRenamed notes the headings that are renamed in the plan.
func (f *foreign) noteRenamed(d *draft, titled string) {
	for i := range f.segments {
		s := &f.segments[i]
		switch {
		case s.level == 1 && d.title != titled && s.text == titled:
			d.note(f.at(s.head), "the title `%s` is now `%s`", markdown.Shown(titled), markdown.Shown(d.title))
			titled = d.title
		case s.level == 2 && f.meaning(s) == "steps" && markdown.PlainText(s.text) != "Steps" && f.anyTaken(s.line, f.sectionEnd(i)):
			d.note(f.at(s.head), "`## %s` is now `## Steps`", markdown.Shown(s.text))
		}
	}
}

// isPlanHeading reports whether a heading names a part that any plan may have. Steps below it
// do not serve it just for that.
func isPlanHeading(text string) bool {
	name := markdown.Words(strings.TrimSuffix(markdown.PlainText(text), ":"))
	return plan.FieldName(name) != "" || slices.Contains([]string{"overview", "context", "goal", "goals", "background", "notes", "acceptance criteria",
		"solution overview", "development approach", "testing strategy", "progress tracking", "what goes where", "technical details", "post-completion"}, name)
}

// allTicked reports whether there are boxes in some segments, and all are ticked.
func (f *foreign) allTicked(from, to int) bool {
	var s plan.Step
	for _, segment := range f.segments[from : to+1] {
		for _, i := range segment.items {
			plan.FindBoxes(f.Document, &s, i.node)
		}
	}
	for _, box := range s.At.Boxes {
		if f.Text[box] == ' ' {
			return false
		}
	}
	return len(s.At.Boxes) > 0
}

// noteLooseBoxes notes the boxes that are in no step.
func (f *foreign) noteLooseBoxes(d *draft) {
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
				under = fmt.Sprintf("under `%s`", markdown.Shown(s.text))
			}
			d.note(f.at(s.items[0].line), "boxes %s belong to no step, and stay as text: %d", under, loose)
		}
	}
}

// fieldsAsBullets returns the text of a step's section. Paragraphs such as `**File**: a.go`
// become bullets, as fields are; a list under one without a value is nested in it.
func (f *foreign) fieldsAsBullets(head *segment, end ast.Node, to int) lines {
	var out lines
	from := head.line
	under := false // the text so far ends with a field without a value
	for n := head.first; n != nil && n != end; n = n.NextSibling() {
		next := to
		if after := n.NextSibling(); after != nil && after != end {
			next = min(f.lineAfter(n), to)
		}
		if next <= from {
			continue
		}
		block := f.span(from, next)
		from = next
		switch n.(type) {
		case *ast.Paragraph:
			block, under = bulletsOf(block)
			out = append(out, block...)
			continue
		case *ast.List:
			list, fields := lazyFields(block)
			if under {
				list = list.indented()
				out = out.trimmed()
			}
			out, under = append(out, list...), false
			for _, field := range fields {
				field, under = bulletsOf(field)
				out = append(out.trimmed(), field...)
			}
			continue
		case *ast.FencedCodeBlock:
			if under {
				out = append(out.trimmed(), block.indented()...)
				under = false
				continue
			}
		}
		out, under = append(out, block...), false
	}
	return append(out, f.span(from, to)...).trimmed()
}

// lazyFields splits a list's text from the fields right below it. To Markdown these, and what
// is listed under them, belong to the list's last item.
func lazyFields(block lines) (list lines, fields []lines) {
	at := len(block)
	for i := len(block) - 1; i > 0; i-- {
		text := block[i].text
		key, ok := boldKey(strings.TrimLeft(text, "*_"), text)
		if ok && strings.HasPrefix(text, "**") && plan.FieldName(key) != "" {
			fields = append(fields, block[i:at])
			at = i
		}
	}
	slices.Reverse(fields)
	return block[:at], fields
}

// bulletsOf turns a paragraph into bullets, from the first line that begins with the bold key
// of a field. It reports whether the last key has no value.
func bulletsOf(block lines) (out lines, empty bool) {
	began := false
	for _, l := range block {
		text := strings.TrimSpace(l.text)
		text = strings.Replace(text, "**File(s)", "**Files", 1)
		key, ok := boldKey(strings.TrimLeft(text, "*_"), text)
		if !began && ok && plan.FieldName(key) != "" {
			began = true
			if len(out) > 0 {
				out = append(out, line{})
			}
		}
		switch {
		case !began:
			out = append(out, l)
		case text == "":
			out = append(out, line{"", l.from})
		case ok:
			out = append(out, line{"- " + text, l.from})
			empty = strings.Trim(text[strings.IndexByte(text, ':')+1:], "*_ ") == ""
		case strings.HasPrefix(l.text, " "): // deeper in a list
			out, empty = append(out, line{"  " + l.text, l.from}), false
		default:
			out, empty = append(out, line{"  " + text, l.from}), false
		}
	}
	return out, empty
}

// withoutWord removes a word such as "Plan:" from the start of a title.
func withoutWord(title, word string) string {
	first, rest, found := strings.Cut(title, ":")
	if found && strings.EqualFold(strings.TrimSpace(first), word) && !markdown.Blank(rest) {
		return strings.TrimSpace(rest)
	}
	return title
}
