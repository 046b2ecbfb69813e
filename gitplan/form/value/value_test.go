package value

import (
	"fmt"
	"strings"
	"testing"
)

// What both forms can say is the same value, each part with the line in which it begins.
func TestBothForms(t *testing.T) {
	const json = "{\"a\": [\n  \"x\",\n  2.50, // two\n  true, null,],\n \"b\": {\"c\": \"y\\nz\"}\n}"
	const yaml = "a:\n  - x\n  - 2.50 # two\n  - true\n  - null\nb:\n  c: |-\n    y\n    z\n"
	for name, read := range map[string]func() (Value, []Note, error){
		"JSON": func() (Value, []Note, error) { return ReadJSON([]byte(json)) },
		"YAML": func() (Value, []Note, error) { return ReadYAML([]byte(yaml)) },
	} {
		v, notes, err := read()
		if err != nil {
			t.Fatal(name, err)
		}
		if got := v.Compact(); got != `{"a": ["x", 2.50, true, null], "b": {"c": "y\nz"}}` {
			t.Errorf("%s: %s", name, got)
		}
		a := v.Get("nothing", "a")
		if lines := fmt.Sprint(a.Items[0].Line, a.Items[1].Line); name == "JSON" && lines != "2 3" || name == "YAML" && lines != "2 3" {
			t.Errorf("%s: lines %s", name, lines)
		}
		if words := strings.Join(a.Words(), "|"); words != "x|2.50|true|" || v.Get("b").AsString() != "" || v.Get("b").Get("c").AsString() != "y\nz" || v.Get("no").AsString() != "" {
			t.Errorf("%s: %q", name, words)
		}
		if want := map[string]int{"JSON": 2, "YAML": 1}[name]; len(notes) != want || notes[0].Line != 3 || !strings.Contains(notes[0].Text, "two") {
			t.Errorf("%s: %v", name, notes)
		}
	}
}

// Both refuse what readers understand in different ways, and what nests without an end.
func TestWhatBothRefuse(t *testing.T) {
	deep := strings.Repeat("[", deepest+1) + strings.Repeat("]", deepest+1)
	for _, read := range []func([]byte) (Value, []Note, error){ReadJSON, ReadYAML} {
		for text, want := range map[string]string{
			"{\"a\": 1,\n \"a\": 2}": "line 2: `a` is in one object twice, first in line 1: keep one",
			deep:                     "line 1: this nests more than 32 levels deep",
			"{\"a\": [1}":            "line 1: this is not ",
		} {
			if _, _, err := read([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%.40q: %v, want %s", text, err, want)
			}
		}
	}
}
