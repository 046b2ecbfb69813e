package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/agent/model"
)

// For a repository of any size, a planner's first prompt stays within the model's context (two fifths of it,
// 3.5 bytes per token), says what it omits, and takes the same few git processes.
func TestPlannerPromptIsBounded(t *testing.T) {
	small := begun(t, 0)
	_, processes := prompted(t, small, "plan the work")

	repo := begun(t, 0)
	fastImport(t, repo, large)
	runGit(t, repo, "reset", "-q", "--hard")
	if lines := len(runGit(t, repo, "grep", "-h", "", "--", "src")); lines < 2*100_000 {
		t.Fatalf("the repository has only %d bytes of lines", lines)
	}
	notes := filepath.Join(repo, "..", "notes.md")
	write(t, notes, "the first note\n"+strings.Repeat("one more note\n", 2000)+"the last note\n")
	args := []string{"--context", notes, "--template", "house", "plan the work"}

	prompt, n := prompted(t, repo, args...)
	if n != processes {
		t.Errorf("%d git processes, and %d in a small repository", n, processes)
	}
	if most := int(0.4 * 3.5 * model.UsualWindow); len(prompt) > most || len(prompt) < most/2 {
		t.Errorf("the first prompt has %d bytes of %d", len(prompt), most)
	}
	for _, want := range []string{"the first note", "the last note", "Our house's shape", "plan the work", // the person's context is complete
		"| Commit 29 ", "| go test ./...", "| src/part07/\n", "| modules/m4/\n", "| # AGENTS.md", "more bytes are not shown]", "| # rules.md"} {
		if !strings.Contains(prompt, want) {
			t.Errorf("it lacks %q", want)
		}
	}
	if strings.Contains(prompt, "file0000.go") {
		t.Error("files below folders are listed, and there are too many")
	}

	// A person's input is never cut, however much it is.
	write(t, notes, strings.Repeat("one more note\n", 9_000))
	prompt, _ = prompted(t, repo, "--force", "--context", notes, "--context", notes, "--context", notes, "plan the work")
	if n := strings.Count(prompt, "one more note\n"); n != 3*9_000 {
		t.Errorf("%d notes are left", n)
	}
}

// prompted makes a plan and returns the planner's prompt, and how many git processes it took.
func prompted(t *testing.T, repo string, args ...string) (prompt string, processes int) {
	t.Helper()
	plan, file := filepath.Join(repo, "..", "answer.md"), filepath.Join(repo, "..", "told")
	write(t, plan, "# The plan\n\n## Steps\n\n- [ ] **One** {#one}\n  - Check: `test -s one.txt`\n")
	runGit(t, repo, "config", "planAgent.fake.command", `cat >"`+file+`"; cat "`+plan+`"`)
	runGit(t, repo, "switch", "-q", "main")
	trace := traced(t, repo, append([]string{"plan", "new"}, args...)...)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text), gits(trace)
}

// large writes a repository of over 100,000 lines: a few big files and many small ones, deep folders and long
// names, many manifests, long instructions, long commit messages.
func large(w io.Writer) {
	file := func(name, text string) { fmt.Fprintf(w, "M 100644 inline %s\ndata %d\n%s\n", name, len(text), text) }
	for i := range 30 {
		importCommit(w, "main", i, fmt.Sprintf("Commit %d %s", i, strings.Repeat("and why ", 2000)))
	}
	for i := range 4 {
		file(fmt.Sprintf("src/big%d.go", i), strings.Repeat("// a line\n", 25_000))
	}
	long := strings.Repeat("long", 50)
	for i := range 2000 {
		file(fmt.Sprintf("src/part%02d/%s/%s/file%04d.go", i%40, long, strings.Repeat("deep/", i%30)+"in", i), strings.Repeat("// a line\n", 10))
	}
	for _, name := range []string{"Makefile", "justfile", "go.mod", "package.json", "Cargo.toml", "pyproject.toml", "tox.ini", "setup.cfg",
		"pom.xml", "build.gradle", "Gemfile", "composer.json", "CMakeLists.txt"} {
		file(name, strings.Repeat("# a line of "+name+"\n", 1000))
		for i := range 5 {
			file(fmt.Sprintf("modules/m%d/%s", i, name), "# a line\n")
		}
	}
	for _, name := range []string{"AGENTS.md", "CLAUDE.md", ".gitplan/rules.md"} {
		file(name, strings.Repeat("- A rule of this house, and\n- another.\n", 4000))
	}
	file(".gitplan/templates/house.md", "# Our house's shape\n\n## Steps\n\n- [ ] **One**\n"+strings.Repeat("<!-- a word -->\n", 1000))
}
