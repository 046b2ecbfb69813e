package form

import (
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/markdown"
)

// draftFromJSON reads an object with steps, or an array of them: the form of models'
// structured output, and of Export.
func draftFromJSON(src []byte) (*draft, error) {
	v, notes, err := readJSON(src)
	if err != nil {
		return nil, err
	}
	return draftFromObject(v, notes, "json")
}

// draftFromYAML reads the same in YAML.
func draftFromYAML(src []byte) (*draft, error) {
	v, notes, err := readYAML(src)
	if err != nil {
		return nil, err
	}
	return draftFromObject(v, notes, yamlRule)
}

func draftFromObject(v jsonValue, notes []Note, rule string) (*draft, error) {
	d := &draft{notes: notes}
	if v.kind == '[' {
		v = jsonValue{line: v.line, kind: '{', members: []jsonMember{{"steps", v}}}
	}
	if v.kind != '{' {
		return nil, &markdown.ParseError{Problems: []markdown.Problem{markdown.Wrong(v.line, rule, "this is not a plan: write an object with `steps`")}}
	}
	for len(v.members) == 1 && v.members[0].value.kind == '{' && v.get("steps", "tasks") == nil {
		v = v.members[0].value // {"plan": {...}}
	}
	steps := v.get("steps", "tasks")
	if steps == nil || steps.kind != '[' || len(steps.items) == 0 {
		line := v.line
		if steps != nil {
			line = steps.line
		}
		return nil, &markdown.ParseError{Problems: []markdown.Problem{markdown.Wrong(line, "no-steps", "there are no steps: write `steps`, an array of objects with `description`")}}
	}
	own := v.get("schema") != nil && v.get("sections") != nil
	for _, m := range v.members {
		d.jsonMember(m, own)
	}
	if own && d.repeatsSummary(v.get("sections")) {
		d.summary = nil
	}
	for i := range d.sections {
		d.sections[i].body = d.flattened(d.sections[i].body, 2)
	}
	d.summary = d.flattened(d.summary, 2)
	for i := range steps.items {
		if err := d.jsonStep(&steps.items[i], i, own, rule); err != nil {
			return nil, err
		}
	}
	d.inOrder()
	const longest = 80 // bytes of a title made from a summary
	if d.title == "" && len(d.summary) == 1 && len(d.summary[0].text) <= longest {
		d.title = strings.TrimRight(d.summary[0].text, ". ")
		d.note(d.summary[0].from, "there is no title; it is called by its summary")
	}
	if !own {
		d.at = len(d.sections)
		if n := slices.IndexFunc(d.sections, func(s draftSection) bool { return s.title == "Verification" }); n >= 0 {
			d.at = n
		}
	}
	return d, nil
}

// jsonMember reads a member of the plan's object.
func (d *draft) jsonMember(m jsonMember, own bool) {
	v := &m.value
	switch m.name {
	case "schema", "steps", "tasks":
		return
	case "title", "name", "goal":
		if d.title == "" && v.kind == '"' {
			d.title = v.text
			return
		}
	case "front_matter":
		if front, problem := markdown.ReadFront([]byte("---\n" + v.text + "---\n")); problem == nil && front.Body == len(v.text)+8 && v.kind == '"' {
			d.front = v.text
			return
		}
	case "summary", "overview", "description":
		if v.kind == '"' {
			d.summary = joinLines(d.summary, v.lines())
			return
		}
	case "sections":
		if v.kind == '[' {
			d.jsonSections(v)
			return
		}
	case "test_criteria", "verification":
		if !own {
			d.sections = append(d.sections, draftSection{2, "Verification", d.criteria(v).bullets()})
		}
		return
	case "risks":
		if !own {
			d.sections = append(d.sections, draftSection{2, "Risks", v.bullets()})
		}
		return
	case "rules", "checks", "prerequisites":
		if m.name == "checks" && !own {
			v = d.criteria(v)
		}
		d.sections = append(d.sections, draftSection{2, markdown.Title(m.name), v.bullets()})
		return
	}
	d.sections = append(d.sections, draftSection{2, strings.ReplaceAll(m.name, "_", " "), v.asText()})
}

// repeatsSummary reports whether the summary is that of the section which says so, as Export
// writes it for a plan that says under Overview what it is for.
func (d *draft) repeatsSummary(sections *jsonValue) bool {
	return slices.ContainsFunc(sections.items, func(s jsonValue) bool {
		is, body := s.get("summary"), s.get("body")
		return is != nil && is.text == "true" && body != nil && body.lines().text() == d.summary.text()
	})
}

func (d *draft) jsonSections(v *jsonValue) {
	for i := range v.items {
		s := &v.items[i]
		title, body := s.get("title"), s.get("body", "content", "text")
		if body == nil && strings.EqualFold(title.string(), "steps") {
			d.at = len(d.sections)
			continue
		}
		level := 2
		if l := s.get("level"); l != nil && l.text == "1" {
			level = 1
		}
		switch {
		case title == nil || title.kind != '"':
			d.sections = append(d.sections, draftSection{2, "Section", s.asText()})
		case body == nil || body.kind != '"':
			d.sections = append(d.sections, draftSection{level, title.text, s.asText()})
		default:
			d.sections = append(d.sections, draftSection{level, title.text, body.lines()})
		}
	}
}
