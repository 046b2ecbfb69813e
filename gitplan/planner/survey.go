package planner

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/agent/builtin"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/codemap"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/lint"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/gitplan/prompt"
	"github.com/git-plan/git-plan/gitplan/runner"
	"github.com/git-plan/git-plan/gitplan/visible"
	"github.com/git-plan/git-plan/gitplan/work"
)

// Bounds of what a planner is shown of the repository to begin with, in bytes of
// its prompt, however much room there is.
const (
	maxMap      = 16 << 10 // the tree
	maxSubjects = 20       // commits
	maxSubject  = 160      // of each
)

const (
	// leastAbout is the room that the repository needs in a planner's first prompt,
	// in bytes: the last commits, and then as much again for its instructions.
	leastAbout = 12 << 10
	// mostGiven is the share of a model's context that what people attach may fill: as much as a
	// conversation may fill before it is shortened.
	mostGiven = 0.75
)

// About is what a planner is shown of the repository at first: its instructions and the survey,
// as far as lint.MostPrompt leaves room beside what people attached, which is never cut. If that
// is too much by itself, About returns an error.
func About(ctx context.Context, w *work.Worker, p prompt.Planning) (rules, survey string, err error) {
	const frames = 512 // bytes of the two sections without their texts
	window, given := w.Checkout.Config.Window(agent.Planner), len(w.Checkout.Prompts.Plan(p, "", "", "", "", "").Text())+frames
	if tokens := int(float64(given+leastAbout) / builtin.BytesPerToken); float64(tokens) > mostGiven*float64(window) {
		return "", "", fault.New(fault.ErrTooLarge, "what the planner is given is too much: with a little about the repository about %d tokens of the model's %d", tokens, window)
	}
	room := max(int(lint.MostPrompt*builtin.BytesPerToken*float64(window))-given, leastAbout)
	rules = prompt.Instructions(w.Checkout.Repo.Top)
	if prompt.FramedSize(rules) > room/2 { // each file has its share
		const heading = 64 // bytes, above each
		rules = prompt.InstructionsUpTo(w.Checkout.Repo.Top, room/2/len(prompt.InstructionFiles)-heading)
	}
	return rules, surveyed(ctx, w, room-prompt.FramedSize(rules)), nil
}

// surveyed is what a planner is shown of the repository: its files, or if they are too many its
// folders, the commands that seem to check it, and the last commits. The rest it reads itself. It
// takes two git processes, and room bytes of a prompt at most.
func surveyed(ctx context.Context, w *work.Worker, room int) string {
	tracked := tracked(ctx, w)
	var last strings.Builder
	if commands := likelyChecks(tracked, reader(w)); len(commands) > 0 {
		fmt.Fprintf(&last, "\nCommands that seem to check this project:\n%s\n", strings.Join(commands, "\n"))
	}
	if commits, err := w.Checkout.Repo.Log(ctx, fmt.Sprintf("-%d", maxSubjects)); err == nil && len(commits) > 0 {
		last.WriteString("\nThe last commits:\n")
		for _, c := range commits {
			last.WriteString(visible.OneLine(c.Subject(), maxSubject) + "\n")
		}
	}
	return "Files:\n" + mapOf(tracked, min(maxMap, room-prompt.FramedSize("Files:\n"+last.String()))) + "\n" + last.String()
}

