package form

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// stepsMembers are the names of the array of steps: this program's, task-master's, and Ralph's.
var stepsMembers = []string{"steps", "tasks", "userStories"}

// planMembers and stepMembers say what each member becomes; others stay as text under their own names.
var (
	planMembers = map[string]string{
		"title": "title", "name": "title", "goal": "title", "project": "title",
		"summary": "summary", "overview": "summary", "description": "summary",
		"schema":        "",
		"test_criteria": "Verification", "verification": "Verification", "risks": "Risks",
		"rules": "Rules", "checks": "Checks", "prerequisites": "Prerequisites",
	}
	stepMembers = map[string]string{
		"order": "", "title": "", "name": "", "done": "", "completed": "", "passes": "", "id": "id",
		"status": "", "subtasks": "subtasks",
		"description": "Do", "files": "Files", "files_to_modify": "Files to modify", "files_to_create": "Files to create",
		"validation": "Check", "checks": "Check", "success_criteria": "Check",
		"acceptanceCriteria": "Check", "testStrategy": "Check",
		"dependencies": "Needs", "depends_on": "Needs", "needs": "Needs",
	}
)

func wrong(line int, rule, message string) error {
	return &plan.ParseError{Problems: []plan.Problem{{Line: max(line, 1), Rule: rule, Message: message}}}
}

// object reads JSON or YAML: what Export wrote, an object with steps, or an array of them.
func (in *Imported) object(name string, src []byte) (*Imported, error) {
	v, notes, err := readObject(src, string(in.Form))
	if err != nil {
		return nil, err
	}
	if text := v.Get("markdown"); v.Get("schema") != nil && text.AsString() != "" {
		return in, in.exported(&v, text)
	}
	d, err := draftFromObject(name, v, string(in.Form))
	if err != nil {
		return nil, err
	}
	d.notes = append(notes, d.notes...)
	return in.finish(d, name)
}

// exported reads a plan that Export wrote; its other members only repeat what its Markdown says.
func (in *Imported) exported(v, text *object) error {
	in.Text = []byte(text.Text)
	in.From = slices.Repeat([]Place{{Line: text.Line}}, strings.Count(text.Text, "\n")+1)
	p, err := plan.Parse(in.Text)
	if refused, ok := errors.AsType[*plan.ParseError](err); ok {
		for i := range refused.Problems {
			refused.Problems[i].Line = text.Line
		}
		return err
	}
	steps := cmp.Or(v.list("steps"), &object{})
	same := func(s plan.Step, item object) bool {
		return s.Box == item.isDone() && s.ID == item.Get("id").AsString()
	}
	if !slices.EqualFunc(p.Steps, steps.Items, same) {
		return wrong(steps.Line, string(in.Form),
			"these are not the steps of `markdown`, which says what the plan is: change them there")
	}
	return nil
}

func draftFromObject(name string, v object, rule string) (*draft, error) {
	d := &draft{}
	if v.Kind == '[' {
		v = object{Line: v.Line, Kind: '{', Members: []member{{Name: "steps", Value: v}}}
	}
	if v.Kind != '{' {
		return nil, wrong(v.Line, rule, "this is not a plan: write an object with `steps`")
	}
	for len(v.Members) == 1 && v.Members[0].Value.Kind == '{' && v.list(stepsMembers...) == nil {
		v = v.Members[0].Value // {"plan": {...}}
	}
	steps := v.list(stepsMembers...)
	if steps == nil || len(steps.Items) == 0 {
		return nil, noSteps(name, &v)
	}
	byPriority := func(a, b object) int { return cmp.Compare(a.Number("priority"), b.Number("priority")) }
	if steps == v.list("userStories") && !slices.IsSortedFunc(steps.Items, byPriority) {
		slices.SortStableFunc(steps.Items, byPriority)
		d.note(Place{Line: steps.Line}, "the stories are in the order of their priority")
	}
	for i := range v.Members {
		if &v.Members[i].Value != steps {
			d.planMember(v.Members[i].Name, &v.Members[i].Value)
		}
	}
	for i := range d.sections {
		d.sections[i].body = d.flattened(d.sections[i].body, 2)
	}
	d.summary = d.flattened(d.summary, 2)
	last := 0 // in their order
	for i := range steps.Items {
		item := &steps.Items[i]
		if err := d.stepFrom(item, rule); err != nil {
			return nil, err
		}
		n := item.Number("order")
		if n != 0 && n < last {
			return nil, wrong(item.Get("order").Line, rule, "the steps are not in their `order`: sort them")
		}
		last = max(last, n)
	}
	const longest = 80 // bytes of a title made from a summary
	if d.title == "" && len(d.summary) == 1 && len(d.summary[0].text) <= longest {
		d.title = strings.TrimRight(d.summary[0].text, ". ")
		d.note(d.summary[0].from, "there is no title; its summary is used")
	}
	return d, nil
}

