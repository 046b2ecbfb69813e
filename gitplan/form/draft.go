package form

import (
	"fmt"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"

	"github.com/git-plan/git-plan/gitplan/plan"
)

// draft is a plan during a conversion between formats. Its texts are lines of Markdown, without indentation by lists.
type draft struct {
	front    string // the lines of the front matter, without the "---"
	title    string
	summary  lines
	sections []draftSection
	steps    []*draftStep
	notes    []Note
}

// draftSection is a level-2 heading, or a later level-1 heading, and its text.
type draftSection struct {
	level int
	title string
	body  lines
	steps bool // the section of the steps, which have no text here
}

// theSteps is the section that stands for the steps.
var theSteps = draftSection{level: 2, title: "Steps", steps: true}

// is reports whether a section has a meaning; the section of the steps has none.
func (s *draftSection) is(meaning string) bool {
	return !s.steps && s.level == 2 && plan.SectionMeaning(s.title) == meaning
}

// draftStep is a step of a draft.
type draftStep struct {
	place Place
	label string // the name in other steps' references: a number, or a word such as T001
	id    string // empty: made from the title
	title string // the title as written, with its code spans
	done  bool
	own   bool // the step was written by this program, so each field is intended
	body  lines
	runs  bool // the field Command is the step's command

	status plan.StepStatus // skipped or blocked, according to another tool
	needs  []string        // IDs of needed steps, unless they are the default
	serves string          // the value of the field For
	group  group           // the group of steps that may be done side by side
}

// note records a necessary change.
func (d *draft) note(at Place, format string, args ...any) {
	d.notes = append(d.notes, Note{at, fmt.Sprintf(format, args...)})
}

// write returns the plan in this program's own format.
func (d *draft) write() (out lines) {
	block := func(l ...line) {
		if len(l) > 0 {
			out = append(append(out, l...), line{})
		}
	}
	if d.front != "" {
		block(linesOf("---\n" + d.front + "---")...)
	}
	block(line{text: heading(1, d.title)})
	block(d.summary...)
	for _, s := range d.sections {
		block(line{text: heading(s.level, s.title)})
		if s.steps {
			block(d.list()...)
		} else {
			block(s.body...)
		}
	}
	return out.trimmed()
}

// list returns the steps as a list of boxes.
func (d *draft) list() (out lines) {
	for _, s := range d.steps {
		box := " "
		if s.done {
			box = "x"
		}
		out = append(out, line{fmt.Sprintf("- [%s] %s {#%s}", box, s.title, s.id), s.place})
		// a dash alone underlines
		tight := len(s.body) == 0 || strings.HasPrefix(s.body[0].text, "- ") && !plan.Blank(s.body[0].text[2:])
		if !tight {
			out = append(out, line{from: s.place})
		}
		for _, line := range s.body.indented() {
			tight = tight && line.text != ""
			out = append(out, line)
		}
		if !tight {
			out = append(out, line{})
		}
	}
	return out.trimmed()
}

// heading returns the line of a heading. A "#" at the end of its text is kept.
func heading(level int, text string) string {
	marks := strings.Repeat("#", level)
	if strings.HasSuffix(text, "#") {
		return marks + " " + text + " " + marks
	}
	return strings.TrimRight(marks+" "+text, " ")
}

// complete gives the draft what write needs: names, no fence or comment left open, no second section of steps.
func (d *draft) complete() {
	d.name()
	if !slices.ContainsFunc(d.sections, func(s draftSection) bool { return s.steps }) { // before any section
		at := slices.IndexFunc(append(d.sections, draftSection{title: "Verification"}),
			func(s draftSection) bool { return s.title == "Verification" })
		d.sections = slices.Insert(d.sections, at, theSteps)
	}
	d.title = plan.Stable(d.title)
	d.summary = d.closed(d.summary)
	for i := range d.sections {
		s := &d.sections[i]
		s.title = plan.Stable(s.title)
		if s.is("steps") {
			s.title = strings.TrimSuffix(s.title, ":") + " (notes)"
		}
		s.body = d.closed(s.body)
	}
	for _, s := range d.steps {
		s.body = d.closed(s.body)
		var fields lines
		if s.status.Word != "" {
			fields = append(fields, line{"- Status: " + s.status.Word + " - " + s.status.Reason, s.place})
		}
		if len(s.needs) > 0 {
			fields = append(fields, line{"- Needs: " + strings.Join(s.needs, ", "), s.place})
		}
		if s.serves != "" {
			fields = append(fields, line{"- For: " + s.serves, s.place})
		}
		if len(s.body) > 0 && strings.HasPrefix(s.body[0].text, "- ") {
			s.body = append(fields, s.body...)
		} else {
			s.body = joinLines(fields, s.body) // no part of the text is to join them
		}
	}
}

