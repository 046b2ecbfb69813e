package form

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/plan"
)

// Exported is a plan in another form.
type Exported struct {
	Files []File // one without a name for all forms but a queue
	Notes []Note // the parts of the plan that the form cannot represent
}

// File is a file to write; its name has slashes.
type File struct {
	Name string
	Text []byte
}

// Export writes a plan in another format such that Import restores it: the same front matter, title, sections, and
// steps with their ids, boxes and texts, to the byte except for indentation and blank lines. Own returns the plan
// unchanged. Ralphex loses headings of level 1 to 3 inside a step (they become text, with a note), the title of
// Checks, and which boxes of a done step's checklist are ticked; a queue loses the place of rules and steps. The
// error is a ParseError, or of kind ErrForm if the format cannot be written.
func Export(src []byte, form Form) (*Exported, error) {
	p, err := plan.Parse(src)
	if err != nil {
		return nil, err
	}
	switch form {
	case Own:
		return &Exported{Files: []File{{Text: src}}}, nil
	case JSON:
		return exportJSON(p)
	}
	d := draftOf(p)
	d.complete()
	switch form {
	case Ralphex:
		return d.exportRalphex(), nil
	case Queue:
		return d.exportQueue(), nil
	}
	return nil, fault.New(fault.ErrForm, "plans are not written as %s", form)
}

// draftOf returns a plan of this program's own form as a draft.
func draftOf(p *plan.Plan) *draft {
	d := &draft{front: plan.ToLF(string(p.Source[p.FrontMatter.Inner.From:p.FrontMatter.Inner.To]))}
	f := newOutline(p.Source, p.FrontMatter.Body)
	for i := range p.Steps {
		s := &p.Steps[i]
		from := f.Document.Line(s.At.Item.From)
		to := f.lineAt(s.At.Item.To)
		f.take(from, to)
		bracket := s.At.Box - 1
		box := f.Document.Line(bracket)
		columns := f.columnOf(bracket)
		if box > from {
			columns = len(dedent(f.raw(from), 0, false)) + 1 // a marker alone in its line
		}
		head := strings.TrimSpace(p.WrittenTitle(s))
		d.steps = append(d.steps, &draftStep{place: f.at(box), id: s.ID, title: head, done: s.Box, own: true,
			body: f.below(box, to, columns, s.At.Head > f.Document.NextLine(bracket))})
	}
	f.spread(d)
	return d
}

// exportRalphex writes sections `### Task N: title {#id}`, each with a last box that says whether the step is done.
func (d *draft) exportRalphex() *Exported {
	out := &Exported{}
	var steps lines
	for i, s := range d.steps {
		body, changed := flat(s.body, 3)
		for _, at := range changed {
			out.Notes = append(out.Notes, Note{Place{Line: at.Line},
				fmt.Sprintf("a heading inside step %s becomes text: in this form it would end the step", s.id)})
		}
		box := line{text: "- [ ] " + s.title}
		if s.done {
			tick(body) // ralphex has no other mark
			box.text = "- [x] " + s.title
		}
		steps = append(steps, line{text: fmt.Sprintf("### Task %d: %s {#%s}", i+1, s.title, s.id)}, line{})
		if len(body) > 0 && strings.HasPrefix(body[len(body)-1].text, "- ") {
			steps = append(steps, append(body, box)...)
		} else {
			steps = append(steps, joinLines(body, lines{box})...)
		}
		steps = append(steps, line{})
	}
	for i := range d.sections {
		switch s := &d.sections[i]; {
		case s.steps:
			*s = draftSection{level: 2, title: "Implementation Steps", body: steps.trimmed()}
		case s.is("checks"):
			s.title = "Validation Commands"
		}
	}
	out.Files = []File{{Text: []byte(d.write().String())}}
	return out
}

// tick ticks the boxes of a checklist.
func tick(body lines) {
	doc := plan.NewDocument([]byte(body.String())).ReadBlocks(0)
	for _, at := range doc.Boxes(doc.Root) {
		l, column := &body[doc.Line(at)-1].text, at-doc.LineStart(at)
		*l = (*l)[:column] + "x" + (*l)[column+1:]
	}
}

