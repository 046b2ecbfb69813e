package form

import (
	"fmt"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/markdown"
	"github.com/git-plan/git-plan/gitplan/plan"
)

// draft is a plan between two forms: what an importer makes of a text, and what
// an exporter writes. Its texts are lines of Markdown as they stand outside of
// any list.
type draft struct {
	front    string // the lines between the marks of the front matter
	title    string
	summary  Lines
	Sections []DraftSection
	At       int // the steps stand before sections[at]
	Steps    []draftStep
	notes    []Note
	planner  bool // Command is a field, as in the Planner/Executor form
}

// DraftSection is a level-2 heading, or a later level-1 heading, and its text.
type DraftSection struct {
	Level int
	Title string
	Body  Lines
}

// draftStep is a step on its way.
type draftStep struct {
	place place
	label string // what other steps call it by: a number, or a word such as T001
	id    string // empty: made from the title
	title string // as written, with its code spans
	Done  bool
	own   bool // this program wrote it: every field in it is meant
	Body  Lines

	needs  []string // ids, where they are not just the step above
	serves string   // what the field For says
}

// place is where something stands in what is imported.
type place struct {
	File string // of a queue folder; empty elsewhere
	Line int    // from 1; 0 where it stands nowhere
}

// line is a line without its end, and where it came from.
type line struct {
	text string
	from place
}

type Lines []line

func (l Lines) String() string {
	var b strings.Builder
	for _, line := range l {
		b.WriteString(line.text)
		b.WriteByte('\n')
	}
	return b.String()
}

// trimmed leaves out the blank lines around a text.
func (l Lines) trimmed() Lines {
	for len(l) > 0 && markdown.Blank(l[0].text) {
		l = l[1:]
	}
	for len(l) > 0 && markdown.Blank(l[len(l)-1].text) {
		l = l[:len(l)-1]
	}
	return l
}

// linesOf are the lines of a text that stands at a place.
func linesOf(text string, at place) Lines {
	if markdown.Blank(text) {
		return nil
	}
	var out Lines
	for i, s := range strings.Split(strings.TrimRight(markdown.ToLF(text), "\r\n"), "\n") {
		from := at
		if at.Line > 0 {
			from.Line += i
		}
		out = append(out, line{s, from})
	}
	return out.trimmed()
}

// without leaves out lines.
func (l Lines) without(drop map[int]bool) Lines {
	if len(drop) == 0 {
		return l
	}
	var out Lines
	for i, line := range l {
		if !drop[i] {
			out = append(out, line)
		}
	}
	return out
}

// indented puts blanks before all lines but blank ones.
func (l Lines) indented(by string) Lines {
	out := make(Lines, len(l))
	for i, line := range l {
		if out[i] = line; !markdown.Blank(line.text) {
			out[i].text = by + line.text
		}
	}
	return out
}

// prepended puts bullets before a text in which nothing of it becomes theirs.
func (l Lines) prepended(bullets Lines) Lines {
	switch {
	case len(bullets) == 0:
		return l
	case len(l) == 0 || strings.HasPrefix(l[0].text, "- "):
		return append(slices.Clip(bullets), l...)
	case strings.HasPrefix(l[0].text, " "):
		return append(append(slices.Clip(l), line{}), bullets...)
	}
	return append(append(slices.Clip(bullets), line{}), l...)
}

// note tells of what could not stay as it was.
func (d *draft) note(at place, format string, args ...any) {
	d.notes = append(d.notes, Note{File: at.File, Line: at.Line, Text: fmt.Sprintf(format, args...)})
}

// origin says what a line of the written plan came from: which line of which
// step's body, or where else it stood.
type origin struct {
	from       place
	step, line int // the step's index, or -1
}

