package gitplan

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
)

// Bounds of what a planner is told of the repository to begin with, in bytes.
const (
	maxMap      = 16 << 10 // the tree
	maxManifest = 3 << 10  // each of the files that say how the project is built
	maxSubjects = 20       // commits
)

// manifests are the files at the top that say what a project is and how it is
// built and tested.
var manifests = []string{"Makefile", "justfile", "go.mod", "package.json", "Cargo.toml", "pyproject.toml", "tox.ini", "setup.cfg",
	"pom.xml", "build.gradle", "build.gradle.kts", "Gemfile", "composer.json", "CMakeLists.txt"}

// survey is what a planner is told of the repository: its files, how it is
// built, the commands that seem to check it, and what was done last. The rest it
// reads itself.
func (w *Worker) survey(ctx context.Context) string {
	var b strings.Builder
	tracked := w.tracked(ctx)
	b.WriteString("Files:\n" + mapOf(tracked))
	read := w.reader()
	for _, name := range manifests {
		if text := read(name); text != "" {
			fmt.Fprintf(&b, "\n%s:\n%s\n", name, shortened(text, maxManifest))
		}
	}
	if commands := LikelyChecks(tracked, read); len(commands) > 0 {
		fmt.Fprintf(&b, "\nCommands that seem to check this project:\n%s\n", strings.Join(commands, "\n"))
	}
	out, err := w.Repo.Bytes(ctx, "log", fmt.Sprintf("-%d", maxSubjects), "--format=%s")
	if err == nil && len(out) > 0 {
		b.WriteString("\nThe last commits:\n")
		for _, subject := range strings.Split(strings.TrimSpace(string(out)), "\n") {
			b.WriteString(oneLine(subject, 200) + "\n")
		}
	}
	return b.String()
}

func (w *Worker) tracked(ctx context.Context) []string {
	out, err := w.Repo.Bytes(ctx, "ls-files", "-z")
	if err != nil || len(out) == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
}

// reader reads files at the top of the work tree; what cannot be read is empty.
func (w *Worker) reader() func(name string) string {
	return func(name string) string {
		root, err := os.OpenRoot(w.Repo.Top)
		if err != nil {
			return ""
		}
		defer root.Close()
		info, err := root.Stat(name)
		if err != nil || !info.Mode().IsRegular() || info.Size() > 1<<20 {
			return ""
		}
		data, _ := root.ReadFile(name)
		return strings.ToValidUTF8(string(data), "\uFFFD")
	}
}

func shortened(s string, max int) string {
	if len(s) <= max {
		return strings.TrimRight(s, "\n")
	}
	return strings.ToValidUTF8(s[:max], "") + "\n[cut here]"
}

// mapOf lists files, or where these are too many folders with how many there
// are below them, as deep as fits.
func mapOf(files []string) string {
	for depth := 12; depth > 0; depth-- {
		if text := mapTo(files, depth); len(text) <= maxMap {
			return text
		}
	}
	return shortened(mapTo(files, 1), maxMap) + "\n"
}

func mapTo(files []string, depth int) string {
	var order []string
	count := map[string]int{}
	for _, f := range files {
		name := f
		if parts := strings.Split(f, "/"); len(parts) > depth {
			name = strings.Join(parts[:depth], "/") + "/"
		}
		if count[name] == 0 {
			order = append(order, name)
		}
		count[name]++
	}
	var b strings.Builder
	for _, name := range order {
		b.WriteString(oneLine(name, 400))
		if strings.HasSuffix(name, "/") {
			fmt.Fprintf(&b, " (%d files)", count[name])
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// LikelyChecks are the commands that seem to check a project, from its files and
// what stands in those at its top.
func LikelyChecks(tracked []string, read func(name string) string) []string {
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
	add(usesPytest(tracked, read), "python -m pytest -q")
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

func usesPytest(tracked []string, read func(string) string) bool {
	if strings.Contains(read("pyproject.toml")+read("setup.cfg")+read("tox.ini"), "pytest") {
		return true
	}
	return slices.ContainsFunc(tracked, func(f string) bool {
		name := path.Base(f)
		return strings.HasPrefix(name, "test_") && strings.HasSuffix(name, ".py") || name == "pytest.ini" || name == "conftest.py"
	})
}