// mapOf lists files, or if there are too many, folders.
func mapOf(files []string, room int) string {
	const longest = 400 // bytes of a name
	left := room
	var lines []string
	for _, f := range files {
		line := visible.OneLine(f, longest)
		if left -= prompt.FramedSize(line) + len("\n"); left < 0 {
			return codemap.Folders(files, room)
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

func tracked(ctx context.Context, w *work.Worker) []string {
	out, err := w.Checkout.Repo.Bytes(ctx, "ls-files", "-z")
	if err != nil || len(out) == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
}

// reader reads files at the top of the work tree; what cannot be read is empty.
func reader(w *work.Worker) func(name string) string {
	return func(name string) string {
		root, err := os.OpenRoot(w.Checkout.Repo.Top)
		if err != nil {
			return ""
		}
		defer root.Close()
		text, _ := prompt.ReadSmall(root, name)
		return text
	}
}

// likelyChecks returns the commands that seem to check a project, by its files and what those at
// its top say.
func likelyChecks(tracked []string, read func(name string) string) []string {
	has := func(name string) bool { return slices.Contains(tracked, name) }
	var out []string
	add := func(when bool, commands ...string) {
		if when {
			out = append(out, commands...)
		}
	}
	makefile := read("Makefile")
	for _, target := range []string{"lint", "check", "test"} {
		add(hasTarget(makefile, target), "make "+target)
	}
	add(has("go.mod"), "go vet ./...", "go test ./...")
	out = append(out, nodeChecks(has, read("package.json"))...)
	add(has("Cargo.toml"), "cargo test")
	add(strings.Contains(read("pyproject.toml"), "[tool.ruff"), "ruff check .")
	for _, line := range pythonChecks(tracked, read) {
		out = append(out, python()+line)
	}
	switch {
	case has("mvnw"):
		add(true, "./mvnw -q test")
	case has("pom.xml"):
		add(true, "mvn -q test")
	case has("gradlew"):
		add(true, "./gradlew test")
	case has("build.gradle") || has("build.gradle.kts"):
		add(true, "gradle test")
	}
	return out
}

func hasTarget(makefile, target string) bool {
	return regexp.MustCompile(`(?m)^` + target + `[ \t]*:([^=]|$)`).MatchString(makefile)
}

// nodeChecks are the scripts of a package.json that check it, run by the
// manager whose lock file is there.
func nodeChecks(has func(string) bool, manifest string) []string {
	var p struct{ Scripts map[string]string }
	if json.Unmarshal([]byte(manifest), &p) != nil {
		return nil
	}
	manager := "npm"
	for lock, name := range map[string]string{"pnpm-lock.yaml": "pnpm", "yarn.lock": "yarn", "bun.lock": "bun"} {
		if has(lock) {
			manager = name
		}
	}
	var out []string
	for _, script := range []string{"lint", "typecheck", "test"} {
		if body := p.Scripts[script]; body != "" && !strings.Contains(body, "no test specified") {
			out = append(out, manager+" run "+script)
		}
	}
	return out
}

// python is the name of Python here: Debian and others have only the second one.
func python() string {
	if _, ok := proc.Find("python"); !ok {
		if _, ok := proc.Find("python3"); ok {
			return "python3"
		}
	}
	return "python"
}

// pythonChecks is what Python is given to run the tests of a project: pytest, unless its
// first test file is written for unittest and nothing says pytest.
func pythonChecks(tracked []string, read func(string) string) []string {
	if strings.Contains(read("pyproject.toml")+read("setup.cfg")+read("tox.ini"), "pytest") {
		return []string{" -m pytest -q"}
	}
	first := ""
	for _, f := range tracked {
		switch name := path.Base(f); {
		case name == "pytest.ini" || name == "conftest.py":
			return []string{" -m pytest -q"}
		case first == "" && strings.HasPrefix(name, "test_") && strings.HasSuffix(name, ".py"):
			first = f
		}
	}
	folder := path.Dir(first)
	switch text := read(first); {
	case first == "":
		return nil
	case !strings.Contains(text, "unittest") || strings.Contains(text, "pytest"):
		return []string{" -m pytest -q"}
	case folder == "." || !regexp.MustCompile(`^\w[\w./-]*$`).MatchString(folder):
		return []string{" -m unittest"}
	}
	return []string{" -m unittest discover -s " + folder}
}

// LikelyChecks are the commands that seem to check the project of a checkout.
func LikelyChecks(ctx context.Context, c *checkout.Checkout) []string {
	w := work.New(&runner.Runner{Checkout: c})
	return likelyChecks(tracked(ctx, w), reader(w))
}

// ForEditor is a template with the commands that seem to check the project, as
// a proposal.
func ForEditor(ctx context.Context, c *checkout.Checkout, template string) []byte {
	commands := LikelyChecks(ctx, c)
	if len(commands) == 0 {
		return []byte(template)
	}
	proposal := "<!-- Commands in backticks that run after every step. Here perhaps:\n"
	for _, line := range commands {
		proposal += fmt.Sprintf("- `%s`\n", line)
	}
	before, comment, ok := strings.Cut(template, "<!-- Commands in backticks")
	_, after, closed := strings.Cut(comment, "-->")
	if !ok || !closed {
		return []byte(template)
	}
	return []byte(before + proposal + "-->" + after)
}
