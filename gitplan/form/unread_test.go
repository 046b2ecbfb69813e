package form

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/git-plan/git-plan/gitplan/markdown"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/testdata/texts"
)

// What hides a task is named by its line, in a plan and in what is imported, and no
// step is done beside it.
func TestWhatHidesTasksIsNamed(t *testing.T) {
	for _, c := range []struct {
		text string // under a step that is ticked, one.
		want string // rule and what its message holds; nothing if nothing is hidden
	}{
		{"-[ ] a", "unread: a space is missing after the dash"},
		{"*[x] a", "unread: a space is missing after the dash"},
		{"- [] b", "unread: `[]` is not a box"},
		{"- [ ]d", "unread: a space is missing after the box"},
		{"- [x]e", "unread: a space is missing after the box"},
		{"- [-] g", "unread: `[-]` is not a box"},
		{"- [~] h", "unread: `[~]` is not a box"},
		{"- [ x] h", "unread: `[ x]` is not a box"},
		{"* [√] i", "unread: `[√]` is not a box"},
		{"[ ] j", "unread: there is no dash before the box"},
		{"• [ ] k", "unread: `•` is not a bullet in Markdown"},
		{"– [ ] k", "unread: `–` is not a bullet in Markdown"},
		{"-\u00a0[ ] l", "unread: a no-break space (U+00A0) keeps this from being a box"},
		{"- [ ]\u00a0l", "unread: a no-break space (U+00A0) keeps this from being a box"},
		{"- [\u00a0] l", "unread: a no-break space (U+00A0) keeps this from being a box"},
		{"-\u2003[ ] l", "unread: a space (U+2003) keeps this from being a box"},
		{"###\u00a0Task 2: B", "unread: a no-break space (U+00A0) keeps this from being a heading"},
		{"###Task 2: B", "unread: a space is missing after the `#`"},
		{"text\n    - [ ] m", "unread: this box is text of the paragraph above"},
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
		holds(t, c.text, c.want, in.Careless)
		if p, _ = plan.Parse(in.Text); p.Steps[0].Ticked() != (c.want == "") {
			t.Errorf("%q: taken as done once imported: %v", c.text, p.Steps[0].Ticked())
		}
	}
}

func holds(t *testing.T, text, want string, found []markdown.Problem) {
	t.Helper()
	rule, message, hidden := strings.Cut(want, ": ")
	for _, p := range found {
		if hidden && p.Rule == rule && strings.HasPrefix(p.Message, message) && p.Line >= 7 {
			return
		}
		if p.Rule == markdown.RuleUnread || p.Rule == markdown.RuleSwallowed {
			t.Errorf("%q: %s: %s", text, p.Rule, p)
		}
	}
	if hidden {
		t.Errorf("%q: not told: %s, but %v", text, want, found)
	}
}

// If nothing but such lines could be steps, they are what is wrong.
func TestLinesThatAreNoStepsAreNamed(t *testing.T) {
	for text, want := range map[string]string{
		"# T\n\n##\u00a0Steps\n\n- [ ] a\n":        "line 3: a no-break space (U+00A0) keeps this from being a heading: write `### ` with a plain space",
		"# T\n\n## Steps\n\n-\u00a0[ ] a\n":        "line 5: a no-break space (U+00A0) keeps this from being a box: write `- [ ] ` with plain spaces",
		"# T\n\n## Steps\n\n###\u00a0Task 1: A\n":  "line 5: a no-break space (U+00A0) keeps this from being a heading: write `### ` with a plain space",
		"# T\n\n## Steps\n\n[ ] a\n[x] b\n":        "line 5: there is no dash before the box, so it is text: write `- [ ] `\nline 6: there is no dash before the box, so it is text: write `- [ ] `",
		"# T\n\n## Steps\n\n• [ ] a\n":             "line 5: `•` is not a bullet in Markdown, so the box is text: write `- [ ] `",
		"# T\n\n## Steps\n\ntext\n    - [ ] a\n\n": "line 6: this box is text of the paragraph above: write an empty line before it, and indent it by less than four spaces",
	} {
		_, err := plan.Parse([]byte(text))
		if diff := cmp.Diff(want, fmt.Sprint(err)); diff != "" {
			t.Errorf("%q: %s", text, diff)
		}
	}
}

// Every heading that says Task is a step, or is named.
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
		} else if len(in.Careless) > 0 {
			got = "! " + in.Careless[0].String()
			if p.Steps[0].Ticked() {
				t.Errorf("%s: the step above is done", heading)
			}
		}
		if got != want {
			t.Errorf("%s: %q, want %q", heading, got, want)
		}
	}
}
