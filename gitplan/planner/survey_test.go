package planner

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/git-plan/git-plan/gitplan/prompt"
)

func TestLikelyChecks(t *testing.T) {
	for _, c := range []struct {
		files map[string]string
		want  []string
	}{
		{map[string]string{"notes.md": "run make test"}, nil},
		{map[string]string{"go.mod": "module x", "Makefile": "VERSION := 1\ntest: build\n\tgo test\ntest := no\nlint:\n"},
			[]string{"make lint", "make test", "go vet ./...", "go test ./..."}},
		{map[string]string{"Makefile": "check := yes\ntests:\n"}, nil},
		{map[string]string{"package.json": `{"scripts": {"test": "vitest", "lint": "eslint ."}}`, "pnpm-lock.yaml": ""},
			[]string{"pnpm run lint", "pnpm run test"}},
		{map[string]string{"package.json": `{"scripts": {"test": "echo \"Error: no test specified\" && exit 1"}}`}, nil},
		{map[string]string{"package.json": `{"scripts": 7}`}, nil},
		{map[string]string{"conftest.py": "", "pytest.ini": ""}, []string{"python3 -m pytest -q"}},
		{map[string]string{"tests/test_count.py": "import unittest\n", "tests/__init__.py": ""}, []string{"python3 -m unittest"}},
		{map[string]string{"tests/test_count.py": "from unittest import TestCase\n"}, []string{"python3 -m unittest discover -s tests"}},
		{map[string]string{"tests/test_count.py": "def test_one(): pass\n"}, []string{"python3 -m pytest -q"}},
		{map[string]string{"tests/test_count.py": ""}, []string{"python3 -m pytest -q"}},
		{map[string]string{"conftest.py": "", ".venv/bin/python": ""}, []string{".venv/bin/python -m pytest -q"}},
		{map[string]string{"test_a.py": "a", "uv.lock": "", ".venv/bin/python": ""}, []string{"uv run python -m pytest -q"}},
		{map[string]string{"test_a.py": "import unittest", "poetry.lock": ""}, []string{"poetry run python -m unittest"}},
		{map[string]string{"Cargo.toml": ""}, []string{"cargo test"}},
		{map[string]string{"pom.xml": ""}, []string{"mvn -q test"}},
		{map[string]string{"mvnw": "", "pom.xml": ""}, []string{"./mvnw -q test"}},
	} {
		t.Run(strings.Join(c.want, ", "), func(t *testing.T) {
			d := newDesk(t, "", "true")
			for name, text := range c.files {
				d.Commit(name, text)
			}
			if d := cmp.Diff(c.want, LikelyChecks(d.Checkout)); d != "" {
				t.Errorf("%v: %s", c.files, d)
			}
		})
	}
}

// A tree of any size fits: folders are listed if there are too many files.
func TestMapOfFiles(t *testing.T) {
	const room = 16 << 10
	var many []string
	for i := range 50_000 {
		many = append(many, fmt.Sprintf("src/part%02d/group%03d/file%05d.go", i%40, i%400, i))
	}
	got := mapOf(append(many, "README.md"), room)
	if prompt.FramedSize(got) > room || !strings.Contains(got, "src/part07/group007/\n") || !strings.Contains(got, "README.md") {
		t.Errorf("%d bytes:\n%.300s", len(got), got)
	}
	if got := mapOf([]string{"a/b/c.go", "a\nb"}, room); got != "a/b/c.go\na b" {
		t.Errorf("%q", got)
	}
}

// A text with any lines takes no more room in a prompt than its limit, and omitted lines are counted.
func TestShortened(t *testing.T) {
	for _, text := range []string{strings.Repeat("x", 5000), strings.Repeat("x\n", 5000) + "x", strings.Repeat("\nlong line of words", 500)} {
		for _, room := range []int{100, 1000, 4000} {
			got := prompt.Shortened(text, room)
			before, word, _ := strings.Cut(got, "\n[cut here; ")
			want := fmt.Sprintf("%d more bytes are not shown]", len(text)-len(before))
			if prompt.FramedSize(got) > room || prompt.FramedSize(got) < room-10 || !strings.HasPrefix(text, before) || word != want {
				t.Errorf("%.10q in %d: %d bytes, ...%q, want %q", text, room, prompt.FramedSize(got), got[max(len(got)-60, 0):], want)
			}
		}
	}
	if got := prompt.Shortened("a\nb\n", 7); got != "a\nb" {
		t.Errorf("%q", got)
	}
	if got := prompt.Shortened(strings.Repeat("ä", 100), 100); !utf8.ValidString(got) {
		t.Errorf("%q", got)
	}
}
