package panel

import (
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/git/diffs"
)

// Small changes are judged by two; others are called for by paths, and as a change grows.
func TestWhomAChangeCallsFor(t *testing.T) {
	file := func(path string, added int) diffs.FileDiff { return diffs.FileDiff{Path: path, Added: added} }
	removed := diffs.FileDiff{Path: "old.go", Hunks: []diffs.Hunk{{Lines: []diffs.DiffLine{{Kind: '-', Text: strings.Repeat("x", 11<<10)}, {Kind: ' ', Text: strings.Repeat("x", 99<<10)}}}}}
	for _, c := range []struct {
		what  string
		files []diffs.FileDiff
		asked string
	}{
		{"a small change", []diffs.FileDiff{file("store/rows.go", 900)}, "fidelity quality"},
		{"one with a test", []diffs.FileDiff{file("store/rows.go", 900), file("store/rows_test.go", 900)}, "fidelity quality testing (store/rows_test.go)"},
		{"one of 10 KB", []diffs.FileDiff{file("store/rows.go", 10<<10)}, "fidelity quality simplification (10 KB) testing (10 KB)"},
		{"one that removes 11 KB", []diffs.FileDiff{removed}, "fidelity quality simplification (11 KB) testing (11 KB)"},
		{"one of 20 KB", []diffs.FileDiff{file("a.go", 12<<10), file("b.go", 8<<10)}, "documentation (20 KB) fidelity quality security (20 KB) simplification (20 KB) testing (20 KB)"},
		{"a login", []diffs.FileDiff{file("web/login.ts", 90)}, "fidelity quality security (web/login.ts)"},
		{"a package for tokens", []diffs.FileDiff{file("tokens/store.go", 90)}, "fidelity quality security (tokens/store.go)"},
		{"no author", []diffs.FileDiff{file("tokenizer.go", 90), file("mysqlite.go", 90)}, "fidelity quality"},
		{"dependencies", []diffs.FileDiff{file("go.mod", 20), file("go.sum", 90<<10)}, "fidelity quality security (go.mod)"},
		{"a lock file", []diffs.FileDiff{file("web/package-lock.json", 20)}, "fidelity quality security (web/package-lock.json)"},
		{"CI", []diffs.FileDiff{file(".github/workflows/ci.yml", 20)}, "fidelity quality security (.github/workflows/ci.yml)"},
		{"what is vendored", []diffs.FileDiff{file("vendor/x/auth/a.go", 90<<10)}, "fidelity quality"},
		{"documents", []diffs.FileDiff{file("README.md", 20)}, "documentation (README.md) fidelity quality"},
		{"an interface", []diffs.FileDiff{file("api/v1/rows.go", 20)}, "documentation (api/v1/rows.go) fidelity quality"},
	} {
		var asked []string
		for _, p := range Personas() {
			why, called := CalledFor(p.Name, &diffs.Diff{Files: c.files})
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
	if _, called := CalledFor("sql", &diffs.Diff{}); !called {
		t.Error("a persona of a repository's own waits for the table")
	}
}
