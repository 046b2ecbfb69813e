package form

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const yamlPlan = `# by a model
summary: Greet
steps:
  - order: 1
    description: Say hello
    files_to_modify: [main.go]
    files_to_create: [hello.go]
    validation: |
      go test ./...
  - order: 2
    description: |
      Say bye. It is friendly.
      Twice.
    needs: [1]
    validation:
      - "` + "`go vet ./...`" + ` passes"
      - it is friendly
test_criteria:
  - it greets
risks:
  - none: known
`

// A YAML plan is imported like the same plan in JSON.
func TestYAMLBecomesAPlan(t *testing.T) {
	const want = "# Greet\n\nGreet\n\n## Steps\n\n" +
		"- [ ] Say hello {#say-hello}\n  - Files to modify: `main.go`\n  - Files to create: `hello.go`\n  - Check: go test ./...\n" +
		"- [ ] Say bye {#say-bye}\n  - Do: Say bye. It is friendly.\n    Twice.\n  - Needs: #say-hello\n  - Check:\n    - `go vet ./...` passes\n    - it is friendly\n\n" +
		"## Verification\n\n- it greets\n\n## Risks\n\n- `{\"none\": \"known\"}`\n"
	for _, name := range []string{"plan.yaml", "plan.yml"} {
		in, err := Import(name, []byte(yamlPlan), "")
		if err != nil || in.Form != YAML {
			t.Fatal(in, err)
		}
		if diff := cmp.Diff(want, string(in.Text)); diff != "" {
			t.Error(diff)
		}
		if in.Notes[0].String() != "line 1: a comment is left out: `by a model`" {
			t.Errorf("the notes are %v", in.Notes)
		}
	}
}

// JSON is YAML: a plan in JSON is the same plan when read as YAML, or refused as YAML.
func TestJSONReadAsYAML(t *testing.T) {
	same := 0
	for _, c := range formCases(t, "../../testdata/forms/json.txtar") {
		in, err := Import("", []byte(c.in), JSON)
		if err != nil {
			continue
		}
		as, err := Import("", []byte(c.in), YAML)
		if err != nil {
			t.Logf("%s: %v", c.name, err)
			continue
		}
		if diff := cmp.Diff(string(in.Text), string(as.Text)); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
		same++
	}
	if same < 50 {
		t.Errorf("only %d of the plans in JSON are read as YAML", same)
	}
}

// Errors name the line.
func TestRefusedYAML(t *testing.T) {
	steps := func(text string) string { return "summary: Greet\nsteps:\n" + text }
	for _, c := range []struct{ text, want string }{
		{steps("  - [a\n"), "line 3: this is not YAML: sequence end token ']' not found"},
		{steps("  - description: a\n   validation: b\n"), "line 4: this is not YAML: "},
		{steps("  - a: &x b\n  - c: *x\n"), "line 3: `&` begins an anchor"},
		{steps("  - files: [*.go]\n"), "line 3: `*` begins an anchor, alias, tag or directive in YAML, which a plan has none of: put the text in quotes"},
		{steps("  - description: !!binary aGk=\n"), "line 3: `!!binary` begins"},
		{steps("  - order: 1\n    order: 2\n"), "line 4: `order` is in one object twice, first in line 3: keep one"},
		{steps("  - a\n---\nsteps: []\n"), "line 4: a second document begins here: a plan is one"},
		{steps("  - ? [a]\n    : b\n"), "line 3: a key is a word or a text in quotes"},
		{"summary: Greet\nsteps: none\n", "line 2: there are no steps: write `steps`, an array of objects with `description`"},
		{"- [b]\n", "line 1: a step is an object with `description`, or a text"},
		{"", "line 1: this is empty: write an object with `steps`"},
		{steps("  - " + strings.Repeat("[", 40) + strings.Repeat("]", 40)), "line 3: this nests more than 32 levels deep"},
		{steps(strings.Repeat("- ", 40) + "a"), "line 3: this nests more than 32 levels deep"},
		{steps(nested(40)), "line 36: this nests more than 32 levels deep"},
		{steps("  - a\n") + keys("", maxTokens[YAML]/3), "line 1: these are too many values for one plan"},
		{steps("- " + strings.Repeat("a", maxSize)), "line 1: this is longer than 4096 KiB"},
	} {
		_, err := Import("", []byte(c.text), YAML)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.60q: %v, want %s", c.text, err, c.want)
		}
	}
}

func keys(indent string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%sk%d: 1\n", indent, i)
	}
	return b.String()
}

func nested(levels int) string {
	var b strings.Builder
	for i := range levels {
		b.WriteString(strings.Repeat(" ", i) + "a:\n")
	}
	return b.String()
}

// A text is YAML by its file name; a text that only looks like it is Markdown as before.
func TestRecognisedYAML(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       Form
	}{
		{"plan.YAML", "plan:\n  steps: [say hello]\n", YAML},
		{"plan.md", "tasks:\n- [ ] say hello\n", Checklist},
		{"plan.md", "# T\n\nsteps:\n\n- [ ] say hello\n", Checklist},
		{"plan.md", "---\nsteps:\n- a\n---\n# T\n\n## Steps\n- [ ] b\n", Own},
		{"plan.yaml", "# T\n\n## Steps\n- [ ] b\n", Own},
	} {
		in, err := Import(c.name, []byte(c.text), "")
		if err != nil || in.Form != c.want {
			t.Errorf("%q is %v, want %s: %v", c.text, in, c.want, err)
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
		`{"steps": ["a"], "tasks": ["lost?"]}`: "## tasks (notes)\n\n- lost?\n\n",
	} {
		in, err := Import("", []byte(text), "")
		if err != nil || !strings.Contains(string(in.Text), want) {
			t.Errorf("%v\n%s\nwant %s", err, in.Text, want)
		}
	}
}