// name gives each step a title in one line, and an id.
func (d *draft) name() {
	ids := make([]plan.Step, len(d.steps))
	taken := map[string]bool{}
	for i, s := range d.steps {
		if s.title = plan.Stable(s.title); s.title == "" {
			s.title = fmt.Sprintf("Step %d", i+1)
			d.note(s.place, "a step without a title is called `%s`", s.title)
		}
		if s.id != "" && (!plan.ValidID(s.id) || taken[s.id]) {
			d.note(s.place, "`%s` cannot be the step's id, or is that of another: it gets a new one", plan.Shown(s.id))
			s.id = ""
		}
		taken[s.id] = true
		ids[i] = plan.Step{ID: s.id, Title: plan.PlainText(s.title)}
	}
	plan.NameSteps(ids)
	for i, s := range d.steps {
		s.id = ids[i].ID
	}
}

// cutWrittenID splits a text into a title and the id at its end; id is "" without one.
func cutWrittenID(text string) (title, id string) {
	if title, id, ok := plan.CutID(text); ok && plan.ValidID(id) {
		return title, id
	}
	return text, ""
}

// closed ends a fence or comment that a text leaves open: it would swallow what follows.
func (d *draft) closed(l lines) lines {
	l = l.trimmed()
	text := l.String()
	if !strings.Contains(text, "```") && !strings.Contains(text, "~~~") && !strings.Contains(text, "<") {
		return l
	}
	doc := plan.NewDocument([]byte(text)).ReadBlocks(0)
	end := ""
	switch last := doc.Root.LastChild().(type) {
	case *ast.FencedCodeBlock:
		end = doc.MissingFence(last)
	case *ast.HTMLBlock:
		end = plan.MissingEnd(doc, last)
	}
	if end == "" {
		return l
	}
	d.note(l[len(l)-1].from, "what was opened above is closed here: `%s`", end)
	return append(l[:len(l):len(l)], line{end, Place{}})
}

// flat turns headings down to a level into text, and returns their places: they would split their section.
func flat(l lines, level int) (out lines, changed []Place) {
	l = slices.Clone(l)
	apart := map[int]bool{} // lines after which a paragraph must not continue
	doc := plan.NewDocument([]byte(l.String())).ReadBlocks(0)
	for _, p := range doc.Parts(level) {
		at := doc.Line(max(p.From-1, 0)) // the line below the heading, if there is one
		if at == p.Line && strings.HasPrefix(strings.TrimLeft(l[at-1].text, " "), "#") {
			apart[at-2] = true // nor may one above continue
		}
		s := l[at-1].text
		bare := strings.TrimLeft(s, " ")
		l[at-1].text = s[:len(s)-len(bare)] + `\` + bare
		changed = append(changed, l[at-1].from)
		apart[at-1] = true
	}
	for i, line := range l {
		if out = append(out, line); apart[i] && i+1 < len(l) && !plan.Blank(line.text) && !plan.Blank(l[i+1].text) {
			out = append(out, lines{{}}...)
		}
	}
	return out.trimmed(), changed
}

// flattened turns headings that would split their section into text.
func (d *draft) flattened(l lines) lines {
	out, changed := flat(l, 2)
	for _, at := range changed {
		d.note(at, "a heading in a text stays as text")
	}
	return out
}
