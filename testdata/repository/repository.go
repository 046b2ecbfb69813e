// Package repository makes repositories for tests, by git itself.
package repository

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// New makes a repository, by git init with arguments, whose commits need no configuration.
func New(t testing.TB, init ...string) (dir string) {
	t.Helper()
	return initialised(t, "repo", init)
}

// Here is New in a folder with a hard-to-quote name, which becomes the current folder.
func Here(t *testing.T, init ...string) (dir string) {
	t.Helper()
	dir = initialised(t, "the \"repo\"\nof ü", append([]string{"-b", "main"}, init...))
	t.Chdir(dir)
	return dir
}

func initialised(t testing.TB, name string, init []string) (dir string) {
	t.Helper()
	for k, v := range map[string]string{
		"HOME": t.TempDir(), "GIT_CONFIG_GLOBAL": os.DevNull, "GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C",
		"GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@example.com", "GIT_COMMITTER_NAME": "A", "GIT_COMMITTER_EMAIL": "a@example.com",
	} {
		t.Setenv(k, v)
	}
	dir = filepath.Join(t.TempDir(), name)
	Git(t, "", append(append([]string{"init", "-q"}, init...), dir)...)
	return dir
}

// Git runs git in a folder and returns all its output.
func Git(t testing.TB, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// Ask runs git in the current folder and returns its output, without surrounding spaces.
func Ask(t testing.TB, args ...string) string {
	t.Helper()
	return strings.TrimSpace(Git(t, "", args...))
}

// Commit commits everything in the current folder, and returns the commit.
func Commit(t testing.TB, message string) string {
	t.Helper()
	Git(t, "", "add", "-A")
	Git(t, "", "commit", "-q", "--allow-empty", "-m", message)
	return Ask(t, "rev-parse", "HEAD")
}

// Write writes a file, and the folders above it.
func Write(t testing.TB, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// Read returns the text of a file.
func Read(t testing.TB, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// Testdata returns the path of something below testdata, for a test in a package's folder.
func Testdata(t testing.TB, name string) string {
	t.Helper()
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for dir := here; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		path := filepath.Join(dir, "testdata", name)
		if _, err := os.Stat(path); err == nil {
			return path
		}
	}
	t.Fatalf("there is no %s in testdata", name)
	return ""
}

// Reads makes the cached result of a test depend on all files in folders below the top, for a test that starts
// programs that read them: go test itself sees only what the test opens, and that includes a folder's list of
// files with their sizes and times.
func Reads(t testing.TB, folders ...string) {
	t.Helper()
	top := filepath.Join(Testdata(t, "stories"), "..", "..")
	for _, folder := range folders {
		if err := filepath.WalkDir(filepath.Join(top, folder), func(_ string, _ fs.DirEntry, err error) error { return err }); err != nil {
			t.Fatal(err)
		}
	}
}

// CompiledOnce has the demo's Go programs, which ignore GOFLAGS, use the standard library as make compiled it.
func CompiledOnce(t testing.TB) {
	t.Helper()
	env := filepath.Join(t.TempDir(), "goenv")
	Write(t, env, "GOFLAGS=-trimpath\n")
	t.Setenv("GOENV", env)
}

// OnlyGit returns a folder for PATH that contains only git.
func OnlyGit(t testing.TB) (dir string) {
	t.Helper()
	git, err := exec.LookPath("git")
	dir = t.TempDir()
	if err == nil {
		err = os.Symlink(git, filepath.Join(dir, "git"))
	}
	if err != nil {
		t.Fatal(err)
	}
	return dir
}
