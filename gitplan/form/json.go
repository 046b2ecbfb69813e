package form

import (
	"cmp"
	"errors"
	"slices"
	"strconv"
	"strings"

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

// states maps the states of other tools to ours: done, skipped, blocked, or "" for open.
var states = map[string]string{
	"done": "done", "completed": "done", "complete": "done", "closed": "done", "finished": "done",
	"cancelled": "skipped", "canceled": "skipped", "deferred": "skipped", "skipped": "skipped", "optional": "skipped",
	"wontfix": "skipped", "won't do": "skipped", "blocked": "blocked",
	"": "", "pending": "", "open": "", "todo": "", "to do": "", "new": "", "not started": "", "ready": "", "backlog": "",
}

func wrong(line int, message string) error {
	return &plan.ParseError{Problems: []plan.Weakness{plan.Wrong(max(line, 1), "form", message)}}
}

// object reads JSON or YAML: what Export wrote, an object with steps, or an array of them.
func (in *Imported) object(name string, src []byte) (*Imported, error) {
	v, err := map[Form]func([]byte) (*object, error){JSON: readObject, YAML: readYAML}[in.Form](src)
	if err != nil {
		return nil, err
	}
	text := v.Get("markdown")
	if v.Get("schema") == nil || text.AsString() == "" {
		d := &draft{}
		if err := d.readPlan(v); err != nil {
			return nil, err
		}
		return in.finish(d, name)
	}
	in.Text = []byte(text.Text) // Export wrote the object, whose other members repeat the text
	in.From = slices.Repeat([]Place{{Line: text.Line}}, strings.Count(text.Text, "\n")+1)
	p, err := plan.Parse(in.Text)
	if refused, ok := errors.AsType[*plan.ParseError](err); ok {
		for i := range refused.Problems {
			refused.Problems[i].Line = text.Line
		}
		return in, err
	}
	steps := cmp.Or(v.list("steps"), &object{})
	same := func(s plan.Step, item *object) bool {
		return s.Box == item.isDone() && s.ID == item.Get("id").AsString()
	}
	if !slices.EqualFunc(p.Steps, steps.Items, same) {
		return in, wrong(steps.Line, "these are not the steps of `markdown`, which says what the plan is: change them there")
	}
	return in, nil
}

// readPlan reads an object with steps, or an array of steps.
func (d *draft) readPlan(v *object) error {
	if v.Kind == '[' {
		v.Name = "steps"
		v = &object{Line: v.Line, Kind: '{', Items: []*object{v}}
	}
	for len(v.Items) == 1 && v.Items[0].Kind == '{' && v.list(stepsMembers...) == nil {
		v = v.Items[0] // {"plan": {...}}
	}
	steps := v.list(stepsMembers...)
	if steps == nil || len(steps.Items) == 0 {
		return wrong(cmp.Or(v.Get(stepsMembers...), v).Line,
			"there are no steps: write `steps`, an array of objects with `description`")
	}
	for _, member := range v.Items {
		if member != steps {
			d.planMember(member)
		}
	}
	for i := range d.sections {
		d.sections[i].body = d.flattened(d.sections[i].body)
	}
	d.summary = d.flattened(d.summary)
	last := 0
	for _, item := range steps.Items {
		if err := d.stepFrom(item); err != nil {
			return err
		}
		if order := item.Get("order"); order != nil {
			n, _ := strconv.Atoi(order.Text)
			if n != 0 && n < last {
				return wrong(order.Line, "the steps are not in their `order`: sort them")
			}
			last = max(last, n)
		}
	}
	const longest = 80 // bytes of a title made from a summary
	if d.title == "" && len(d.summary) == 1 && len(d.summary[0].text) <= longest {
		d.title = strings.TrimRight(d.summary[0].text, ". ")
		d.note(d.summary[0].from, "there is no title; its summary is used")
	}
	return nil
}

// planMember reads a member of the plan's object.
func (d *draft) planMember(v *object) {
	as, known := planMembers[v.Name]
	switch isText := v.Kind == '"'; {
	case known && as == "":
	case as == "title" && d.title == "" && isText:
		d.title = v.Text
	case as == "summary" && isText:
		d.summary = joinLines(d.summary, v.markdown())
	default:
		s := draftSection{level: 2, title: strings.ReplaceAll(v.Name, "_", " "), body: v.markdown()}
		if as != "" && as[0] >= 'A' && as[0] <= 'Z' {
			if s.title = as; isText && len(s.body) == 1 {
				s.body = bullets(v.each())
			}
		}
		d.sections = append(d.sections, s)
	}
}

// stepFrom reads a step: a string, or an object.
func (d *draft) stepFrom(v *object) error {
	s := &draftStep{place: Place{Line: v.Line}, label: strconv.Itoa(len(d.steps) + 1), title: v.Text}
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
		d.readStep(s, v)
		if s.status.Word != "" {
			d.note(s.place, "step `%s` is %s: %s", plan.Shown(plan.PlainText(s.title)), s.status.Word, s.status.Reason)
		}
	default:
		return wrong(v.Line, "a step is an object with `description`, or a text")
	}
	d.steps = append(d.steps, s)
	return nil
}

