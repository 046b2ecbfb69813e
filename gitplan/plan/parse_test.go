package plan

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/git-plan/git-plan/testdata/texts"
)

// The plan in the description of the format is read as described.
func TestExample(t *testing.T) {
	src, err := os.ReadFile("../../testdata/plans/example.md")
	if err != nil {
		t.Fatal(err)
	}
	p, err := Parse(src)
	if err != nil {
		t.Fatal(err)
	}
	type outline struct {
		ID, Title, Run string
		Line           int
		Box            bool
		Files, Needs   []string
		Checks         []Check
		Status         StepStatus
	}
	want := []outline{
		{ID: "user-model", Title: "Add the user model", Line: 22, Box: true,
			Files:  []string{"src/models/user.ts", "test/user.test.ts"},
			Checks: []Check{{"`npm test -- user`", "npm test -- user", 25}}},
		{ID: "issue-tokens", Title: "Issue tokens", Line: 26, Needs: []string{"user-model"},
			Checks: []Check{{"`npm test -- token`", "npm test -- token", 31}, {"a forged token is refused", "", 31}}},
		{ID: "format", Title: "Format everything", Line: 32, Run: "npx prettier --write src", Needs: []string{"issue-tokens"}},
		{ID: "rotate", Title: "Rotate keys", Line: 34, Needs: []string{"issue-tokens"},
			Status: StepStatus{"blocked", "the vault address is not known"}},
	}
	var got []outline
	for _, s := range p.Steps {
		got = append(got, outline{s.ID, s.Title, s.Run, s.Line, s.Box, s.Files, s.Needs, s.Checks, s.Status})
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if p.Steps[0].Do != "a User with email, password hash and creation time." {
		t.Errorf("Do is %q", p.Steps[0].Do)
	}
	if !strings.Contains(p.Steps[1].Text, "\n  Free text, code fences and nested checklists are part of the step.\n") {
		t.Errorf("free text is missing: %q", p.Steps[1].Text)
	}
	if p.ID != "add-jwt-auth-7d3f" || p.Branch != "feature/jwt" || p.Base != "main" {
		t.Errorf("front matter is %q %q %q", p.ID, p.Branch, p.Base)
	}
	if p.Title != "Add JWT authentication" || p.Summary != "Protect every /api route except login and register." {
		t.Errorf("title %q, summary %q", p.Title, p.Summary)
	}
	if p.Rules != "- Do not change the public API of `store`." {
		t.Errorf("rules %q", p.Rules)
	}
	if diff := cmp.Diff([]Check{{"`npm run lint`", "npm run lint", 18}}, p.Checks); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]Check{{"`npm test`", "npm test", 41}, {"a request without a token gets 401", "", 42}}, p.Verification); diff != "" {
		t.Error(diff)
	}
	var sections []string
	for _, s := range p.Sections {
		sections = append(sections, fmt.Sprint(s.Line, " ", s.Title))
	}
	if diff := cmp.Diff([]string{"11 Context", "14 Rules", "17 Checks", "20 Steps", "38 Edge cases", "39 Risks and assumptions", "40 Verification"}, sections); diff != "" {
		t.Error(diff)
	}
}

