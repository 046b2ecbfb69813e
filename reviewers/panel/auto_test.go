package panel

import (
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/git"
)

// Small changes get two reviewers; certain paths, and larger changes, add others.
func TestReviewersOfAChange(t *testing.T) {
	file := func(path string, added int) git.FileDiff { return git.FileDiff{Path: path, Added: added} }
	removed := git.FileDiff{Path: "old.go", Hunks: []git.Hunk{{Lines: []git.DiffLine{{Kind: '-', Text: strings.Repeat("x", 11<<10)}, {Kind: ' ', Text: strings.Repeat("x", 99<<10)}}}}}
	for _, c := range []struct {
		what  string
		files []git.FileDiff
		asked string
	}{
		{"a small change", []git.FileDiff{file("store/rows.go", 900)}, "fidelity quality"},
		{"one with a test", []git.FileDiff{file("store/rows.go", 900), file("store/rows_test.go", 900)}, "fidelity quality testing (store/rows_test.go)"},
		{"one of 10 KB", []git.FileDiff{file("store/rows.go", 10<<10)}, "fidelity quality simplification (10 KB) testing (10 KB)"},
		{"one that removes 11 KB", []git.FileDiff{removed}, "fidelity quality simplification (11 KB) testing (11 KB)"},
		{"one of 20 KB", []git.FileDiff{file("a.go", 12<<10), file("b.go", 8<<10)}, "documentation (20 KB) fidelity quality security (20 KB) simplification (20 KB) testing (20 KB)"},
		{"a login", []git.FileDiff{file("web/login.ts", 90)}, "fidelity quality security (web/login.ts)"},
		{"a package for tokens", []git.FileDiff{file("tokens/store.go", 90)}, "fidelity quality security (tokens/store.go)"},
		{"no author", []git.FileDiff{file("tokenizer.go", 90), file("mysqlite.go", 90)}, "fidelity quality"},
		{"dependencies", []git.FileDiff{file("go.mod", 20), file("go.sum", 90<<10)}, "fidelity quality security (go.mod)"},
		{"a lock file", []git.FileDiff{file("web/package-lock.json", 20)}, "fidelity quality security (web/package-lock.json)"},
		{"CI", []git.FileDiff{file(".github/workflows/ci.yml", 20)}, "fidelity quality security (.github/workflows/ci.yml)"},
		{"vendored files", []git.FileDiff{file("vendor/x/auth/a.go", 90<<10)}, "fidelity quality"},
		{"documents", []git.FileDiff{file("README.md", 20)}, "documentation (README.md) fidelity quality"},
		{"an interface", []git.FileDiff{file("api/v1/rows.go", 20)}, "documentation (api/v1/rows.go) fidelity quality"},
	} {
		var asked []string
		for _, p := range Personas() {
			why, called := CalledFor(p.Name, &git.Diff{Files: c.files})
			if why != "" {
				why = " (" + why + ")"
			}
			if called {
				asked = append(asked, p.Name+why)
			}
		}
		if got := strings.Join(asked, " "); got != c.asked {
			t.Errorf("%s asks %s; want %s", c.what, got, c.asked)
		}
	}
	if _, called := CalledFor("sql", &git.Diff{}); !called {
		t.Error("a persona of a repository's own waits for the table")
	}
}