// readStep reads the members of a step or subtask. A state of another tool that is unknown is noted.
func (d *draft) readStep(s *draftStep, v *object) {
	s.title, s.done = v.Get("title", "name").AsString(), v.isDone()
	if status := v.Get("status"); status != nil && status.Kind != 'n' {
		word := strings.NewReplacer("_", " ", "-", " ").Replace(plan.Normalize(status.Text))
		switch state, known := states[word]; {
		case state == "done":
			s.done = true
		case state != "" && !s.done:
			s.status = plan.StepStatus{Word: state, Reason: "imported as " + word}
		case !known:
			d.note(Place{Line: status.Line}, "status `%s` is neither open nor done: the step is open", plan.Shown(status.Text))
		}
	}
	for _, member := range v.Items {
		s.body = append(s.body, d.stepMember(s, member)...)
	}
}

func (v *object) isDone() bool {
	done := v.Get("done", "completed", "passes")
	return done != nil && done.Text == "true"
}

// subtasks returns the subtasks of a step as its checklist.
func (d *draft) subtasks(v *object) (out lines) {
	for _, item := range v.Items {
		s := draftStep{place: Place{Line: item.Line}}
		if item.Kind == '{' {
			d.readStep(&s, item)
		}
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
func (d *draft) stepMember(s *draftStep, v *object) lines {
	as, known := stepMembers[v.Name]
	name, body, at := v.Name, v.markdown(), Place{Line: v.Line}
	switch {
	case v.Kind == 'n', known && as == "", as == "id" && plan.ValidID(v.AsString()), v.Kind == '"' && plan.Blank(v.Text):
		return nil
	case as == "Do" && v.Kind == '"': // its beginning is the title if there is none
		first := strings.TrimSpace(body[0].text)
		if s.title == "" {
			s.title, _, _ = strings.Cut(first, ". ")
			if s.title = visible.OneLine(s.title, 100); len(body) == 1 && s.title == first {
				return nil
			}
		}
		body[0].text = "- Do: " + first
		return append(body[:1:1], body[1:].indented()...)
	case as == "subtasks" && v.Kind == '[':
		return d.subtasks(v)
	case as == "Needs" && v.Kind != '{':
		return lines{{"- Needs: " + cmp.Or(strings.Join(v.Words(), ", "), "none"), at}}
	case as == "Check":
		name = as
	case strings.HasPrefix(as, "Files"):
		if paths := files(v); paths != nil {
			name, body = as, paths
		} else if v.Kind == '[' && len(v.Items) == 0 {
			return nil
		}
	}
	key := "- " + inline(name) + ":"
	switch {
	case len(body) == 1 && strings.HasPrefix(name, "Files"):
		return lines{{key + body[0].text[1:], at}}
	case v.Kind == '[' || v.Kind == '{' || strings.HasPrefix(name, "Files"):
		return append(lines{{key, at}}, body.indented()...)
	case len(body) > 1:
		return append(lines{{key, at}, {"", at}}, body.indented()...)
	}
	return lines{{strings.TrimRight(key+" "+strings.Join(strings.Fields(v.Text), " "), " "), at}}
}

// files returns a bullet for each path, a text or an object with `path`; nil if an item is neither.
func files(v *object) (out lines) {
	for _, item := range v.each() {
		file := cmp.Or(item.Get("path", "file"), item)
		if file.AsString() == "" {
			return nil
		}
		out = append(out, line{"- " + plan.CodeSpan(strings.Join(strings.Fields(file.Text), " ")), Place{Line: item.Line}})
		for _, m := range item.Items {
			if m.Name != "path" && m.Name != "file" {
				out = append(out, line{"  - " + inline(m.Name+": "+strings.Join(m.Words(), ", ")), Place{Line: m.Line}})
			}
		}
	}
	return out
}