// exportQueue writes scope.md, rules.md and a file `# title {#id}` for each step, with a ticked box if it is done.
func (d *draft) exportQueue() *Exported {
	var rules lines
	sections := d.sections
	d.sections = nil
	for _, s := range sections {
		switch {
		case s.is("rules"):
			rules = joinLines(rules, s.body)
			continue
		case s.steps:
			s = draftSection{level: 2, title: "Steps", body: lines{{text: queueSteps}}}
		}
		d.sections = append(d.sections, s)
	}
	out := &Exported{Files: []File{{"scope.md", []byte(d.write().String())}}}
	if len(rules) > 0 {
		out.Files = append(out.Files, File{"rules.md", []byte("# Rules\n\n" + rules.String())})
	}
	width := max(len(fmt.Sprint(len(d.steps))), 2)
	for i, s := range d.steps {
		box := ""
		if _, _, looksBoxed := plan.CutBox(s.title); s.done {
			box = "[x] "
		} else if looksBoxed {
			box = "[ ] "
		}
		text := fmt.Sprintf("# %s%s {#%s}\n", box, s.title, s.id)
		if len(s.body) > 0 {
			text += "\n" + s.body.String()
		}
		name := fmt.Sprintf("tasks/%0*d-%s.md", width, i+1, strings.Trim(s.id, "-"))
		out.Files = append(out.Files, File{name, []byte(text)})
	}
	return out
}

// jsonPlan is a plan in JSON: `markdown` is the plan, the other members repeat it for programs.
type jsonPlan struct {
	Schema       int        `json:"schema"`
	Title        string     `json:"title"`
	Summary      string     `json:"summary"`
	Steps        []jsonStep `json:"steps"`
	TestCriteria []string   `json:"test_criteria"`
	Risks        []string   `json:"risks"`
	Markdown     string     `json:"markdown"`
}

type jsonStep struct {
	Order         int      `json:"order"`
	ID            string   `json:"id"`
	Title         string   `json:"title"`
	Done          bool     `json:"done"`
	Description   string   `json:"description"`
	FilesToModify []string `json:"files_to_modify"`
	FilesToCreate []string `json:"files_to_create"`
	Validation    []string `json:"validation"`
	Needs         []string `json:"needs"`
}

func exportJSON(p *plan.Plan) (*Exported, error) {
	out := jsonPlan{Schema: 1, Title: p.Title, Summary: p.Summary, Steps: []jsonStep{},
		TestCriteria: textsOf(p.Verification), Risks: []string{}, Markdown: string(p.Source)}
	for _, s := range p.Sections {
		for line := range strings.Lines(s.Body) {
			if risk, ok := strings.CutPrefix(line, "- "); ok && strings.HasPrefix(plan.Normalize(s.Title), "risks") {
				out.Risks = append(out.Risks, strings.TrimSpace(risk))
			}
		}
	}
	for i := range p.Steps {
		s := &p.Steps[i]
		step := jsonStep{Order: s.N, ID: s.ID, Title: p.WrittenTitle(s), Done: s.Box, Description: cmp.Or(s.Do, p.WrittenTitle(s)),
			FilesToModify: []string{}, FilesToCreate: []string{}, Validation: textsOf(s.Checks), Needs: append([]string{}, s.Needs...)}
		for _, file := range s.Files {
			if s.ActionOn(file) == "create" {
				step.FilesToCreate = append(step.FilesToCreate, file)
			} else {
				step.FilesToModify = append(step.FilesToModify, file)
			}
		}
		out.Steps = append(out.Steps, step)
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(out); err != nil {
		return nil, err
	}
	return &Exported{Files: []File{{Text: b.Bytes()}}}, nil
}

func textsOf(checks []plan.Check) []string {
	out := []string{}
	for _, c := range checks {
		out = append(out, c.Text)
	}
	return out
}
