package gitplan

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestLikelyChecks(t *testing.T) {
	for _, c := range []struct {
		files map[string]string
		want  []string
	}{
		{map[string]string{"README.md": "run make test"}, nil},
		{map[string]string{"go.mod": "module x", "Makefile": "VERSION := 1\ntest: build\n\tgo test\ntest := no\nlint:\n"},
			[]string{"make lint", "make test", "go vet ./...", "go test ./..."}},
		{map[string]string{"Makefile": "check := yes\ntests:\n"}, nil},
		{map[string]string{"package.json": `{"scripts": {"test": "vitest", "lint": "eslint ."}}`, "pnpm-lock.yaml": ""},
			[]string{"pnpm run lint", "pnpm run test"}},
		{map[string]string{"package.json": `{"scripts": {"test": "echo \"Error: no test specified\" && exit 1"}}`}, nil},
		{map[string]string{"package.json": `{"scripts": 7}`}, nil},
		{map[string]string{"pyproject.toml": "[tool.ruff]\n", "tests/test_a.py": ""}, []string{"ruff check .", "python -m pytest -q"}},
		{map[string]string{"Cargo.toml": ""}, []string{"cargo test"}},
		{map[string]string{"pom.xml": "", "mvnw": ""}, []string{"./mvnw -q test"}},
		{map[string]string{"build.gradle.kts": ""}, []string{"gradle test"}},
	} {
		var tracked []string
		for name := range c.files {
			tracked = append(tracked, name)
		}
		got := LikelyChecks(tracked, func(name string) string { return c.files[name] })
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%v: %s", c.files, d)
		}
	}
}

// A tree of any size fits: its folders are told where its files are too many.
func TestMapOfFiles(t *testing.T) {
	var many []string
	for i := range 50_000 {
		many = append(many, fmt.Sprintf("src/part%02d/group%03d/file%05d.go", i%40, i%400, i))
	}
	got := mapOf(append(many, "README.md"))
	if len(got) > maxMap || !strings.Contains(got, "src/part07/group007/ (125 files)\n") || !strings.Contains(got, "README.md\n") {
		t.Errorf("%d bytes:\n%.300s", len(got), got)
	}
	if got := mapOf([]string{"a/b/c.go", "a\nb"}); got != "a/b/c.go\na b\n" {
		t.Errorf("%q", got)
	}
	wide := make([]string, 50_000)
	for i := range wide {
		wide[i] = fmt.Sprintf("file%05d.go", i)
	}
	if got := mapOf(wide); len(got) > maxMap+20 || !strings.Contains(got, "[cut here]") {
		t.Errorf("%d bytes", len(got))
	}
}
