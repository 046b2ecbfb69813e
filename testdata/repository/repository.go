// Package repository makes repositories for tests, by git itself.
package repository

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// New makes a repository, by git init with arguments, whose commits need no configuration
// of the person's.
func New(t testing.TB, init ...string) (dir string) {
	t.Helper()
	for k, v := range map[string]string{
		"HOME": t.TempDir(), "GIT_CONFIG_GLOBAL": os.DevNull, "GIT_CONFIG_NOSYSTEM": "1",
		"GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@example.com", "GIT_COMMITTER_NAME": "A", "GIT_COMMITTER_EMAIL": "a@example.com",
	} {
		t.Setenv(k, v)
	}
	dir = filepath.Join(t.TempDir(), "repo")
	Git(t, "", append(append([]string{"init", "-q"}, init...), dir)...)
	return dir
}

// Git runs git in a folder and returns all that it said.
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
