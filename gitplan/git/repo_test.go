package git

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/testdata/repository"
)

// opened makes a repository in the current folder, and opens it.
func opened(t *testing.T, init ...string) *Repo {
	t.Helper()
	repository.Here(t, init...)
	r, err := Open(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	return r
}

// A repository is found wherever git finds it: in a subfolder, a linked work tree, a bare repository, with a
// newline and quotes in the path.
func TestRepositoriesAreFoundEverywhere(t *testing.T) {
	r := opened(t)
	repository.Commit(t, "one")
	if want := repository.Ask(t, "rev-parse", "--show-toplevel"); r.Top != want {
		t.Errorf("the top folder is %q, git says %q", r.Top, want)
	}
	if err := os.MkdirAll("deep/er", 0o755); err != nil {
		t.Fatal(err)
	}
	sub, err := Open(t.Context(), "deep/er")
	if err != nil || sub.Top != r.Top {
		t.Errorf("from a subfolder: %v, %v", sub, err)
	}
	linked := filepath.Join(t.TempDir(), "linked")
	repository.Ask(t, "worktree", "add", "-q", linked)
	l, err := Open(t.Context(), linked)
	if err != nil || l.Top != linked || l.CommonDir != r.CommonDir || l.GitDir == r.GitDir {
		t.Errorf("a linked worktree: %+v, %v", l, err)
	}
	bare := filepath.Join(t.TempDir(), "bare")
	repository.Ask(t, "clone", "-q", "--bare", ".", bare)
	b, err := Open(t.Context(), bare)
	if err != nil || b.Top != "" || b.GitDir != bare {
		t.Errorf("a bare repository: %+v, %v", b, err)
	}
	if _, err := Open(t.Context(), t.TempDir()); err == nil || !strings.Contains(err.Error(), "not a git repository") {
		t.Errorf("no repository: %v", err)
	}
}

// Opened together with its configuration, a repository is the same; outside a repository that is an error.
func TestOpenHere(t *testing.T) {
	r := opened(t)
	repository.Commit(t, "one")
	here, config, err := OpenHere(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer here.Close()
	if name, _ := config.Get("core.bare"); here.Top != r.Top || here.GitDir != r.GitDir || name != "false" {
		t.Errorf("it is %q, %q", here.Top, here.GitDir)
	}
	repository.Write(t, ".git/MERGE_HEAD", "")
	if r.Operation() != "merge" || here.PlanDir("a") != filepath.Join(r.CommonDir, "plan", "a") {
		t.Errorf("git is in the middle of %q", r.Operation())
	}
	t.Chdir(t.TempDir())
	t.Setenv("GIT_CEILING_DIRECTORIES", filepath.Dir(filepath.Dir(r.Top)))
	if _, _, err := OpenHere(t.Context()); err == nil || !strings.Contains(err.Error(), "repository") {
		t.Errorf("outside a repository: %v", err)
	}
}

// Outside a repository there is only the global configuration; a command that needs a repository gets git's
// error.
func TestOutsideARepository(t *testing.T) {
	r := opened(t)
	repository.Commit(t, "one")
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("GIT_CONFIG_GLOBAL", filepath.Join(home, "mine"))
	repository.Write(t, filepath.Join(home, "mine"), "[plan]\n\tagent = mine\n[hook \"odd\"]\n\tevent = pre-commit\n\tcommand = false\n")
	t.Chdir(t.TempDir())
	_, err := Open(t.Context(), "")
	var died *Error
	if !errors.Is(err, ErrNotRepository) || !errors.As(err, &died) || Code(err) != Fatal {
		t.Fatalf("outside: %v", err)
	}
	out, config, err := Outside(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	if agent, _ := config.Get("plan.agent"); agent != "mine" || out.Top != "" {
		t.Errorf("plan.agent is %q in %q", agent, out.Top)
	}
	if !slices.Contains(out.disabledHooks, "hook.odd.enabled") {
		t.Errorf("a hook that is configured is not silenced: %q", out.disabledHooks)
	}
	if err := os.Remove(filepath.Join(r.GitDir, "objects")); err == nil {
		t.Fatal("it was empty")
	}
	repository.Write(t, filepath.Join(r.GitDir, "config"), "[core\n")
	if _, err := Open(t.Context(), r.Top); err == nil || errors.Is(err, ErrNotRepository) && !strings.Contains(err.Error(), "config") {
		t.Errorf("of a configuration that cannot be read: %v", err)
	}
}

// The operation in progress is named.
func TestOperations(t *testing.T) {
	r := opened(t)
	if r.Operation() != "" {
		t.Errorf("no operation is in progress, but %q", r.Operation())
	}
	for file, want := range map[string]string{"rebase-merge": "rebase", "CHERRY_PICK_HEAD": "cherry-pick", "REVERT_HEAD": "revert", "BISECT_LOG": "bisect"} {
		at := filepath.Join(r.GitDir, file)
		repository.Write(t, at, "")
		if got := r.Operation(); got != want {
			t.Errorf("with %s: %q", file, got)
		}
		if err := os.Remove(at); err != nil {
			t.Fatal(err)
		}
	}
}
