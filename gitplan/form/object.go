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

// The rules by which errors of the two forms are known.
const (
	jsonRule = "json"
	yamlRule = "yaml"
)

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

// Compact writes a value in one line.
func (v *object) Compact() string {
	var b strings.Builder
	v.writeTo(&b)
	return b.String()
}

func (v *object) writeTo(b *strings.Builder) {
	quoted := func(s string) {
		text, _ := json.Marshal(s)
		b.Write(text)
	}
	switch v.Kind {
	case '{':
		b.WriteByte('{')
		for i, m := range v.Members {
			if i > 0 {
				b.WriteString(", ")
			}
			quoted(m.Name)
			b.WriteString(": ")
			m.Value.writeTo(b)
		}
		b.WriteByte('}')
	case '[':
		b.WriteByte('[')
		for i := range v.Items {
			if i > 0 {
				b.WriteString(", ")
			}
			v.Items[i].writeTo(b)
		}
		b.WriteByte(']')
	case '"':
		quoted(v.Text)
	case 'n':
		b.WriteString("null")
	default:
		b.WriteString(v.Text)
	}
}

// Words returns the texts of an array, or of the value itself, each in one line.
func (v *object) Words() []string {
	if v.Kind != '[' {
		return []string{strings.Join(strings.Fields(v.Text), " ")}
	}
	var out []string
	for i := range v.Items {
		out = append(out, strings.Join(strings.Fields(v.Items[i].Text), " "))
	}
	return out
}
