package form

import (
	"fmt"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/plan"
)

// stepsMembers are the names of the array of steps: this program's, task-master's and Ralph's.
var stepsMembers = []string{"steps", "tasks", "userStories"}

// draftFromObject reads JSON or YAML: an object with steps, or an array of them, as models' structured
// output, other tools and Export write it.
func draftFromObject(src []byte, rule string) (*draft, error) {
	v, notes, err := readObject(src, rule)
	if err != nil {
		return nil, err
	}
	d := &draft{notes: notes}
	if v.Kind == '[' {
		v = object{Line: v.Line, Kind: '{', Members: []member{{Name: "steps", Value: v}}}
	}
	if v.Kind != '{' {
		return nil, &plan.ParseError{Problems: []plan.Problem{plan.Wrong(v.Line, rule, "this is not a plan: write an object with `steps`")}}
	}
	for len(v.Members) == 1 && v.Members[0].Value.Kind == '{' && v.Get(stepsMembers...) == nil {
		v = v.Members[0].Value // {"plan": {...}}
	}
	steps := v.Get(stepsMembers...)
	if steps == nil || steps.Kind != '[' || len(steps.Items) == 0 {
		line := v.Line
		if steps != nil {
			line = steps.Line
		}
		return nil, &plan.ParseError{Problems: []plan.Problem{plan.Wrong(line, "no-steps", "there are no steps: write `steps`, an array of objects with `description`")}}
	}
	own := v.Get("schema") != nil && v.Get("sections") != nil
	for i := range v.Members {
		if m := v.Members[i]; &v.Members[i].Value != steps && m.Name != "schema" {
			d.jsonMember(m, own)
		}
	}
	for i := range d.sections {
		d.sections[i].body = d.flattened(d.sections[i].body, 2)
	}
	d.summary = d.flattened(d.summary, 2)
	for i := range steps.Items {
		if err := d.jsonStep(&steps.Items[i], i, own, rule); err != nil {
			return nil, err
		}
	}
	d.inOrder()
	const longest = 80 // bytes of a title made from a summary
	if d.title == "" && len(d.summary) == 1 && len(d.summary[0].text) <= longest {
		d.title = strings.TrimRight(d.summary[0].text, ". ")
		d.note(d.summary[0].from, "there is no title; its summary is used")
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
func (d *draft) jsonMember(m member, own bool) {
	v := &m.Value
	switch m.Name {
	case "title", "name", "goal", "project":
		if d.title == "" && v.Kind == '"' {
			d.title = v.Text
			return
		}
	case "front_matter":
		if front, problem := plan.ReadFront([]byte("---\n" + v.Text + "---\n")); problem == nil && front.Body == len(v.Text)+8 && v.Kind == '"' {
			d.front = v.Text
			return
		}
	case "summary", "overview", "description":
		if v.Kind == '"' {
			d.summary = joinLines(d.summary, linesIn(v))
			return
		}
	case "sections":
		if v.Kind == '[' {
			d.jsonSections(v)
			return
		}
	case "test_criteria", "verification":
		if !own {
			d.sections = append(d.sections, draftSection{2, "Verification", bullets(d.criteria(v))})
		}
		return
	case "risks":
		if !own {
			d.sections = append(d.sections, draftSection{2, "Risks", bullets(v)})
		}
		return
	case "rules", "checks", "prerequisites":
		if m.Name == "checks" && !own {
			v = d.criteria(v)
		}
		d.sections = append(d.sections, draftSection{2, plan.Capitalize(m.Name), bullets(v)})
		return
	}
	d.sections = append(d.sections, draftSection{2, strings.ReplaceAll(m.Name, "_", " "), asText(v)})
}

func (d *draft) jsonSections(v *object) {
	for i := range v.Items {
		s := &v.Items[i]
		title, body := s.Get("title"), s.Get("body", "content", "text")
		if body == nil && strings.EqualFold(title.AsString(), "steps") {
			d.at = len(d.sections)
			continue
		}
		level := 2
		if l := s.Get("level"); l != nil && l.Text == "1" {
			level = 1
		}
		switch {
		case title == nil || title.Kind != '"':
			d.sections = append(d.sections, draftSection{2, "Section", asText(s)})
		case body == nil || body.Kind != '"':
			d.sections = append(d.sections, draftSection{level, title.Text, asText(s)})
		default:
			d.sections = append(d.sections, draftSection{level, title.Text, linesIn(body)})
		}
	}
}

// linesIn returns the lines of a string, all with the place where the string begins.
func linesIn(v *object) lines {
	out := linesOf(v.Text, Place{})
	for i := range out {
		out[i].from.Line = v.Line
		out[i].text = dedent(out[i].text, 0, true)
	}
	return out
}

// asText returns a value as Markdown: a string as it is, anything else as JSON.
func asText(v *object) lines {
	switch v.Kind {
	case '"':
		return linesIn(v)
	case '{', '[':
		return lines{{"```json", Place{Line: v.Line}}, {v.Compact(), Place{Line: v.Line}}, {"```", Place{Line: v.Line}}}
	case 'n':
		return nil
	}
	return lines{{v.Text, Place{Line: v.Line}}}
}

// bullets returns a list of strings, or a text.
func bullets(v *object) lines {
	if v.Kind == '"' && !strings.Contains(strings.TrimSpace(v.Text), "\n") {
		return lines{{"- " + inline(v.Text), Place{Line: v.Line}}}
	}
	if v.Kind != '[' {
		return asText(v)
	}
	var out lines
	for i := range v.Items {
		item := &v.Items[i]
		if item.Kind == '{' || item.Kind == '[' {
			out = append(out, line{"- " + codeSpan(item.Compact()), Place{Line: item.Line}})
		} else if text := inline(item.Text); text != "" {
			out = append(out, line{"- " + text, Place{Line: item.Line}})
		}
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
