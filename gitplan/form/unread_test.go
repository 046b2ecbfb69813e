package form

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/testdata/texts"
)

// Text that hides a task is named with its line, in a plan and in an import, and no step around it counts as
// done.
func TestHiddenTasksAreNamed(t *testing.T) {
	for _, c := range []struct {
		text string // one of them under a ticked step.
		want string // rule and part of its message; empty if nothing is hidden
	}{
		{"-[ ] a", "unread: this looks like a step or a box"},
		{"*[x] a", "unread: this looks like a step or a box"},
		{"- [] b", "unread: this looks like a step or a box"},
		{"- [ ]d", "unread: this looks like a step or a box"},
		{"- [x]e", "unread: this looks like a step or a box"},
		{"- [ x] h", "unread: this looks like a step or a box"},
		{"* [√] i", "unread: this looks like a step or a box"},
		{"[ ] j", "unread: this looks like a step or a box"},
		{"• [ ] k", "unread: this looks like a step or a box"},
		{"– [ ] k", "unread: this looks like a step or a box"},
		{"-\u00a0[ ] l", "unread: this looks like a step or a box"},
		{"- [ ]\u00a0l", "unread: this looks like a step or a box"},
		{"- ☐ k", "unread: this looks like a step or a box"},
		{"- [\u00a0] l", "unread: this looks like a step or a box"},
		{"-\u2003[ ] l", "unread: this looks like a step or a box"},
		{"text\n    - [ ] m", "unread: this looks like a step or a box"},
		{"###\u00a0Task 2: B", "unread: this looks like the heading of a task"},
		{"###Task 2: B", "unread: this looks like the heading of a task"},
		{"```\n- [ ] n", "swallowed: the fence opened here is never closed and swallows `n` (line 8)"},
		{"~~~go\n### Task 2: B\n- [ ] b", "swallowed: the fence opened here is never closed and swallows `### Task 2: B` (line 8), `b` (line 9)"},
		{"```\n### Task 2: B\n```", "swallowed: the fence opened here is closed only in line 9 and swallows `### Task 2: B` (line 8)"},
		{"```go\n- [ ] b\n```sh\nx\n```", "swallowed: the fence opened here is closed only in line 11 and swallows `b` (line 8)"},
		{"<!-- a\n- [ ] b", "swallowed: the comment or HTML opened here is never closed and swallows `b` (line 8)"},
		{"<div>\n- [ ] b\n\n</div>", "swallowed: the HTML that begins here goes on up to an empty line and swallows `b` (line 8)"},

		{"- []string is returned", ""},
		{"- [x](https://example.org) is a link", ""},
		{"- [1] says so", ""},
		{"- arr[x] = 1", ""},
		{"- 添加 [x]", ""},
		{"#42 is fixed", ""},
		{"> -[ ] quoted", ""},
		{"```\n- [ ] an example\n```", ""},
		{"```markdown\n### Task 2: an example\n- [ ] b\n```", ""},
		{"<!-- - [ ] not now -->", ""},
		{"<!--\n- [ ] not now\n-->", ""},
		{"a – b", ""},
		{"- b\u00a0c", ""},
	} {
		own := texts.Steps("- [x] one {#one}\n\n  " + strings.ReplaceAll(c.text, "\n", "\n  ") + "\n")
		foreign := "# T\n\n## Tasks\n### Task 1: One\n- [x] done\n\n" + c.text + "\n"
		p, err := plan.Parse([]byte(own))
		if err != nil {
			t.Fatalf("%q: %v", c.text, err)
		}
		holds(t, c.text, c.want, p.Warnings)
		if p.Steps[0].Ticked() != (c.want == "") {
			t.Errorf("%q: taken as done: %v", c.text, p.Steps[0].Ticked())
		}
		in, err := Import("", []byte(foreign), Ralphex)
		if err != nil {
			t.Fatalf("%q: %v", c.text, err)
		}
		holds(t, c.text, c.want, in.Suspicious)
		if p, _ = plan.Parse(in.Text); p.Steps[0].Ticked() != (c.want == "") {
			t.Errorf("%q: taken as done once imported: %v", c.text, p.Steps[0].Ticked())
		}
	}
}

