package agent

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/git-plan/git-plan/gitplan/visible"
)

// Repaired returns JSON without common errors of models: control characters, unknown escapes, commas before brackets.
func Repaired(s string) string {
	var b strings.Builder
	inside := false
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c == '"':
			inside = !inside
		case inside && c < ' ':
			fmt.Fprintf(&b, `\u%04x`, c)
			continue
		case inside && c == '\\' && i+1 < len(s) && strings.IndexByte(`"\/bfnrtu`, s[i+1]) >= 0:
			b.WriteByte(c)
			i++
			c = s[i]
		case inside && c == '\\':
			b.WriteByte(c)
		case !inside && c == ',':
			next := strings.TrimLeft(s[i+1:], " \t\r\n")
			if next != "" && (next[0] == '}' || next[0] == ']') {
				continue
			}
		}
		b.WriteByte(c)
	}
	return b.String()
}

// LastObject returns the outermost JSON object at the end of a text, repaired, and the text before it; nil without one.
func LastObject(text string) (object json.RawMessage, before string) {
	body, fenced := strings.CutSuffix(strings.TrimSpace(text), "```")
	if body = strings.TrimSpace(body); !strings.HasSuffix(body, "}") {
		return nil, ""
	}
	const unchanged, repaired = 1000, 20 // the maximum numbers of attempts to parse
	object, at := endOf(body, unchanged, func(s string) string { return s })
	if object == nil {
		object, at = endOf(body, repaired, Repaired)
	}
	if object == nil {
		return nil, ""
	}
	before = strings.TrimSpace(body[:at])
	if i := strings.LastIndexByte(before, '\n') + 1; fenced && strings.HasPrefix(strings.TrimSpace(before[i:]), "```") {
		before = strings.TrimSpace(before[:i])
	}
	return object, before
}

var opensLine = visible.NewPattern(`(?m)^[ \t]*\{`)

// endOf returns the outermost JSON object that ends a text, repaired by read, and its offset.
func endOf(text string, tries int, read func(string) string) (json.RawMessage, int) {
	var begins []int
	for _, line := range opensLine().FindAllIndex([]byte(text), tries) {
		begins = append(begins, line[1]-1)
	}
	for at, n := strings.LastIndexByte(text, '{'), 0; at >= 0 && n < tries; n++ {
		begins = append(begins, at)
		at = strings.LastIndexByte(text[:at], '{')
	}
	for _, at := range begins {
		if object := json.RawMessage(read(text[at:])); json.Valid(object) {
			return object, at
		}
	}
	return nil, -1
}

// PlanIn returns the plan in a planner's text, without the fence and the prose around it; "" if there is none.
func PlanIn(text string) string {
	at := planShape().FindStringIndex(text)
	if at == nil {
		return ""
	}
	if talk := text[:at[0]]; !strings.Contains(talk, "---") { // the front matter is part of a plan
		text = text[at[0]:]
		if end := strings.LastIndex(text, "\n```"); end >= 0 && strings.Contains(talk, "```") {
			text = text[:end]
		}
	}
	return Unfenced(text) + "\n"
}

var planShape = visible.NewPattern(`(?ms)^\s*# \S.*^[-*] \[ \] \S`)

// Unfenced returns text without the fence that begins and ends it.
func Unfenced(text string) string {
	text = strings.TrimSpace(text)
	first, rest, ok := strings.Cut(text, "\n")
	fence := first[:len(first)-len(strings.TrimLeft(first, "`"))]
	body, closed := strings.CutSuffix(rest, "\n"+fence)
	if !ok || len(fence) < 3 || !closed {
		return text
	}
	return strings.TrimSpace(body)
}
