package hooks_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/hooks"
)

// world is a fixed one: a home of its own, no system configuration, one time,
// one language. It returns a folder for repositories, by its real name.
func world(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	for name, value := range map[string]string{
		"HOME": dir, "XDG_CONFIG_HOME": dir, "GIT_CONFIG_GLOBAL": filepath.Join(dir, "gitconfig"), "GIT_CONFIG_NOSYSTEM": "1",
		"GIT_AUTHOR_DATE": "2026-01-02T03:04:05Z", "GIT_COMMITTER_DATE": "2026-01-02T03:04:05Z", "LC_ALL": "C", "TZ": "UTC",
		"GIT_PLAN_DEPTH": "", "GIT_PLAN_HOOKS": "", "GIT_EDITOR": "true",
	} {
		t.Setenv(name, value)
	}
	write(t, filepath.Join(dir, "gitconfig"), "[user]\n\tname = A\n\temail = a@example.org\n[init]\n\tdefaultBranch = main\n[protocol \"file\"]\n\tallow = always\n", 0o644)
	return dir
}

// repository makes one with a commit on main.
func repository(t *testing.T, dir string) string {
	t.Helper()
	gitIn(t, filepath.Dir(dir), "init", "--quiet", dir)
	commit(t, dir, "README.md", "a project\n", "Begin")
	return dir
}

func commit(t *testing.T, dir, name, content, message string) string {
	t.Helper()
	write(t, filepath.Join(dir, name), content, 0o644)
	gitIn(t, dir, "add", "--", name)
	gitIn(t, dir, "commit", "--quiet", "-m", message)
	return gitIn(t, dir, "rev-parse", "HEAD")
}

// ended is how a program ended and what it said.
type ended struct {
	code           int
	stdout, stderr string
}

func run(t *testing.T, dir, stdin, name string, args ...string) ended {
	t.Helper()
	var out, err bytes.Buffer
	exit, fault := proc.Run(context.Background(), proc.Cmd{
		Name: name, Args: args, Dir: dir, Stdin: strings.NewReader(stdin), Stdout: &out, Stderr: &err,
	})
	must(t, fault)
	return ended{exit.Code, out.String(), err.String()}
}

func gitIn(t *testing.T, dir string, args ...string) string {
	t.Helper()
	e := run(t, dir, "", "git", args...)
	if e.code != 0 {
		t.Fatalf("git %s: %s", strings.Join(args, " "), e.stderr)
	}
	return strings.TrimSuffix(e.stdout, "\n")
}

func open(t *testing.T, dir string) *git.Repo {
	t.Helper()
	r, err := git.Open(context.Background(), dir)
	must(t, err)
	t.Cleanup(r.Close)
	return r
}

func look(t *testing.T, dir string) hooks.Facts {
	t.Helper()
	f, err := hooks.Look(context.Background(), open(t, dir))
	must(t, err)
	return f
}

// install does what `git plan hooks install` does and returns the one action.
func install(t *testing.T, dir string) hooks.Action {
	t.Helper()
	return perform(t, hooks.PlanInstall(look(t, dir)))
}

func uninstall(t *testing.T, dir string) hooks.Action {
	t.Helper()
	return perform(t, hooks.PlanUninstall(look(t, dir)))
}

func perform(t *testing.T, actions []hooks.Action) hooks.Action {
	t.Helper()
	if len(actions) != len(hooks.All()) {
		t.Fatalf("%d actions for %d hooks", len(actions), len(hooks.All()))
	}
	must(t, hooks.Perform(actions))
	return actions[0]
}

func write(t *testing.T, path, content string, mode os.FileMode) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(path), 0o755))
	must(t, os.WriteFile(path, []byte(content), mode))
	must(t, os.Chmod(path, mode))
}

func contents(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	must(t, err)
	return string(data)
}

func exists(path string) bool { _, err := os.Lstat(path); return err == nil }

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func contains(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if !strings.Contains(text, p) {
			t.Errorf("%q is missing in:\n%s", p, text)
		}
	}
}