func holds(t *testing.T, text, want string, found []plan.Weakness) {
	t.Helper()
	rule, message, hidden := strings.Cut(want, ": ")
	for _, p := range found {
		if hidden && p.Rule == rule && strings.HasPrefix(p.Text, message) && p.Line >= 7 {
			return
		}
		if p.Rule == plan.RuleUnread || p.Rule == plan.RuleSwallowed {
			t.Errorf("%q: %s: %s", text, p.Rule, p)
		}
	}
	if hidden {
		t.Errorf("%q: not reported: %s, but %v", text, want, found)
	}
}

// A task that another tool has ticked is not done while one of its subtasks is open.
func TestTickedTaskWithAnOpenSubtaskStaysOpen(t *testing.T) {
	for below, done := range map[string]bool{
		"  - [ ] 1.1.1 b":                    false,
		"  - [x] 1.1.1 b\n    - [ ] 1.1.2 c": false,
		"  - [x] 1.1.1 b":                    true,
	} {
		in, err := Import("", []byte("## 1. Work\n- [x] 1.1 a\n"+below+"\n- [x] 1.2 d\n"), "")
		if err != nil {
			t.Fatal(err)
		}
		p, _ := plan.Parse(in.Text)
		if p.Steps[0].Ticked() != done || !p.Steps[1].Ticked() || len(in.Suspicious) == 0 != done {
			t.Errorf("%q: done %v and %v, named %v", below, p.Steps[0].Ticked(), p.Steps[1].Ticked(), in.Suspicious)
		}
	}
}

// If only such lines could be steps, they are the error.
func TestLinesThatAreNotStepsAreNamed(t *testing.T) {
	const like = ": this looks like a step or a box, but is text: write `- [ ] what to do`, with plain spaces, and an empty line above a list"
	for text, want := range map[string]string{
		"# T\n\n## Steps\n\n-\u00a0[ ] a\n":       "line 5" + like,
		"# T\n\n## Steps\n\n[ ] a\n[x] b\n":       "line 5" + like + "\nline 6" + like,
		"# T\n\n## Steps\n\n###\u00a0Task 1: A\n": "line 5: this looks like the heading of a task, but is text: write `### Task 1: what to do`, with one plain space after the `#`",
	} {
		_, err := plan.Parse([]byte(text))
		if diff := cmp.Diff(want, fmt.Sprint(err)); diff != "" {
			t.Errorf("%q: %s", text, diff)
		}
	}
}

// Every heading that contains Task is a step, or is named.
func TestHeadingsOfTasks(t *testing.T) {
	for heading, want := range map[string]string{
		"### Task :C":            "C",
		"### Task: C":            "C",
		"### Task 2a: C":         "C",
		"### Task 2：C":           "C",
		"### Task 2 - C":         "C",
		"### Task setup: C":      "setup: C",
		"### Task C":             "! line 5: `Task C` is not read as a step: write it as `### Task 2: what to do`",
		"## Task 2: C":           "! line 5: `Task 2: C` is not read as a step: write it as `### Task 2: what to do`",
		"#### Task 1.1: in it":   "",
		"### What comes of this": "",
	} {
		in, err := Import("", []byte("# T\n\n### Task 1: A\n- [x] a\n"+heading+"\n- [x] b\n"), Ralphex)
		if err != nil {
			t.Fatal(err)
		}
		p, _ := plan.Parse(in.Text)
		got := ""
		if len(p.Steps) > 1 {
			got = p.Steps[1].Title
		} else if len(in.Suspicious) > 0 {
			got = "! " + in.Suspicious[0].String()
			if inside := strings.HasPrefix(heading, "###"); p.Steps[0].Ticked() == inside { // a neighbour opens nothing
				t.Errorf("%s: the step above is done: %v", heading, p.Steps[0].Ticked())
			}
		}
		if got != want {
			t.Errorf("%s: %q, want %q", heading, got, want)
		}
	}
}
