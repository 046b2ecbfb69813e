package rules

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// README.md contains the table of rules. RULES=write writes it again.
func TestTableOfRules(t *testing.T) {
	var b strings.Builder
	b.WriteString("# The built-in rules\n\nThey need no model. \"Blocks\" holds where nothing is configured (`plan.blockOn` is `high`); what does not block advises.\n" +
		"\"Guard\" rules are asked after every step, \"gate\" rules before a push. This table is made by a test.\n\n" +
		"A file counts as a test by its name, as its language has it (`words_test.go`, `test.c`, `test_words.c`, `words_unittest.cc`, `words-test.sh`,\n" +
		"`t/words.t`, `WordsTest.java`, `TestWords.java`, `words.test.ts`, `words_spec.rb`, `words.bats`: rule.go has them all), or as code in a folder\n" +
		"`test`, `tests`, `__tests__`, `spec`, `specs` or `e2e`. Fixtures (`testdata`, `fixtures`, `mocks`) and what is vendored do not.\n" +
		"A file that lost its tests and assertions, and got no code that could run them, counts as deleted.\n" +
		"An assertion that always holds, such as `assert True`, in place of a real one in the same test is high, and fails a step.\n\n" +
		"| rule | severity | blocks | guard | gate | why |\n|---|---|---|---|---|---|\n")
	yes := func(b bool) string {
		if b {
			return "yes"
		}
		return ""
	}
	for _, r := range All() {
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s |\n", r.Name, r.Severity, yes(stopsByDefault(r)), yes(r.Guard), yes(r.Gate), r.Why)
	}
	if os.Getenv("RULES") == "write" {
		if err := os.WriteFile("README.md", []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	now, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.ReplaceAll(string(now), "\r\n", "\n"), b.String()); diff != "" {
		t.Errorf("RULES=write go test -run Table ./reviewers/rules\n%s", diff)
	}
}

// Each rule has a name, a reason and a function that finds it; a rule that stops a push blocks a branch, too.
func TestEachRuleIsComplete(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range All() {
		switch {
		case seen[r.Name] || r.Name == "" || strings.ToLower(r.Name) != r.Name:
			t.Errorf("the name %q", r.Name)
		case r.Why == "" || r.Category == "":
			t.Errorf("%s: no reason or category", r.Name)
		case r.Severity != "critical" && r.Severity != "high" && r.Severity != "medium" && r.Severity != "low":
			t.Errorf("%s: severity %q", r.Name, r.Severity)
		case r.File == nil && r.Line == nil && r.End == nil:
			t.Errorf("%s looks at nothing", r.Name)
		case r.Gate && !stopsByDefault(r):
			t.Errorf("%s stops a push and does not block", r.Name)
		}
		seen[r.Name] = true
	}
	if len(seen) < 15 {
		t.Errorf("%d rules", len(seen))
	}
}
