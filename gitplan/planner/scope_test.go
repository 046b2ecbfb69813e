package planner

import (
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/plan"
)

// A plan that a planner rewrote by itself is approved by nobody: whatever steers a run,
// or says what it costs, must be as it was.
func TestWhatGoesBeyondAnApprovedPlan(t *testing.T) {
	const text = "---\nbase: main\n---\n# T\n\n## Prerequisites\n- `test ! -f stop`\n- the server is up\n\n## Rules\n- R\n\n## Context\n\nOld.\n\n## Steps\n\n" +
		"- [ ] **A** {#a}\n  - Files: a.txt\n  - Model: cheap\n  - Estimate: 1h\n  - Check: `test -f a.txt`\n- [ ] **B** {#b}\n  - Ask: yes\n  - Files to create: b.md\n  - Do: it\n\n## Verification\n- `true`\n- whole\n"
	approved, err := plan.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct{ from, to, says string }{
		{"Old.", "New.", ""},
		{"**A**", "**Another**", ""},
		{"Do: it", "Do: it with care", ""},
		{"Estimate: 1h", "Estimate: 5h", ""},
		{"- `test ! -f stop`\n", "", "leaves out a prerequisite: test ! -f stop"},
		{"- the server is up\n", "", "leaves out a prerequisite: the server is up"},
		{"base: main", "base: other", "changes its Base"},
		{"Model: cheap", "Model: dear", "changes Model of step a"},
		{"  - Model: cheap\n", "", "changes Model of step a"},
		{"Model: cheap", "Model: cheap\n  - Effort: max", "changes Effort of step a"},
		{"Model: cheap", "Model: cheap\n  - Attempts: 99", "changes Attempts of step a"},
		{"Model: cheap", "Model: cheap\n  - Timeout: 99h", "changes Timeout of step a"},
		{"Model: cheap", "Model: cheap\n  - Agent: other", "changes Agent of step a"},
		{"Do: it\n", "Do: it\n- [ ] **C** {#c}\n  - Files: a.txt\n  - Model: dear\n", "changes Model of step c"},
		{"Do: it\n", "Do: it\n- [ ] **C** {#c}\n  - Files: a.txt\n", ""},
		{"Do: it\n", "Do: it\n- [ ] **C** {#c}\n  - Action: delete\n", "changes Action of step c"},
		{"- R", "- R\n- S", "changes the Rules"},
		{"test -f a.txt", "test -e a.txt", "would run commands that were not approved"},
		{"Do: it\n", "Do: it\n  - Run: `make b`\n", "would run commands that were not approved"},
		{"Do: it\n", "Do: it\n  - Run: `true`\n", "changes Run of step b"},
		{"  - Check: `test -f a.txt`\n", "", "leaves out a check of step a: test -f a.txt"},
		{"## Context", "## Checks\n- `test ! -f stop`\n\n## Context", ""},
		{"- `true`\n- whole\n", "- `true`\n", "leaves out a check of the whole: whole"},
		{"- [ ] **B** {#b}", "- [ ] **B** {#other}", "leaves out step b"},
		{"  - Files: a.txt\n", "", "lets step a touch any file"},
		{"Files: a.txt", "Files: a.txt, b.txt", "lets step a touch more files: b.txt"},
		{"Files: a.txt", "Files: `*.txt`", "lets step a touch more files: *.txt"},
		{"  - Files to create: b.md\n", "  - Files: `b.md`\n", "lets step b no longer create its files"},
		{"  - Files to create: b.md\n", "  - Action: create\n  - Files: b.md\n", "changes Action of step b"},
		{"  - Ask: yes\n", "", "lets step b no longer ask"},
	} {
		p, err := plan.Parse([]byte(strings.Replace(text, row.from, row.to, 1)))
		if err != nil {
			t.Fatal(err)
		}
		if got := OutOfScope(p, approved); got != row.says {
			t.Errorf("%q to %q: %q, want %q", row.from, row.to, got, row.says)
		}
	}
}
