// Package hooked makes real repositories for tests of hooks, in a world of their own.
package hooked

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/testdata/repository"
)

// World sets a fixed environment and returns a folder for repositories, by its real name.
func World(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	Must(t, err)
	for name, value := range map[string]string{
		"HOME": dir, "XDG_CONFIG_HOME": dir, "GIT_CONFIG_GLOBAL": filepath.Join(dir, "gitconfig"), "GIT_CONFIG_NOSYSTEM": "1",
		"GIT_AUTHOR_DATE": "2026-01-02T03:04:05Z", "GIT_COMMITTER_DATE": "2026-01-02T03:04:05Z", "LC_ALL": "C", "TZ": "UTC",
		"GIT_PLAN_DEPTH": "", "GIT_PLAN_HOOKS": "", "GIT_EDITOR": "true",
	} {
		t.Setenv(name, value)
	}
	Write(t, filepath.Join(dir, "gitconfig"), "[user]\n\tname = A\n\temail = a@example.org\n[init]\n\tdefaultBranch = main\n[protocol \"file\"]\n\tallow = always\n", 0o644)
	return dir
}

// Repository makes a repository with a commit on main.
func Repository(t *testing.T, dir string) string {
	t.Helper()
	Git(t, filepath.Dir(dir), "init", "--quiet", dir)
	Commit(t, dir, "README.md", "a project\n", "Begin")
	return dir
}

// Commit writes a file, commits it and returns the commit.
func Commit(t *testing.T, dir, name, content, message string) string {
	t.Helper()
	Write(t, filepath.Join(dir, name), content, 0o644)
	Git(t, dir, "add", "--", name)
	Git(t, dir, "commit", "--quiet", "-m", message)
	return Git(t, dir, "rev-parse", "HEAD")
}

// Ended is a program's exit code and output.
type Ended struct {
	Code           int
	Stdout, Stderr string
}

// Run runs a program to its end.
func Run(t *testing.T, dir, stdin, name string, args ...string) Ended {
	t.Helper()
	var out, err bytes.Buffer
	exit, fault := proc.Run(context.Background(), proc.Cmd{
		Name: name, Args: args, Dir: dir, Stdin: strings.NewReader(stdin), Stdout: &out, Stderr: &err,
	})
	Must(t, fault)
	return Ended{exit.Code, out.String(), err.String()}
}

// Git runs git and returns what it printed.
func Git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	e := Run(t, dir, "", "git", args...)
	if e.Code != 0 {
		t.Fatalf("git %s: %s", strings.Join(args, " "), e.Stderr)
	}
	return strings.TrimSuffix(e.Stdout, "\n")
}

// Open opens a repository until the test ends.
func Open(t *testing.T, dir string) *git.Repo {
	t.Helper()
	r, err := git.Open(context.Background(), dir)
	Must(t, err)
	t.Cleanup(r.Close)
	return r
}

// Write writes a file and the folders above it.
func Write(t *testing.T, path, content string, mode os.FileMode) {
	t.Helper()
	Must(t, os.MkdirAll(filepath.Dir(path), 0o755))
	Must(t, os.WriteFile(path, []byte(content), mode))
	Must(t, os.Chmod(path, mode))
}

// Contents returns the text of a file.
func Contents(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	Must(t, err)
	return string(data)
}

// Exists reports whether a path exists.
func Exists(path string) bool { _, err := os.Lstat(path); return err == nil }

// Must ends the test if there is an error.
func Must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Contains fails the test for each part that a text lacks.
func Contains(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if !strings.Contains(text, p) {
			t.Errorf("%q is missing in:\n%s", p, text)
		}
	}
}

// Bench is a repository with a local remote, and a stand-in for git-plan that records what it sees.
type Bench struct{ Repo, Remote, Bin, Seen, Temp string }

// NewBench makes a bench that is removed when the test ends.
func NewBench(t *testing.T) Bench {
	t.Helper()
	dir := World(t)
	b := Bench{filepath.Join(dir, "repo"), filepath.Join(dir, "remote.git"), filepath.Join(dir, "bin"), filepath.Join(dir, "seen"), filepath.Join(dir, "temp")}
	Repository(t, b.Repo)
	Git(t, dir, "init", "--quiet", "--bare", b.Remote)
	Git(t, b.Repo, "remote", "add", "origin", b.Remote)
	Write(t, filepath.Join(b.Bin, "git-plan"), Contents(t, repository.Testdata(t, "hooks/git-plan")), 0o755)
	Must(t, os.Mkdir(b.Seen, 0o755))
	Must(t, os.Mkdir(b.Temp, 0o755))
	t.Setenv("STAND_IN", b.Seen)
	t.Setenv("STAND_IN_EXIT", "0")
	t.Setenv("TMPDIR", b.Temp)
	t.Setenv("PATH", b.Bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	t.Cleanup(func() {
		if left, _ := os.ReadDir(b.Temp); len(left) > 0 {
			t.Errorf("a temporary file was left: %v", left)
		}
	})
	return b
}

// Hook returns the path of the gate's hook.
func (b Bench) Hook() string { return filepath.Join(b.Repo, ".git/hooks/pre-push") }

// Saw returns what the stand-in or a hook recorded under a name.
func (b Bench) Saw(t *testing.T, name string) string {
	t.Helper()
	return Contents(t, filepath.Join(b.Seen, name))
}

// Keeps is a hook that records its arguments and its input like the stand-in.
const Keeps = "#!/bin/sh\nprintf '%s\\n' \"$@\" >\"$STAND_IN/theirs.args\"\ncat >\"$STAND_IN/theirs.stdin\"\n"