// noSteps returns the error for an object without steps, or with several lists of them, as the tags of task-master.
func noSteps(name string, v *object) error {
	var lists []string
	first := ""
	for i := range v.Members {
		if steps := v.Members[i].Value.list(stepsMembers...); steps != nil {
			first = cmp.Or(first, v.Members[i].Name)
			lists = append(lists, fmt.Sprintf("`%s` (%d)", plan.Shown(v.Members[i].Name), len(steps.Items)))
		}
	}
	if len(lists) > 1 {
		return &fault.Fault{Kind: fault.ErrWhichSteps, Text: "there are several lists of steps: " + strings.Join(lists, ", "),
			Next: fmt.Sprintf(`take one of them, such as: jq %s %s | git plan new -F -`, visible.Shell(`."`+first+`"`),
				visible.Shell(cmp.Or(name, "FILE")))}
	}
	at := cmp.Or(v.Get(stepsMembers...), v).Line
	return wrong(at, "no-steps", "there are no steps: write `steps`, an array of objects with `description`")
}

// planMember reads a member of the plan's object.
func (d *draft) planMember(name string, v *object) {
	as, known := planMembers[name]
	switch {
	case known && as == "":
		return
	case as == "title" && d.title == "" && v.Kind == '"':
		d.title = v.Text
		return
	case as == "summary" && v.Kind == '"':
		d.summary = joinLines(d.summary, linesIn(v))
		return
	case as != "" && as[0] >= 'A' && as[0] <= 'Z':
		d.sections = append(d.sections, draftSection{level: 2, title: as, body: bullets(v)})
		return
	}
	d.sections = append(d.sections, draftSection{level: 2, title: strings.ReplaceAll(name, "_", " "), body: asText(v)})
}

// stepFrom reads a step: a string, or an object.
func (d *draft) stepFrom(v *object, rule string) error {
	s := draftStep{place: Place{Line: v.Line}, label: strconv.Itoa(len(d.steps) + 1), title: v.Text}
	switch v.Kind {
	case '"':
	case '{':
		if order := v.Get("order"); order != nil && (order.Kind == '0' || order.Kind == '"') {
			s.label = order.Text
		}
		if id := v.Get("id").AsString(); plan.ValidID(id) {
			s.id = id
		} else if id != "" {
			s.label = id
		}
		d.readStep(&s, v)
		d.noteStatus(&s)
	default:
		return wrong(v.Line, rule, "a step is an object with `description`, or a text")
	}
	d.steps = append(d.steps, s)
	return nil
}

// readStep reads the members of a step or subtask.
func (d *draft) readStep(s *draftStep, v *object) {
	s.title, s.done = v.Get("title", "name").AsString(), v.isDone()
	d.hasStatus(s, v.Get("status"))
	for i := range v.Members {
		s.body = append(s.body, d.stepMember(s, v.Members[i].Name, &v.Members[i].Value)...)
	}
}

func (v *object) isDone() bool {
	done := v.Get("done", "completed", "passes")
	return done != nil && done.Text == "true"
}

