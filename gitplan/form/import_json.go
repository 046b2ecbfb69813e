package form

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/markdown"
)

// draftFromJSON reads an object with steps, or an array of them: the form that
// structured output of models has, and what Export writes.
func draftFromJSON(src []byte) (*draft, error) {
	v, notes, err := readJSON(src)
	if err != nil {
		return nil, err
	}
	d := &draft{notes: notes}
	if v.kind == '[' {
		v = jsonValue{line: v.line, kind: '{', members: []jsonMember{{"steps", v}}}
	}
	if v.kind != '{' {
		return nil, &markdown.ParseError{Problems: []markdown.Problem{markdown.Wrong(v.line, "json", "this is no plan: write an object with `steps`")}}
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
	for i := range d.sections {
		d.sections[i].body = d.flattened(d.sections[i].body, 2)
	}
	d.summary = d.flattened(d.summary, 2)
	for i := range steps.items {
		if err := d.jsonStep(&steps.items[i], i, own); err != nil {
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

// get finds a member by one of some names.
func (v *jsonValue) get(names ...string) *jsonValue {
	for _, name := range names {
		for i := range v.members {
			if v.members[i].name == name {
				return &v.members[i].value
			}
		}
	}
	return nil
}

func (v *jsonValue) string() string {
	if v == nil || v.kind != '"' {
		return ""
	}
	return v.text
}

// lines returns those of a string; all stand in the line where it begins.
func (v *jsonValue) lines() lines {
	out := linesOf(v.text, Place{})
	for i := range out {
		out[i].from.Line = v.line
		out[i].text = dedent(out[i].text, 0, true)
	}
	return out
}

// jsonMember takes over a member of the plan's object.
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
			d.sections = append(d.sections, draftSection{2, "Verification", v.bullets()})
		}
		return
	case "risks":
		if !own {
			d.sections = append(d.sections, draftSection{2, "Risks", v.bullets()})
		}
		return
	case "rules", "checks", "prerequisites":
		d.sections = append(d.sections, draftSection{2, markdown.Title(m.name), v.bullets()})
		return
	}
	d.sections = append(d.sections, draftSection{2, strings.ReplaceAll(m.name, "_", " "), v.asText()})
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

// bullets returns a list of strings, or a text.
func (v *jsonValue) bullets() lines {
	if v.kind == '"' && !strings.Contains(strings.TrimSpace(v.text), "\n") {
		return lines{{"- " + inline(v.text), Place{Line: v.line}}}
	}
	if v.kind != '[' {
		return v.asText()
	}
	var out lines
	for i := range v.items {
		item := &v.items[i]
		if item.kind == '{' || item.kind == '[' {
			out = append(out, line{"- " + codeSpan(item.compact()), Place{Line: item.line}})
		} else if text := inline(item.text); text != "" {
			out = append(out, line{"- " + text, Place{Line: item.line}})
		}
	}
	return out
}

// asText is any value as Markdown: a string as it is, all else as JSON.
func (v *jsonValue) asText() lines {
	switch v.kind {
	case '"':
		return v.lines()
	case '{', '[':
		return lines{{"```json", Place{Line: v.line}}, {v.compact(), Place{Line: v.line}}, {"```", Place{Line: v.line}}}
	case 'n':
		return nil
	}
	return lines{{v.text, Place{Line: v.line}}}
}

// compact writes a value in one line.
func (v *jsonValue) compact() string {
	var b strings.Builder
	v.writeTo(&b)
	return b.String()
}

func (v *jsonValue) writeTo(b *strings.Builder) {
	quoted := func(s string) {
		text, _ := json.Marshal(s)
		b.Write(text)
	}
	switch v.kind {
	case '{':
		b.WriteByte('{')
		for i, m := range v.members {
			if i > 0 {
				b.WriteString(", ")
			}
			quoted(m.name)
			b.WriteString(": ")
			m.value.writeTo(b)
		}
		b.WriteByte('}')
	case '[':
		b.WriteByte('[')
		for i := range v.items {
			if i > 0 {
				b.WriteString(", ")
			}
			v.items[i].writeTo(b)
		}
		b.WriteByte(']')
	case '"':
		quoted(v.text)
	case 'n':
		b.WriteString("null")
	default:
		b.WriteString(v.text)
	}
}

// flattened makes text of headings that would part what they are in.
func (d *draft) flattened(l lines, level int) lines {
	out, changed := flat(l, level)
	for _, at := range changed {
		d.note(at, "a heading in a text stays as text")
	}
	return out
}

// inline returns a text in one line that begins no block of Markdown.
func inline(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if text == "" {
		return ""
	}
	digits := strings.TrimLeft(text, "0123456789")
	switch {
	case len(digits) < len(text) && digits != "" && strings.ContainsRune(".)", rune(digits[0])):
		return text[:len(text)-len(digits)] + `\` + digits
	case strings.ContainsRune("#>~<=|_", rune(text[0])),
		strings.HasPrefix(text, "```"),
		strings.ContainsRune("-+*", rune(text[0])) && (len(text) == 1 || text[1] == ' ' || text[1] == text[0] && !strings.HasPrefix(text, "**")):
		return `\` + text
	}
	return text
}

// codeSpan returns a text as a code span in one line.
func codeSpan(text string) string {
	text = strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' }), " ")
	longest, run := 0, 0
	for _, c := range []byte(text) {
		if run++; c != '`' {
			run = 0
		}
		longest = max(longest, run)
	}
	marks := strings.Repeat("`", longest+1)
	if longest > 0 || strings.HasPrefix(text, " ") && strings.HasSuffix(text, " ") {
		return fmt.Sprintf("%s %s %s", marks, text, marks)
	}
	return marks + text + marks
}
