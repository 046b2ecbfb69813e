// Package value reads JSON and YAML into values that know their lines: errors and notes of what is
// imported name them.
package value

import (
	"encoding/json"
	"strings"
)

// Value is a value of JSON or YAML, and the line in which it begins.
type Value struct {
	Line    int
	Kind    byte     // { [ " 0 t n, as the value begins; t for both booleans
	Text    string   // of a string, number or boolean
	Members []Member // of an object, in their order
	Items   []Value  // of an array
}

// Member is a name in an object, and what it stands for.
type Member struct {
	Name  string
	Value Value
}

// Note says what was read otherwise than it is written.
type Note struct {
	Line int // from 1
	Text string
}

// The rules by which errors of the two forms are known.
const (
	JSONRule = "json"
	YAMLRule = "yaml"
)

// Get returns the member that has one of some names.
func (v *Value) Get(names ...string) *Value {
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
func (v *Value) AsString() string {
	if v == nil || v.Kind != '"' {
		return ""
	}
	return v.Text
}

// Compact writes a value in one line.
func (v *Value) Compact() string {
	var b strings.Builder
	v.writeTo(&b)
	return b.String()
}

func (v *Value) writeTo(b *strings.Builder) {
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
func (v *Value) Words() []string {
	if v.Kind != '[' {
		return []string{strings.Join(strings.Fields(v.Text), " ")}
	}
	var out []string
	for i := range v.Items {
		out = append(out, strings.Join(strings.Fields(v.Items[i].Text), " "))
	}
	return out
}
