package form

import (
	"fmt"
	"strings"
	"testing"
)

// Values that both formats can express are equal, each part with its first line.
func TestBothForms(t *testing.T) {
	const json = "{\"a\": [\n  \"x\",\n  2.50,\n  true, null,],\n \"b\": {\"c\": \"y\\nz\"}\n}"
	const yaml = "a:\n  - x\n  - 2.50 # two\n  - true\n  - null\nb:\n  c: |-\n    y\n    z\n"
	for name, read := range map[string]func() (*object, []Note, error){
		"JSON": func() (*object, []Note, error) { return readObject([]byte(json), JSON) },
		"YAML": func() (*object, []Note, error) { return readObject([]byte(yaml), YAML) },
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
		if want := map[string]int{"YAML": 1}[name]; len(notes) != want || want > 0 && (notes[0].Line != 3 || !strings.Contains(notes[0].Text, "two")) {
			t.Errorf("%s: %v", name, notes)
		}
	}
}

// Invalid JSON is not read as YAML if it should be JSON: nothing of it is lost.
func TestInvalidJSON(t *testing.T) {
	for _, text := range []string{`{"a": 1 // c` + "\n}", "{\"a\": 1, // c\n\"b\": 2}", `{"a": 1} {"b": 2}`, `{"a": 1} b`, `{a: 1}`, `{"a": b}`, "// c\n{\"a\": 1}", "{\"a\": 1}\n---\n{\"b\": 2}", `{"a": 1 /* c */}`} {
		if v, _, err := readObject([]byte(text), JSON); err == nil {
			t.Errorf("%q is read as %s", text, v.Compact())
		}
	}
	if v, _, err := readObject([]byte("\ufeff{\"a\":\t\"\\ud83d\\ude00\\/\", \"n\": [1e5, -2.50]}\r\n"), JSON); err != nil || v.Get("a").AsString() != "😀/" || v.Get("n").Compact() != "[1e5, -2.50]" && v.Get("n").Compact() != `["1e5", -2.50]` {
		t.Errorf("%s, %v", v.Compact(), err)
	}
}

// Both refuse text that parsers interpret differently, and unbounded nesting.
func TestTextsThatBothRefuse(t *testing.T) {
	deep := strings.Repeat("[", deepest+1) + strings.Repeat("]", deepest+1)
	for _, form := range []Form{JSON, YAML} {
		for text, want := range map[string]string{
			"{\"a\": 1,\n \"a\": 2}": "line 2: `a` is in one object twice, first in line 1: keep one",
			deep:                     "line 1: this nests more than 32 levels deep",
			"{\"a\": [1}":            "line 1: this is not ",
		} {
			if _, _, err := readObject([]byte(text), form); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%.40q: %v, want %s", text, err, want)
			}
		}
	}
}
