package git

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/git-plan/git-plan/testdata/repository"
)

// No git that git plan starts runs what a repository has configured; only a command that should run the
// person's hooks does.
func TestConfiguredCommandsDoNotRun(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("hooks are scripts of a shell")
	}
	r := opened(t)
	repository.Write(t, "a", "1")
	repository.Commit(t, "one")
	ran := filepath.Join(t.TempDir(), "ran")
	script := "#!/bin/sh\ntouch '" + ran + "'\n"
	for _, name := range []string{"hooks/pre-commit", "hooks/post-checkout", "hooks/post-index-change", "hooks/reference-transaction", "monitor"} {
		repository.Write(t, name, script)
		if err := os.Chmod(name, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for key, value := range map[string]string{"core.hooksPath": filepath.Join(r.Top, "hooks"), "core.fsmonitor": filepath.Join(r.Top, "monitor"),
		"log.showSignature": "true", "gpg.program": filepath.Join(r.Top, "monitor")} {
		repository.Ask(t, "config", key, value)
	}
	quiet := [][]string{{"status", "--porcelain"}, {"add", "a"}, {"commit", "--allow-empty", "-qm", "two"}, {"checkout", "-q", "-b", "side"}, {"log", "-1"}}
	for _, args := range quiet {
		if err := r.Run(t.Context(), Command{Args: args}); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(ran); err == nil {
			t.Errorf("%q ran something", args)
		}
	}
	if err := r.Run(t.Context(), Command{Args: []string{"commit", "--allow-empty", "-qm", "three"}, Hooks: true}); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(ran); err != nil {
		t.Error("the person's hooks did not run where they should")
	}
}

// Trust in the repository is checked before each git that may run configured commands, and before no other.
func TestTrustIsCheckedBeforeRiskyCommands(t *testing.T) {
	r := opened(t)
	repository.Write(t, "a", "1")
	repository.Commit(t, "one")
	no := errors.New("no")
	r.Trusted = func(context.Context, *Repo) error { return no }
	for _, c := range []struct {
		Command
		asked bool
	}{
		{Command{Args: []string{"cat-file", "-p", "HEAD:a"}}, false},
		{Command{Args: []string{"cat-file", "--filters", "HEAD:a"}}, true},
		{Command{Args: []string{"-c", "a.b=c", "rev-parse", "HEAD"}}, false},
		{Command{Args: []string{"rev-parse", "HEAD"}, Hooks: true}, true},
		{Command{Args: []string{"log", "-1"}}, false},
		{Command{Args: []string{"log", "-1", "--patch"}}, true},
		{Command{Args: []string{"hash-object", "a"}}, true},
		{Command{Args: []string{"var", "GIT_COMMITTER_IDENT"}}, false},
		{Command{Args: []string{"var", "GIT_EDITOR"}}, true},
		{Command{Args: []string{"status"}}, true},
		{Command{Args: []string{"config", "--list"}, isConfigQuery: true}, false},
		{Command{Args: []string{"--version"}}, true},
	} {
		if err := r.Run(t.Context(), c.Command); errors.Is(err, no) != c.asked || err != nil && !c.asked {
			t.Errorf("git %q, hooks %v: %v; is trust asked for? %v", c.Args, c.Hooks, err, c.asked)
		}
	}
}

// The repository stays the one that was opened, even if its .git is removed.
func TestRepositoryIsFoundOnce(t *testing.T) {
	outer := opened(t)
	repository.Ask(t, "init", "-q", "inner")
	inner, err := Open(t.Context(), "inner")
	if err != nil {
		t.Fatal(err)
	}
	defer inner.Close()
	if err := os.RemoveAll("inner/.git"); err != nil {
		t.Fatal(err)
	}
	if out, err := inner.Output(t.Context(), "rev-parse", "--show-toplevel"); err == nil {
		t.Errorf("it found %q in %q", out, outer.Top)
	}
}

// The repository in the environment is relative to the current folder.
func TestEnvironmentIsRelativeToTheCurrentFolder(t *testing.T) {
	r := opened(t)
	one := repository.Commit(t, "one")
	if err := os.Mkdir("sub", 0o755); err != nil {
		t.Fatal(err)
	}
	t.Chdir("sub")
	t.Setenv("GIT_DIR", filepath.Join("..", ".git"))
	t.Setenv("GIT_WORK_TREE", "..")
	t.Setenv("GIT_INDEX_FILE", filepath.Join("..", "my-index"))
	here, err := Open(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer here.Close()
	if oid, err := here.Resolve(t.Context(), "HEAD"); oid != one || err != nil || here.Top != r.Top {
		t.Errorf("HEAD of %q is %q, %v", here.Top, oid, err)
	}
	if here.IndexFile() != filepath.Join(r.Top, "my-index") || r.IndexFile() != filepath.Join(r.GitDir, "index") {
		t.Errorf("the index is %q, and was %q", here.IndexFile(), r.IndexFile())
	}
}

// Variables that change what a pathspec means for the person's git change no name that this program gives to git.
func TestNamesAreLiteralWithAnyPathspecSetting(t *testing.T) {
	for _, name := range []string{"GIT_GLOB_PATHSPECS", "GIT_NOGLOB_PATHSPECS", "GIT_ICASE_PATHSPECS", "GIT_LITERAL_PATHSPECS"} {
		t.Run(name, func(t *testing.T) {
			t.Setenv(name, "1")
			r := opened(t)
			repository.Commit(t, "one")
			for _, option := range []string{"--literal-pathspecs", "--glob-pathspecs", "--icase-pathspecs"} {
				if out, err := r.Output(t.Context(), option, "ls-files", "--", "one"); err != nil {
					t.Errorf("%s: %q, %v", option, out, err)
				}
			}
		})
	}
}
