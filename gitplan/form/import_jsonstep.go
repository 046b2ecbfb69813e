package form

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/git-plan/git-plan/gitplan/plan"
)

// jsonStep reads a step: a string, or an object.
func (d *draft) jsonStep(v *object, i int, own bool, rule string) error {
	s := draftStep{place: Place{Line: v.Line}, label: strconv.Itoa(i + 1)}
	switch v.Kind {
	case '"':
		s.title = v.Text
		d.steps = append(d.steps, s)
		return nil
	case '{':
	default:
		return &plan.ParseError{Problems: []plan.Problem{plan.Wrong(v.Line, rule, "a step is an object with `description`, or a text")}}
	}
	if order := v.Get("order"); order != nil && (order.Kind == '0' || order.Kind == '"') {
		s.label = order.Text
	}
	if id := v.Get("id").AsString(); plan.ValidID(id) {
		s.id = id
	} else if id != "" {
		s.label = id
	}
	s.title = v.Get("title", "name").AsString()
	s.done = isDone(v)
	if markdown := v.Get("markdown"); own && markdown != nil && markdown.Kind == '"' {
		s.own, s.body = true, linesIn(markdown)
		d.steps = append(d.steps, s)
		return nil
	}
	for i := range v.Members {
		s.body = append(s.body, d.jsonField(&s, v.Members[i].Name, &v.Members[i].Value)...)
	}
	d.steps = append(d.steps, s)
	return nil
}

func isDone(v *object) bool {
	if done := v.Get("done", "completed", "passes"); done != nil && done.Text == "true" {
		return true
	}
	switch v.Get("status").AsString() {
	case "done", "completed", "complete":
		return true
	}
	return false
}

// jsonField returns what a member of a step becomes: a field, or a bullet of text.
func (d *draft) jsonField(s *draftStep, name string, v *object) lines {
	at := Place{Line: v.Line}
	switch name {
	case "order", "title", "name", "done", "completed", "passes":
		return nil
	case "id":
		if plan.ValidID(v.AsString()) {
			return nil
		}
	case "status":
		if s.done {
			return nil
		}
	case "description":
		if v.Kind == '"' {
			return d.description(s, v)
		}
	case "files_to_modify", "files_to_create", "files":
		if out, ok := d.jsonFiles(name, v); ok {
			return out
		}
	case "validation", "checks", "success_criteria", "acceptanceCriteria":
		name, v = "Check", d.criteria(v)
	case "dependencies", "depends_on", "needs":
		if v.Kind == '[' && len(v.Items) == 0 {
			return lines{{"- Needs: none", at}}
		}
		if v.Kind != '{' {
			return lines{{"- Needs: " + strings.Join(v.Words(), ", "), at}}
		}
	}
	key := "- " + inline(name) + ":"
	switch {
	case v.Kind == 'n':
		return nil
	case v.Kind == '[' && len(v.Items) > 0 && v.Items[0].Kind != '{' && v.Items[0].Kind != '[':
		return append(lines{{key, at}}, bullets(v).indented()...)
	case v.Kind == '"' && strings.Contains(strings.TrimSpace(v.Text), "\n"):
		return append(lines{{key, at}, {"", at}}, linesIn(v).indented()...)
	case v.Kind == '{' || v.Kind == '[':
		return append(lines{{key, at}}, asText(v).indented()...)
	}
	return lines{{strings.TrimRight(key+" "+strings.Join(strings.Fields(v.Text), " "), " "), at}}
}

// description makes a text the title if there is none and it is short, else the field Do.
func (d *draft) description(s *draftStep, v *object) lines {
	text := linesIn(v)
	if len(text) == 0 {
		return nil
	}
	if s.title == "" {
		const longest = 100 // bytes of a title made from a description
		s.title = strings.TrimSpace(text[0].text)
		if end := strings.Index(s.title, ". "); end > 0 {
			s.title = s.title[:end]
		}
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

// jsonFiles reads paths: a text, or a list of texts, or of objects with `path` and more, which
// stays after the path.
func (d *draft) jsonFiles(name string, v *object) (lines, bool) {
	items := v.Items
	if v.Kind == '"' {
		items = []object{*v}
	} else if v.Kind != '[' {
		return nil, false
	}
	at := Place{Line: v.Line}
	var bullets lines
	for i := range items {
		item := &items[i]
		file := item
		var more lines
		if p := item.Get("path", "file"); p != nil {
			file = p
			for _, m := range item.Members {
				if m.Name != "path" && m.Name != "file" {
					more = append(more, line{"  - " + inline(m.Name+": "+strings.Join(m.Value.Words(), ", ")), Place{Line: m.Value.Line}})
				}
			}
		}
		if item.Kind == 'n' {
			continue
		}
		name := strings.Join(strings.Fields(file.Text), " ")
		if file.Kind != '"' {
			return nil, false
		}
		if name == "" && len(more) == 0 {
			continue
		}
		d.outside(name, file.Line)
		bullets = append(append(bullets, line{"- " + codeSpan(name), Place{Line: item.Line}}), more...)
	}
	if len(bullets) == 0 {
		return nil, true
	}
	key := "- " + plan.Capitalize(strings.ReplaceAll(name, "_", " ")) + ":"
	if len(bullets) == 1 {
		return lines{{key + bullets[0].text[1:], at}}, true
	}
	return append(lines{{key, at}}, bullets.indented()...), true
}

// outside notes a path that leads out of the repository.
func (d *draft) outside(file string, at int) {
	if clean := path.Clean(strings.ReplaceAll(file, `\`, "/")); path.IsAbs(clean) || clean == ".." || strings.HasPrefix(clean, "../") {
		d.note(Place{Line: at}, "`%s` is outside of the repository: no step may touch it", plan.Shown(file))
	}
}

// inOrder sorts the steps by `order` if all of them have a number there.
func (d *draft) inOrder() {
	order := make(map[string]int, len(d.steps))
	for _, s := range d.steps {
		n, err := strconv.Atoi(s.label)
		if err != nil {
			return
		}
		order[s.label] = n
	}
	less := func(a, b draftStep) int { return order[a.label] - order[b.label] }
	if !slices.IsSortedFunc(d.steps, less) {
		d.note(Place{}, "the steps are sorted by `order`")
		slices.SortStableFunc(d.steps, less)
	}
}
