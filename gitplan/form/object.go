package form

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// object is a value of JSON or YAML, and the line in which it begins.
type object struct {
	Line    int
	Kind    byte     // { [ " 0 t n, as the value begins; t for both booleans
	Text    string   // of a string, number or boolean
	Members []member // of an object, in their order
	Items   []object // of an array
}

// member is a name in an object and its value.
type member struct {
	Name  string
	Value object
}

// Get returns the first member with one of these names.
func (v *object) Get(names ...string) *object {
	for _, name := range names {
		for i := range v.Members {
			if v.Members[i].Name == name {
				return &v.Members[i].Value
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
	switch v.Kind {
	case '{':
		for _, m := range v.Members {
			parts = append(parts, quoted(m.Name)+": "+m.Value.Compact())
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case '[':
		for _, item := range v.Items {
			parts = append(parts, item.Compact())
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case '"':
		return quoted(v.Text)
	case 'n':
		return "null"
	}
	return v.Text
}

// each returns the items of an array, or the value itself.
func (v *object) each() []object {
	if v.Kind == '[' {
		return v.Items
	}
	return []object{*v}
}

// Words returns the texts of an array, or of the value itself, each in one line.
func (v *object) Words() []string {
	var out []string
	for _, item := range v.each() {
		out = append(out, strings.Join(strings.Fields(item.Text), " "))
	}
	return out
}

// linesIn returns the lines of a string, all with the place where the string begins.
func linesIn(v *object) lines {
	out := linesOf(v.Text, Place{})
	for i := range out {
		out[i] = line{dedent(out[i].text, 0, true), Place{Line: v.Line}}
	}
	return out
}

// asText returns a value as Markdown: strings unchanged, anything else as JSON.
func asText(v *object) lines {
	at := Place{Line: v.Line}
	switch v.Kind {
	case '"':
		return linesIn(v)
	case '{', '[':
		return lines{{"```json", at}, {v.Compact(), at}, {"```", at}}
	case 'n':
		return nil
	}
	return lines{{v.Text, at}}
}

// bullets returns a list of strings, or a text.
func bullets(v *object) (out lines) {
	if v.Kind != '[' && (v.Kind != '"' || strings.Contains(strings.TrimSpace(v.Text), "\n")) {
		return asText(v)
	}
	for _, item := range v.each() {
		if item.Kind == '{' || item.Kind == '[' {
			out = append(out, line{"- " + plan.CodeSpan(item.Compact()), Place{Line: item.Line}})
		} else if text := inline(item.Text); text != "" {
			out = append(out, line{"- " + text, Place{Line: item.Line}})
		}
	}
	return out
}

// inline returns a text in one line that does not begin a Markdown block.
func inline(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if m := beginsBlockInLine.Compiled().FindStringSubmatchIndex(text); m != nil {
		at := max(m[3], m[5])
		return text[:at] + `\` + text[at:]
	}
	return text
}

// beginsBlockInLine matches the beginning of a block; a backslash after its group makes it text.
var beginsBlockInLine = visible.NewPattern("^(\\d+)[.)]|^()(?:[#>~<=|_]|```|[-+*](?: |$)|--|\\+\\+)")
