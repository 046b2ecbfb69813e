package form

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/git-plan/git-plan/gitplan/markdown"
)

// jsonStep reads a step: a string, or an object.
func (d *draft) jsonStep(v *jsonValue, i int, own bool, rule string) error {
	s := draftStep{place: Place{Line: v.line}, label: strconv.Itoa(i + 1)}
	switch v.kind {
	case '"':
		s.title = v.text
		d.steps = append(d.steps, s)
		return nil
	case '{':
	default:
		return &markdown.ParseError{Problems: []markdown.Problem{markdown.Wrong(v.line, rule, "a step is an object with `description`, or a text")}}
	}
	if order := v.get("order"); order != nil && (order.kind == '0' || order.kind == '"') {
		s.label = order.text
	}
	if id := v.get("id").string(); markdown.ValidID(id) {
		s.id = id
	} else if id != "" {
		s.label = id
	}
	s.title = v.get("title", "name").string()
	s.done = v.isDone()
	if markdown := v.get("markdown"); own && markdown != nil && markdown.kind == '"' {
		s.own, s.body = true, markdown.lines()
		d.steps = append(d.steps, s)
		return nil
	}
	for i := range v.members {
		s.body = append(s.body, d.jsonField(&s, v.members[i].name, &v.members[i].value)...)
	}
	d.steps = append(d.steps, s)
	return nil
}

func (v *jsonValue) isDone() bool {
	if done := v.get("done", "completed"); done != nil && done.text == "true" {
		return true
	}
	switch v.get("status").string() {
	case "done", "completed", "complete":
		return true
	}
	return false
}

// jsonField returns what a member of a step becomes: a field, or a bullet of text.
func (d *draft) jsonField(s *draftStep, name string, v *jsonValue) lines {
	at := Place{Line: v.line}
	switch name {
	case "order", "title", "name", "done", "completed":
		return nil
	case "id":
		if markdown.ValidID(v.string()) {
			return nil
		}
	case "status":
		if s.done {
			return nil
		}
	case "description":
		if v.kind == '"' {
			return d.description(s, v)
		}
	case "files_to_modify", "files_to_create", "files":
		if out, ok := d.jsonFiles(name, v); ok {
			return out
		}
	case "validation", "checks", "success_criteria":
		name, v = "Check", d.criteria(v)
	case "dependencies", "depends_on", "needs":
		if v.kind == '[' && len(v.items) == 0 {
			return lines{{"- Needs: none", at}}
		}
		if v.kind != '{' {
			return lines{{"- Needs: " + strings.Join(v.words(), ", "), at}}
		}
	}
	key := "- " + inline(name) + ":"
	switch {
	case v.kind == 'n':
		return nil
	case v.kind == '[' && len(v.items) > 0 && v.items[0].kind != '{' && v.items[0].kind != '[':
		return append(lines{{key, at}}, v.bullets().indented("  ")...)
	case v.kind == '"' && strings.Contains(strings.TrimSpace(v.text), "\n"):
		return append(lines{{key, at}, {"", at}}, v.lines().indented("  ")...)
	case v.kind == '{' || v.kind == '[':
		return append(lines{{key, at}}, v.asText().indented("  ")...)
	}
	return lines{{strings.TrimRight(key+" "+strings.Join(strings.Fields(v.text), " "), " "), at}}
}

// description makes a text the title if there is none and it is short, else the field Do.
func (d *draft) description(s *draftStep, v *jsonValue) lines {
	text := v.lines()
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
	return append(text[:1:1], text[1:].indented("  ")...)
}

// jsonFiles reads paths: a text, or a list of texts, or of objects with `path` and more, which
// stays after the path.
func (d *draft) jsonFiles(name string, v *jsonValue) (lines, bool) {
	items := v.items
	if v.kind == '"' {
		items = []jsonValue{*v}
	} else if v.kind != '[' {
		return nil, false
	}
	at := Place{Line: v.line}
	var bullets lines
	for i := range items {
		item := &items[i]
		file := item
		var more lines
		if p := item.get("path", "file"); p != nil {
			file = p
			for _, m := range item.members {
				if m.name != "path" && m.name != "file" {
					more = append(more, line{"  - " + inline(m.name+": "+strings.Join(m.value.words(), ", ")), Place{Line: m.value.line}})
				}
			}
		}
		if item.kind == 'n' {
			continue
		}
		name := strings.Join(strings.Fields(file.text), " ")
		if file.kind != '"' {
			return nil, false
		}
		if name == "" && len(more) == 0 {
			continue
		}
		d.outside(name, file.line)
		bullets = append(append(bullets, line{"- " + codeSpan(name), Place{Line: item.line}}), more...)
	}
	if len(bullets) == 0 {
		return nil, true
	}
	key := "- " + markdown.Title(strings.ReplaceAll(name, "_", " ")) + ":"
	if len(bullets) == 1 {
		return lines{{key + bullets[0].text[1:], at}}, true
	}
	return append(lines{{key, at}}, bullets.indented("  ")...), true
}

// outside notes a path that leads out of the repository.
func (d *draft) outside(file string, at int) {
	if clean := path.Clean(strings.ReplaceAll(file, `\`, "/")); path.IsAbs(clean) || clean == ".." || strings.HasPrefix(clean, "../") {
		d.note(Place{Line: at}, "`%s` is outside of the repository: no step may touch it", markdown.Shown(file))
	}
}

func (v *jsonValue) words() []string {
	if v.kind != '[' {
		return []string{strings.Join(strings.Fields(v.text), " ")}
	}
	var out []string
	for i := range v.items {
		out = append(out, strings.Join(strings.Fields(v.items[i].text), " "))
	}
	return out
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