func outlineOf(p *Plan) string {
	var lines []string
	for _, s := range p.Steps {
		line := fmt.Sprintf("[%s] %s {%s}", map[bool]string{true: "x", false: " "}[s.Box], s.Title, s.ID)
		if s.Run != "" {
			line += " run=" + s.Run
		}
		if n := len(s.At.Boxes); n > 0 {
			line += fmt.Sprintf(" boxes=%d", n)
		}
		if s.Status.Word != "" {
			line += fmt.Sprintf(" %s(%s)", s.Status.Word, s.Status.Reason)
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

func TestTrickyPlans(t *testing.T) {
	for _, c := range texts.Tricky {
		t.Run(c.Name, func(t *testing.T) {
			p, err := Parse([]byte(c.Text))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.Outline, outlineOf(p)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// refusedPlans are texts with problems; each has a line and a part of the message.
var refusedPlans = []struct {
	name, text string
	problems   []string
}{
	{"nothing", "", []string{"1: no title", "1: no steps: write a section `## Steps`"}},
	{"a BOM and a mark", "\ufeff#", []string{"1: the title is empty", "1: no steps"}},
	{"no title", "## Steps\n- [ ] a\n", []string{"1: no title"}},
	{"an empty title", "#\n\n## Steps\n- [ ] a\n", []string{"1: the title is empty"}},
	{"no section", "# T\n\ntext\n", []string{"3: no steps: write a section `## Steps`"}},
	{"a misspelt section", "# T\n\n## Stepps\n- [ ] a\n\n## Notes\n", []string{"6: no steps: write a section `## Steps` with items `- [ ] what to do`"}},
	{"a section of another level", "# T\n\n# Steps\n- [ ] a\n", []string{"3: no steps under `Steps`: write the heading as `## Steps`"}},
	{"an empty section", "# T\n\n## Tasks\n\n## Notes\n", []string{"3: no steps under `Tasks`"}},
	{"items without boxes", texts.Steps("- a\n- b\n"), []string{"3: no steps under `Steps`"}},
	{"an unclosed fence swallows all", texts.Steps("```\n- [ ] a\n- [ ] b {#x}\n"), []string{"3: no steps under", "5: the fence opened here is never closed and swallows `a` (line 6), `b` (line 7)"}},
	{"a step without a title", texts.Steps("- [ ] a\n- [ ]\n- [x] {#x}\n"), []string{"6: a step without a title", "7: a step without a title"}},
	{"marks that are not boxes", texts.Steps("- [ ] a\n- [~] b\n- [] c\n- [ x] d\n- [ ]e\n- [\u00a0] f\n"),
		[]string{"6: this looks like a step", "7: this looks like a step", "8: this looks like a step", "9: this looks like a step", "10: this looks like a step"}},
	{"a box in a heading", texts.Steps("- [ ] a\n- [ ] b\n  ---\n"), []string{"6: a heading cannot be a step"}},
	{"two ids", texts.Steps("- [ ] a {#x}\n- [ ] b {#x}\n- [ ] c {#x}\n"), []string{"6: id `x` is taken by the step in line 5", "7: id `x` is taken by the step in line 5"}},
	{"malformed ids", texts.Steps("- [ ] a {#A b}\n- [ ] b {#-x}\n- [ ] c {#" + strings.Repeat("x", 64) + "}\n- [ ] d {#}\n- [ ] e {#none}\n"),
		[]string{"5: `{#A b}` is not an id: write lower-case letters, digits and hyphens, such as {#a-b}", "6: `{#-x}`", "7: `{#xxx", "8: `{#}`", "9: `{#none}`"}},
	{"an id in the emphasis", texts.Steps("- [ ] **a {#x}**\n"), []string{"5: the id is inside the emphasis"}},
	{"unknown needs", texts.Steps("- [ ] a {#a}\n  - Needs: #b, 1, the vault\n  \n- [ ] c\n  - Needs:\n"),
		[]string{"6: Needs does not name steps: `the vault`", "6: Needs names `b`", "6: Needs names `1`, which is not the id of a step: write the id of step 1, #a", "9: an empty Needs"}},
	{"a step that needs itself", texts.Steps("- [ ] a {#a}\n  - Needs: a\n"), []string{"6: step `a` needs itself"}},
	{"a cycle", texts.Steps("- [ ] a\n  - Needs: #b\n- [ ] b\n  - Needs: #a\n"), []string{"6: steps need each other in a circle: a -> b -> a"}},
	{"a cycle by default", texts.Steps("- [ ] a\n  - Needs: #c\n- [ ] b\n- [ ] c\n"), []string{"6: steps need each other in a circle: a -> c -> b -> a; a step without Needs"}},
	{"empty and bare commands", texts.Steps("- [ ] a\n  - Run:\n- [ ] b\n  - Run: ` `\n- [ ] c\n  - Run: make it so\n- [ ] d\n  - Run: `x` and `y`\n- [ ] e\n  - Run: `x`\n    - y\n"),
		[]string{"6: Run is not one command", "8: Run is not one command", "10: Run is not one command in backticks", "12: Run is not one command", "14: Run is not one command"}},
	{"a field twice", texts.Steps("- [ ] a\n  - Run: `x`\n  - Command: `y`\n"), []string{"7: a second Run (the first is in line 6)"}},
	{"unknown states", texts.Steps("- [ ] a\n  - Status: done\n- [ ] b\n  - Status:\n"), []string{"6: Status is not one of blocked, skipped, reopened: `done`", "8: Status is not one of"}},
	{"a status of several lines", texts.Steps("- [ ] a\n  - Status: blocked - x\n    y\n- [ ] b\n  - Status: blocked - x\n\n    y\n- [ ] c\n  - Status: blocked\n    - y\n- [ ] d\n  - Status: blocked\nlazy\n"),
		[]string{"6: Status is one line", "9: Status is one line", "13: Status is one line", "16: Status is one line"}},
	{"numbers", texts.Steps("- [ ] a\n  - Timeout: soon\n  - Attempts: 0\n"), []string{"6: Timeout is not a duration", "7: Attempts is not a number"}},
	{"a message contains no escape sequence", texts.Steps("- [ ] a {#\x1b[31m" + strings.Repeat("x", 100) + "}\n"), []string{"5: `{#\\u001b[31m" + strings.Repeat("x", 70) + "…}`"}},
	{"a NUL", texts.Steps("- [ ] a\n\x00\n"), []string{"6: a NUL byte"}},
	{"invalid UTF-8", "# \xff\n\n## Steps\n- [ ] \xc3\x28\n", []string{"1: invalid UTF-8", "4: invalid UTF-8"}},
	{"UTF-16", "\xff\xfe#\x00 \x00", []string{"1: the file is UTF-16"}},
	{"UTF-16, the other way round", "\xfe\xff\x00#", []string{"1: the file is UTF-16"}},
	{"a conflict", texts.Steps("- [ ] a\n<<<<<<< HEAD\n- [ ] b\n=======\n- [ ] c\n>>>>>>> other\n"), []string{"6: an unresolved conflict, down to line 10"}},
	{"a conflict with the base shown and CRLF", "# T\r\n<<<<<<< a\r\n||||||| b\r\n=======\r\n>>>>>>> c\r\n", []string{"2: an unresolved conflict, down to line 5"}},
	{"front matter without an end", "---\nplan: x\n\n# T\n", []string{"1: the front matter is not closed"}},
	{"malformed front matter", "---\nplan: [x\n---\n" + texts.Steps("- [ ] a\n"), []string{"2: `plan` takes one word"}},
	{"a carriage return in a line", texts.Steps("- [ ] a\r- [ ] no\n"), []string{"5: a carriage return by itself"}},
	{"front matter with a carriage return in a line", "---\nbase: main\nplan:\rx\n---\n" + texts.Steps("- [ ] a\n"), []string{"3: a carriage return by itself"}},
	{"front matter in one line", "---\n{plan: x}\n---\n" + texts.Steps("- [ ] a\n"), []string{"2: front matter is one `key: value` a line"}},
	{"front matter that is a list", "---\n- plan\n---\n" + texts.Steps("- [ ] a\n"), []string{"2: front matter is one `key: value` a line"}},
	{"a key twice", "---\nplan: x\nplan: y\n---\n" + texts.Steps("- [ ] a\n"), []string{"3: "}},
	{"a branch that is not a word", "---\nbranch: |\n  x\n---\n" + texts.Steps("- [ ] a\n"), []string{"2: `branch` takes one word"}},
	{"a tag before the keys", "---\n!x y\nbase: p\n---\n" + texts.Steps("- [ ] a\n"), []string{"2: front matter is one `key: value` a line"}},
	{"an anchor", "---\nplan: &p x\nbase: *p\n---\n" + texts.Steps("- [ ] a\n"), []string{"2: `plan` takes one word"}},
}

func TestRefusedPlans(t *testing.T) {
	for _, c := range refusedPlans {
		t.Run(c.name, func(t *testing.T) {
			p, err := Parse([]byte(c.text))
			var refused *ParseError
			if p != nil || !errors.As(err, &refused) {
				t.Fatalf("not refused: %v", err)
			}
			if len(refused.Problems) != len(c.problems) {
				t.Fatalf("problems:\n%v", err)
			}
			for i, problem := range refused.Problems {
				if got := strings.TrimPrefix(problem.String(), "line "); !strings.HasPrefix(got, c.problems[i]) {
					t.Errorf("problem %q, want %q", got, c.problems[i])
				}
			}
		})
	}
}

// Whether an item is a command or prose decides what runs, so each form is tested.
func TestCheckItems(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string // commands; prose in parentheses
	}{
		{"`npm test`", []string{"npm test"}},
		{"`npm test` passes", []string{"npm test"}},
		{"`npm test` Passes.", []string{"npm test"}},
		{"`npm test`.", []string{"npm test"}},
		{"`a`; `b` passes; it looks good", []string{"a", "b", "(it looks good)"}},
		{"`a; b`", []string{"a; b"}},
		{"`` echo `date` ``", []string{"echo `date`"}},
		{"``a`b``;`c`", []string{"a`b", "c"}},
		{"gets `401`", []string{"(gets `401`)"}},
		{"`GET /x` gets 401", []string{"(`GET /x` gets 401)"}},
		{"`a` `b`", []string{"(`a` `b`)"}},
		{"`a` and `b` passes", []string{"(`a` and `b` passes)"}},
		{"`a; b", []string{"(`a)", "(b)"}},
		{"\\`a`", []string{"(\\`a`)"}},
		{"` `", []string{"(` `)"}},
		{"a\\;b", []string{"(a\\;b)"}},
		{";;", nil},
		{"", nil},
	} {
		var got []string
		for _, item := range checkItems(c.text, 1) {
			if item.Command != "" {
				got = append(got, item.Command)
			} else {
				got = append(got, "("+item.Text+")")
			}
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%q: %s", c.text, diff)
		}
	}
}

// The checks of a plan come from bullets, nested bullets and lines of text; code blocks, quotes and comments
// never run.
func TestChecksOfSections(t *testing.T) {
	p, err := Parse([]byte("# T\n## Validation Commands\n<!-- `no` -->\n- [ ] `a`\n- both:\n  - `b`\n  - [x] `c` passes\n\n`d`; then look\n\n> `no`\n\n```sh\nno\n```\n\n    no\n\n## Prerequisites\n1. `e`\n   is there\n## Steps\n- [ ] s\n  - Check:\n    - `f`\n    - prose\n      in two lines\n  - Verify: `g`\n"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"a", "b", "c", "d"}, Commands(p.Checks)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]Check{{"`e` is there", "", 20}}, p.Prerequisites); diff != "" {
		t.Error(diff)
	}
	want := []Check{{"`f`", "f", 25}, {"prose in two lines", "", 26}, {"`g`", "g", 28}}
	if diff := cmp.Diff(want, p.Steps[0].Checks); diff != "" {
		t.Error(diff)
	}
}

// Every field is read in the forms that people and models write.
func TestFields(t *testing.T) {
	p, err := Parse([]byte(texts.Steps(`- [ ] a
  - Files to modify: src/a.go:12-20, ` + "`src/b,c.go#L3`" + `; docs/d.md (new), web\in\g.ts, my\_h.go
  - Files to create:
    - ` + "`e.go`" + ` (lines 3-9): the rest
    - Create: f.go:7
    - ` + "`g.go, h/**`" + `
  - Description: one
    two

    - three
  - Do: four
  - Action: Create
  - Agent: claude
  - Model: ` + "`gpt: 5`" + `
  - Effort: high
  - Timeout: 1h30m
  - Attempts: 2
  - Estimate: 30 min
  - For: R-7
  - Ask: Yes
  - Note: anything
- [ ] b
  - Needs: none
- [ ] c
  - Depends on: ` + "`#a`" + ` and #b
- [ ] d
  - Dependencies:
    - {#a}
    - b
  - Action: as you see fit
`)))
	if err != nil {
		t.Fatal(err)
	}
	s := p.Steps[0]
	if diff := cmp.Diff([]string{"src/a.go", "src/b,c.go", "docs/d.md", "web/in/g.ts", `my\_h.go`, "e.go", "f.go", "g.go", "h/**"}, s.Files); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"e.go", "f.go", "g.go", "h/**"}, s.Creates); diff != "" {
		t.Error(diff)
	}
	if want := "one\ntwo\n\n- three\n\nfour"; s.Do != want {
		t.Errorf("Do %q, want %q", s.Do, want)
	}
	got := []any{s.Action, s.Agent, s.Model, s.Effort, s.Timeout, s.Attempts, s.Estimate, s.For, s.Ask}
	if diff := cmp.Diff([]any{"create", "claude", "gpt: 5", "high", "1h30m", 2, "30 min", "R-7", true}, got); diff != "" {
		t.Error(diff)
	}
	needs := [][]string{nil, nil, {"a", "b"}, {"a", "b"}}
	for i, want := range needs {
		if diff := cmp.Diff(want, p.Steps[i].Needs); diff != "" {
			t.Errorf("step %d: %s", i+1, diff)
		}
	}
	if p.Steps[3].Action != "" {
		t.Errorf("Action %q", p.Steps[3].Action)
	}
}

// An unclosed fence and a misspelt field are reported even if the plan parses; a field that an import made text is not.
func TestWarnings(t *testing.T) {
	for text, want := range map[string]string{
		"- [ ] a\n\n```\n- [ ] b\n- [x] **c** {#c}\n": "line 7: the fence opened here is never closed and swallows `b` (line 8), `c` (line 9): write",
		"- [ ] a\n  ~~~\n  x\n- [ ] b\n":              "line 6: the fence opened here is never closed: write",
		"- [ ] a\n  ```":                              "line 6: the fence opened here is never closed: write",
		"- [ ] a\n  ```\n  x\n  ```\n":                "",
		"- [ ] a\n\n~~~~\n```\n~~~~~\n":               "",
		"- [ ] a\n\n```\n```":                         "",
		"- [ ] a\n  - Nees: b\n":                      "line 6: `Nees` is not a field, and only text for the session; did you mean Needs?",
		"- [ ] a\n  - Needs\\: b\n":                   "",
	} {
		p, err := Parse([]byte(texts.Steps(text)))
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if len(p.Warnings) > 0 {
			got = p.Warnings[0].String()
		}
		if !strings.HasPrefix(got, want) || want == "" && got != "" {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// manySteps returns a plan of about 2 MB with 10,000 steps.
func manySteps() []byte {
	var b strings.Builder
	b.WriteString(texts.Steps(""))
	for i := range 10_000 {
		fmt.Fprintf(&b, "- [ ] **Step number %d does something** {#step-%d}\n  - Files: `src/a%d.go`, `src/b%d.go`\n"+
			"  - Do: change the thing so that it is what the others expect of it\n  - Check: `go test ./pkg%d`; it says so\n", i, i, i, i, i)
	}
	return []byte(b.String())
}

// The format promises 10,000 steps in under 100 ms.
func BenchmarkParse(b *testing.B) {
	src := manySteps()
	b.SetBytes(int64(len(src)))
	for b.Loop() {
		if _, err := Parse(src); err != nil {
			b.Fatal(err)
		}
	}
}
