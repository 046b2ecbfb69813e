package form

import (
	"encoding/json"
	"strconv"
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
