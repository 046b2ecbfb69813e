package form

import (
	"encoding/json"
	"strings"
)

// object is a value of JSON or YAML, and the line in which it begins.
type object struct {
	Line    int
	Kind    byte     // { [ " 0 t n, as the value begins; t for both booleans
	Text    string   // of a string, number or boolean
	Members []member // of an object, in their order
	Items   []object // of an array
}

// member is a name in an object, and what it stands for.
type member struct {
	Name  string
	Value object
}

// Get returns the member that has one of some names.
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

// AsString returns a string; "" of any other value, and of none.
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

// Words returns the texts of an array, or of the value itself, each in one line.
func (v *object) Words() []string {
	items := v.Items
	if v.Kind != '[' {
		items = []object{*v}
	}
	var out []string
	for _, item := range items {
		out = append(out, strings.Join(strings.Fields(item.Text), " "))
	}
	return out
}