// subtasks returns the subtasks of a step as its checklist.
func (d *draft) subtasks(v *object) (out lines) {
	for i := range v.Items {
		item := &v.Items[i]
		s := draftStep{place: Place{Line: item.Line}, title: item.Text}
		d.readStep(&s, item)
		text := "- [ ] " + inline(cmp.Or(s.title, item.Text, "subtask"))
		switch {
		case s.done:
			text = "- [x]" + text[len("- [ ]"):]
		case s.status.Word != "":
			text += " (" + s.status.Reason + ")"
		}
		out = append(append(out, line{text, s.place}), s.body.indented()...)
	}
	return out
}

// stepMember returns what a member of a step becomes: a field, or a bullet of text.
func (d *draft) stepMember(s *draftStep, name string, v *object) lines {
	at := Place{Line: v.Line}
	as, known := stepMembers[name]
	switch {
	case v.Kind == 'n', known && as == "", as == "id" && plan.ValidID(v.AsString()), v.Kind == '"' && plan.Blank(v.Text):
		return nil
	case as == "Do" && v.Kind == '"':
		return s.describe(linesIn(v))
	case as == "subtasks" && v.Kind == '[':
		return d.subtasks(v)
	case strings.HasPrefix(as, "Files"):
		if bullets := files(v); bullets != nil || v.Kind == '[' && len(v.Items) == 0 {
			return fieldOf(as, bullets, at)
		}
	case as == "Check":
		name = as
	case as == "Needs" && v.Kind == '[' && len(v.Items) == 0:
		return lines{{"- Needs: none", at}}
	case as == "Needs" && v.Kind != '{':
		return lines{{"- Needs: " + strings.Join(v.Words(), ", "), at}}
	}
	switch key := "- " + inline(name) + ":"; {
	case v.Kind == '[' && len(v.Items) > 0 && v.Items[0].Kind != '{' && v.Items[0].Kind != '[':
		return append(lines{{key, at}}, bullets(v).indented()...)
	case v.Kind == '"' && strings.Contains(strings.TrimSpace(v.Text), "\n"):
		return append(lines{{key, at}, {"", at}}, linesIn(v).indented()...)
	case v.Kind == '{' || v.Kind == '[':
		return append(lines{{key, at}}, asText(v).indented()...)
	default:
		return lines{{strings.TrimRight(key+" "+strings.Join(strings.Fields(v.Text), " "), " "), at}}
	}
}

// describe makes a short text the title if there is none, else the field Do.
func (s *draftStep) describe(text lines) lines {
	if len(text) == 0 {
		return nil
	}
	if s.title == "" {
		const longest = 100 // bytes of a title made from a description
		s.title, _, _ = strings.Cut(strings.TrimSpace(text[0].text), ". ")
		if len(s.title) > longest {
			cut := strings.LastIndexByte(s.title[:longest], ' ')
			s.title = strings.ToValidUTF8(s.title[:max(cut, longest/2)], "") + "..."
		}
		if len(text) == 1 && s.title == strings.TrimSpace(text[0].text) {
			return nil
		}
	}
	text[0].text = "- Do: " + strings.TrimSpace(text[0].text)
	return append(text[:1:1], text[1:].indented()...)
}

// files returns a bullet for each path, a text or an object with `path`; nil if an item is neither.
func files(v *object) (out lines) {
	for _, item := range v.each() {
		file := cmp.Or(item.Get("path", "file"), &item)
		if file.AsString() == "" {
			return nil
		}
		out = append(out, line{"- " + plan.CodeSpan(strings.Join(strings.Fields(file.Text), " ")), Place{Line: item.Line}})
		for _, m := range item.Members {
			if m.Name != "path" && m.Name != "file" {
				out = append(out, line{"  - " + inline(m.Name+": "+strings.Join(m.Value.Words(), ", ")), Place{Line: m.Value.Line}})
			}
		}
	}
	return out
}

// fieldOf returns a field with its bullets, in one line if there is only one.
func fieldOf(key string, bullets lines, at Place) lines {
	switch len(bullets) {
	case 0:
		return nil
	case 1:
		return lines{{"- " + key + ":" + bullets[0].text[1:], at}}
	}
	return append(lines{{"- " + key + ":", at}}, bullets.indented()...)
}
