package form

import (
	"fmt"
	"strings"
	"testing"
)

// Each value has the line in which it begins.
func TestValuesOfJSON(t *testing.T) {
	v, err := readObject([]byte("\ufeff{\"a\": [\r\n  \"x\",\n  2.50,\n  true,\tnull],\n \"b\": {\"c\": \"y\\nz \\ud83d\\ude00\\/\"}\n}\n"))
	if err != nil {
		t.Fatal(err)
	}
	if v.Compact() != `{"a":["x",2.50,true,null],"b":{"c":"y\nz \ud83d\ude00\/"}}` || v.Get("b").Get("c").AsString() != "y\nz 😀/" {
		t.Error(v.Compact())
	}
	a := v.Get("nothing", "a")
	if lines := fmt.Sprint(v.Line, a.Line, a.Items[0].Line, a.Items[1].Line, v.Get("b").Line); lines != "1 1 2 3 5" {
		t.Errorf("lines %s", lines)
	}
	if words := strings.Join(a.Words(), "|"); words != "x|2.50|true|" || v.Get("b").AsString() != "" || v.Get("no").AsString() != "" {
		t.Errorf("%q", words)
	}
}

// What parsers read differently is refused, and so is unbounded nesting.
func TestInvalidJSON(t *testing.T) {
	for text, want := range map[string]string{
		"{\"a\": 1,\n \"a\": 2}": "line 2: `a` is in one object twice, first in line 1: keep one",
		strings.Repeat("[", deepest+2) + strings.Repeat("]", deepest+2): "line 1: this nests more than 32 levels deep",
		"{\"a\": [1}":                "line 1: this is not JSON: ",
		"{\"a\": 1, // c\n\"b\": 2}": "line 1: this is not JSON: ",
		"{\"a\": [\n1,\n]}":          "line 3: this is not JSON: ",
		"{\"a\": [\n1\n":             "this is not JSON: unexpected end",
		`{"a": 1} {"b": 2}`:          "line 1: this is not JSON: ",
		`{a: 1}`:                     "line 1: this is not JSON: ",
		"":                           "line 1: this is not JSON: ",
	} {
		if v, err := readObject([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: %v, %v, want %s", text, v, err, want)
		}
	}
}

// Objects of task-master and of Ralph are recognised by their keys; a second list of steps stays text.
func TestObjectsOfOtherTools(t *testing.T) {
	for text, want := range map[string]string{
		`{"master": {"tasks": [{"id": 1, "title": "Say hello", "description": "In main.", "status": "done"}, {"id": 2, "title": "Say bye", "dependencies": [1]}]}}`: "- [x] Say hello {#say-hello}\n  - id: 1\n  - Do: In main.\n" +
			"- [ ] Say bye {#say-bye}\n  - id: 2\n  - Needs: #say-hello\n",
		`{"project": "Greet", "branchName": "x", "userStories": [{"id": "US-001", "title": "Say hello", "acceptanceCriteria": ["it greets", "go test ./..."], "passes": true}]}`: "# Greet\n\n## branchName\n\nx\n\n## Steps\n\n" +
			"- [x] Say hello {#say-hello}\n  - id: US-001\n  - Check:\n    - it greets\n    - go test ./...\n",
		`{"steps": ["a", "b", {"title": "c", "needs": ["1,", "and 2;"]}]}`: "  - Needs: #a, #b\n",
		`{"steps": ["a"], "tasks": ["lost?"]}`:                             "## tasks (notes)\n\n- lost?\n\n",
	} {
		in, err := Import("", []byte(text), "")
		if err != nil || !strings.Contains(string(in.Text), want) {
			t.Errorf("%v\n%s\nwant %s", err, in.Text, want)
		}
	}
}

// A plan in YAML is known by its file's name, and says the same as in JSON; what JSON cannot say is an error.
func TestPlansInYAML(t *testing.T) {
	const text = "\ufeff# ours\nplan:\n  title: Warn\n  owner: {name: x, \"at\": [1.50, 0x1F, no, True, ~, 'a\"b']}\n  steps:\n    - description: Read it\n      files_to_modify: [a.go]\n      done: True\n" +
		"    - description: |\n        Do that\n        and more\n      depends_on: [1]\n"
	in, err := Import("p.yaml", []byte(text), "")
	if err != nil || in.Form != YAML {
		t.Fatal(in, err)
	}
	json, err := Import("p.json", []byte(`{"plan": {"title": "Warn", "owner": {"name": "x", "at": [1.50, "0x1F", "no", true, null, "a\"b"]},
		"steps": [{"description": "Read it", "files_to_modify": ["a.go"], "done": true},
		{"description": "Do that\nand more\n", "depends_on": [1]}]}}`), "")
	if err != nil || string(in.Text) != string(json.Text) {
		t.Errorf("%v\n%s\nand not\n%s", err, in.Text, json.Text)
	}
	for text, want := range map[string]string{
		"a: &x 1\nb: *x\n":          "line 1: `&` begins an anchor",
		"a: b: c":                   "line 1: this is not YAML",
		"a: 1\na: 2\n":              "line 2: this is not YAML",
		"steps: [x]\n---\nb: 1\n":   "not one document",
		strings.Repeat("[", 9999):   "line 1: this nests",
		strings.Repeat("- ", 9999):  "line 1: this nests",
		strings.Repeat("[\n- ", 99): "line 33: this nests",
		strings.Repeat(" ", 9<<20):  "longer than 128 KiB",
	} {
		if _, err := Import("p.yml", []byte(text), ""); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.20q: %v, and not %s", text, err, want)
		}
	}
}
