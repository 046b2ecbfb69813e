package form

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/git-plan/git-plan/gitplan/plan"
)

// object is a value of JSON or YAML, and the line in which it begins.
type object struct {
	Name  string // of a member of an object
	Line  int
	Kind  byte      // { [ " 0 t n, as the value begins; t for both booleans
	Text  string    // of a string, number or boolean
	Items []*object // of an array or an object, in their order
}

// Get returns the member of an object with the first of these names that it has.
func (v *object) Get(names ...string) *object {
	for _, name := range names {
		for _, member := range v.Items {
			if v.Kind == '{' && member.Name == name {
				return member
			}
		}
	}
	return nil
}

// list returns the first array among the members with these names.
func (v *object) list(names ...string) *object {
	for _, name := range names {
		if list := v.Get(name); list != nil && list.Kind == '[' {
			return list
		}
	}
	return nil
}

// Number returns a member as a number; 0 without one.
func (v *object) Number(name string) int {
	if n := v.Get(name); n != nil {
		i, _ := strconv.Atoi(n.Text)
		return i
	}
	return 0
}

// AsString returns a string; "" for other values and for nil.
func (v *object) AsString() string {
	if v == nil || v.Kind != '"' {
		return ""
	}
	return v.Text
}

// Compact returns a value as JSON in one line.
func (v *object) Compact() string {
	quoted := func(s string) string {
		text, _ := json.Marshal(s)
		return string(text)
	}
	var parts []string
	for _, item := range v.Items {
		part := item.Compact()
		if v.Kind == '{' {
			part = quoted(item.Name) + ": " + part
		}
		parts = append(parts, part)
	}
	switch v.Kind {
	case '{':
		return "{" + strings.Join(parts, ", ") + "}"
	case '[':
		return "[" + strings.Join(parts, ", ") + "]"
	case '"':
		return quoted(v.Text)
	case 'n':
		return "null"
	}
	return v.Text
}

// each returns the items of an array, or the value itself.
func (v *object) each() []*object {
	if v.Kind == '[' {
		return v.Items
	}
	return []*object{v}
}

// Words returns the texts of an array, or of the value itself, each in one line.
func (v *object) Words() []string {
	var out []string
	for _, item := range v.each() {
		out = append(out, strings.Join(strings.Fields(item.Text), " "))
	}
	return out
}

// markdown returns a value as Markdown: a text as it is, an array as bullets, an object as JSON.
func (v *object) markdown() (out lines) {
	at := Place{Line: v.Line}
	switch v.Kind {
	case '{':
		return lines{{"```json", at}, {v.Compact(), at}, {"```", at}}
	case '[':
		return bullets(v.Items)
	}
	for _, l := range linesOf(v.Text) {
		out = append(out, line{dedent(l.text, 0, true), at})
	}
	return out
}

// bullets returns a list of values.
func bullets(items []*object) (out lines) {
	for _, item := range items {
		text := inline(item.Text)
		if item.Kind == '{' || item.Kind == '[' {
			text = plan.CodeSpan(item.Compact())
		}
		if text != "" {
			out = append(out, line{"- " + text, Place{Line: item.Line}})
		}
	}
	return out
}

// inline returns a text in one line that does not begin a Markdown block.
func inline(text string) string { return noBlock(strings.Join(strings.Fields(text), " ")) }