// Write gives the plan in this program's own form, and the origin of each line.
func (d *draft) Write() (string, []origin) {
	var b strings.Builder
	var from []origin
	put := func(text string, o origin) {
		b.WriteString(text)
		b.WriteByte('\n')
		from = append(from, o)
	}
	text := func(l Lines) {
		for _, line := range l {
			put(line.text, origin{line.from, -1, 0})
		}
		put("", origin{step: -1})
	}
	if d.front != "" {
		text(linesOf("---\n"+d.front+"---", place{}))
	}
	text(Lines{{text: heading(1, d.title)}})
	if len(d.summary) > 0 {
		text(d.summary)
	}
	for i := range len(d.Sections) + 1 {
		if i == d.At {
			text(Lines{{text: "## Steps"}})
			d.writeSteps(put)
		}
		if i < len(d.Sections) {
			s := d.Sections[i]
			text(Lines{{text: heading(s.Level, s.Title)}})
			if len(s.Body) > 0 {
				text(s.Body)
			}
		}
	}
	return strings.TrimRight(b.String(), "\n") + "\n", from
}

func (d *draft) writeSteps(put func(string, origin)) {
	const indent = "  "
	for i, s := range d.Steps {
		put(s.item(), origin{s.place, i, -1})
		tight := len(s.Body) == 0 || strings.HasPrefix(s.Body[0].text, "- ") && !markdown.Blank(s.Body[0].text[2:]) // a dash alone underlines
		if !tight {
			put("", origin{step: i, line: -1})
		}
		for j, line := range s.Body {
			if tight = tight && line.text != ""; line.text != "" {
				line.text = indent + line.text
			}
			put(line.text, origin{line.from, i, j})
		}
		if !tight || i == len(d.Steps)-1 {
			put("", origin{step: -1})
		}
	}
}

// item is the first line of a step.
func (s *draftStep) item() string {
	box := " "
	if s.Done {
		box = "x"
	}
	return fmt.Sprintf("- [%s] %s {#%s}", box, s.title, s.id)
}

// heading writes a heading so that a "#" at the end of its text stays there.
func heading(level int, text string) string {
	marks := strings.Repeat("#", level)
	if strings.HasSuffix(text, "#") {
		return marks + " " + text + " " + marks
	}
	return strings.TrimRight(marks+" "+text, " ")
}

// Complete makes the draft what write needs: names, no fence or comment left
// open, no second section of steps.
func (d *draft) Complete() {
	d.name()
	d.title = markdown.Stable(d.title)
	d.summary = d.closed(d.summary)
	for i := range d.Sections {
		s := &d.Sections[i]
		s.Title = markdown.Stable(s.Title)
		if s.Level == 2 && plan.SectionMeaning(s.Title) == "steps" {
			s.Title = strings.TrimSuffix(s.Title, ":") + " (notes)"
		}
		s.Body = d.closed(s.Body)
	}
	for i := range d.Steps {
		s := &d.Steps[i]
		s.Body = d.closed(s.Body)
		var fields Lines
		if len(s.needs) > 0 {
			fields = append(fields, line{"- Needs: " + strings.Join(s.needs, ", "), s.place})
		}
		if s.serves != "" {
			fields = append(fields, line{"- For: " + s.serves, s.place})
		}
		s.Body = s.Body.prepended(fields)
	}
}

// name gives every step a title in one line and an id.
func (d *draft) name() {
	ids := make([]plan.Step, len(d.Steps))
	taken := map[string]bool{}
	for i := range d.Steps {
		s := &d.Steps[i]
		if s.title = markdown.Stable(s.title); s.title == "" {
			s.title = fmt.Sprintf("Step %d", i+1)
			d.note(s.place, "a step without a title is called `%s`", s.title)
		}
		if s.id != "" && (!markdown.ValidID(s.id) || taken[s.id]) {
			other := markdown.Slug(s.id+" "+markdown.PlainText(s.title), markdown.SlugLength)
			if taken[other] || !markdown.ValidID(other) {
				other = ""
			}
			d.note(s.place, "`%s` cannot be the step's id, or is that of another: it gets a new one", markdown.Shown(s.id))
			s.id = other
		}
		taken[s.id] = true
		ids[i] = plan.Step{ID: s.id, Title: markdown.PlainText(s.title)}
	}
	plan.FillIDs_(ids)
	for i := range d.Steps {
		d.Steps[i].id = ids[i].ID
	}
}

// cutWrittenID parts a text and the id at its end. What is no id is text.
func cutWrittenID(text string) (title, id string) {
	if title, id, ok := markdown.CutID(text); ok && markdown.ValidID(id) {
		return title, id
	}
	return text, ""
}
