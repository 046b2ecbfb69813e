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

func wrong(line int, message string) error { return refused(line, "form", message) }

func refused(line int, rule, message string) error {
	return &plan.ParseError{Problems: []plan.Weakness{plan.Wrong(max(line, 1), rule, message)}}
}

// object reads JSON or YAML: what Export wrote, an object with steps, or an array of them.
func (in *Imported) object(name string, src []byte) (*Imported, error) {
	v, notes, err := readObject(src, in.Form)
	if err != nil {
		return nil, err
	}
	if text := v.Get("markdown"); v.Get("schema") != nil && text.AsString() != "" {
		return in, in.exported(v, text)
	}
	d := &draft{notes: notes}
	if err := d.readPlan(name, v); err != nil {
		return nil, err
	}
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
	same := func(s plan.Step, item *object) bool {
		return s.Box == item.isDone() && s.ID == item.Get("id").AsString()
	}
	if !slices.EqualFunc(p.Steps, steps.Items, same) {
		return wrong(steps.Line, "these are not the steps of `markdown`, which says what the plan is: change them there")
	}
	return nil
}

// readPlan reads an object with steps, or an array of steps.
func (d *draft) readPlan(name string, v *object) error {
	if v.Kind == '[' {
		v.Name = "steps"
		v = &object{Line: v.Line, Kind: '{', Items: []*object{v}}
	}
	if v.Kind != '{' {
		return wrong(v.Line, "this is not a plan: write an object with `steps`")
	}
	for len(v.Items) == 1 && v.Items[0].Kind == '{' && v.list(stepsMembers...) == nil {
		v = v.Items[0] // {"plan": {...}}
	}
	steps := v.list(stepsMembers...)
	if steps == nil || len(steps.Items) == 0 {
		return noSteps(name, v)
	}
	byPriority := func(a, b *object) int { return cmp.Compare(a.Number("priority"), b.Number("priority")) }
	if steps.Name == "userStories" && !slices.IsSortedFunc(steps.Items, byPriority) {
		slices.SortStableFunc(steps.Items, byPriority)
		d.note(Place{Line: steps.Line}, "the stories are in the order of their priority")
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
	last := 0 // in their order
	for _, item := range steps.Items {
		if err := d.stepFrom(item); err != nil {
			return err
		}
		n := item.Number("order")
		if n != 0 && n < last {
			return wrong(item.Get("order").Line, "the steps are not in their `order`: sort them")
		}
		last = max(last, n)
	}
	const longest = 80 // bytes of a title made from a summary
	if d.title == "" && len(d.summary) == 1 && len(d.summary[0].text) <= longest {
		d.title = strings.TrimRight(d.summary[0].text, ". ")
		d.note(d.summary[0].from, "there is no title; its summary is used")
	}
	return nil
}

// noSteps returns the error for an object without steps, or with several lists of them, as the tags of task-master.
func noSteps(name string, v *object) error {
	var lists, names []string
	for _, member := range v.Items {
		if steps := member.list(stepsMembers...); steps != nil {
			names = append(names, member.Name)
			lists = append(lists, fmt.Sprintf("`%s` (%d)", plan.Shown(member.Name), len(steps.Items)))
		}
	}
	if len(lists) > 1 {
		return &fault.Fault{Kind: fault.ErrWhichSteps, Text: "there are several lists of steps: " + strings.Join(lists, ", "),
			Next: fmt.Sprintf(`take one of them, such as: jq %s %s | git plan new -F -`, visible.Shell(`."`+names[0]+`"`),
				visible.Shell(cmp.Or(name, "FILE")))}
	}
	at := cmp.Or(v.Get(stepsMembers...), v).Line
	return refused(at, "no-steps", "there are no steps: write `steps`, an array of objects with `description`")
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

// readStep reads the members of a step or subtask.
func (d *draft) readStep(s *draftStep, v *object) {
	s.title, s.done = v.Get("title", "name").AsString(), v.isDone()
	d.readStatus(s, v.Get("status"))
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
	case as == "Do" && v.Kind == '"':
		return s.describe(body)
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

// describe makes the beginning of a text the title if there is none, and the text the field Do if it says more.
func (s *draftStep) describe(text lines) lines {
	first := strings.TrimSpace(text[0].text)
	if s.title == "" {
		s.title, _, _ = strings.Cut(first, ". ")
		if s.title = visible.OneLine(s.title, 100); len(text) == 1 && s.title == first {
			return nil
		}
	}
	text[0].text = "- Do: " + first
	return append(text[:1:1], text[1:].indented()...)
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
