package worktree

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/testdata/repository"
)

// holds reports which files contain something unexpected; "" means no file.
func holds(t *testing.T, want map[string]string) {
	t.Helper()
	for name, text := range want {
		got, err := os.ReadFile(name)
		if string(got) != text || (err == nil) != (text != "") {
			t.Errorf("%s contains %q, want %q", name, got, text)
		}
	}
}

// Staged changes are committed, with the person's hooks only if they should run.
func TestIndexIsCommitted(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("hooks are scripts of a shell")
	}
	r, ctx := opened(t), t.Context()
	repository.Write(t, "a", "1")
	first := repository.Commit(t, "one")
	repository.Write(t, ".git/hooks/pre-commit", "#!/bin/sh\necho refused >&2\nexit 1\n")
	if err := os.Chmod(".git/hooks/pre-commit", 0o755); err != nil {
		t.Fatal(err)
	}
	repository.Write(t, "a", "2")
	repository.Write(t, "b", "2")
	repository.Ask(t, "add", "a", "b")
	repository.Ask(t, "rm", "-q", "--cached", "b")
	said := &proc.Tail{}
	if err := CommitIndex(ctx, r, "two\n", "MARK=1", true, said); git.Code(err) != 1 || said.String() != "refused\n" {
		t.Errorf("a hook refused it, and the error is %v; said was %q", err, said)
	}
	if err := CommitIndex(ctx, r, "  zwei ü\n\n\nbody  \n", "MARK=1", false, said); err != nil {
		t.Fatal(err)
	}
	if got := repository.Ask(t, "log", "-1", "--format=%an %cn %B"); got != "A A   zwei ü\n\nbody" {
		t.Errorf("the commit is %q", got)
	}
	if got := repository.Ask(t, "status", "--porcelain"); got != "?? b" {
		t.Errorf("after it: %q", got)
	}
	repository.Ask(t, "reset", "-q", "--soft", first)
	if err := ReadTree(ctx, r, first); err != nil || repository.Ask(t, "diff", "--cached", "--name-only") != "" {
		t.Errorf("the index is still another: %v", err)
	}
	holds(t, map[string]string{"a": "2", "b": "2"})
}

// A kept change is applied to the work tree again, whatever was committed since; one that conflicts changes
// nothing.
func TestChangeIsAppliedAgain(t *testing.T) {
	r, ctx := opened(t), t.Context()
	repository.Write(t, "a", "1\n")
	base := repository.Commit(t, "base")
	repository.Write(t, "a", "2\n")
	repository.Write(t, "new", "new")
	kept, err := r.ReadCommit(ctx, repository.Commit(t, "kept"))
	if err != nil {
		t.Fatal(err)
	}
	if err := MoveBack(ctx, r, base); err != nil {
		t.Fatal(err)
	}
	holds(t, map[string]string{"a": "1\n", "new": ""})
	if err := ApplyCommit(ctx, r, kept); err != nil || repository.Ask(t, "status", "--porcelain") != "M a\n?? new" {
		t.Errorf("on the same commit: %v", err)
	}
	repository.Ask(t, "stash", "-qu")
	repository.Write(t, "other", "o")
	repository.Commit(t, "other")
	if err := ApplyCommit(ctx, r, kept); err != nil || repository.Ask(t, "status", "--porcelain") != "M a\n?? new" {
		t.Errorf("on another commit: %v", err)
	}
	repository.Ask(t, "stash", "-qu")
	repository.Write(t, "a", "3\n")
	repository.Commit(t, "changed")
	if err := ApplyCommit(ctx, r, kept); !errors.Is(err, ErrConflict) || repository.Ask(t, "status", "--porcelain") != "" {
		t.Errorf("where it does not fit: %v", err)
	}
	holds(t, map[string]string{"a": "3\n", "new": ""})
}

// The first commit of a branch is applied where there is none, and never over a new file.
func TestFirstCommitIsApplied(t *testing.T) {
	r, ctx := opened(t), t.Context()
	repository.Write(t, "a", "1")
	kept, err := r.ReadCommit(ctx, repository.Commit(t, "kept"))
	if err != nil {
		t.Fatal(err)
	}
	repository.Ask(t, "update-ref", "-d", "HEAD")
	if err := Restore(ctx, r, "", nil); err != nil {
		t.Fatal(err)
	}
	holds(t, map[string]string{"a": ""})
	repository.Write(t, "a", "mine")
	if err := PutTree(ctx, r, "", kept.Tree); !errors.Is(err, ErrConflict) {
		t.Errorf("over a file of the person's: %v", err)
	}
	holds(t, map[string]string{"a": "mine"})
	if err := os.Remove("a"); err != nil {
		t.Fatal(err)
	}
	if err := ApplyCommit(ctx, r, kept); err != nil || repository.Ask(t, "status", "--porcelain") != "?? a" {
		t.Errorf("without a commit: %v", err)
	}
}

// Commits are reverted newest first; one that is reverted already makes no commit, and a conflicting one
// leaves nothing behind.
func TestCommitsAreReverted(t *testing.T) {
	r, ctx := opened(t), t.Context()
	repository.Write(t, "a", "1\n")
	repository.Commit(t, "base")
	repository.Write(t, "a", "2\n")
	two := repository.Commit(t, "two")
	repository.Write(t, "b", "b\n")
	three := repository.Commit(t, "three")
	if made, err := Revert(ctx, r, three, false, three, two); made != 2 || err != nil {
		t.Fatalf("%d reverts were made, %v", made, err)
	}
	holds(t, map[string]string{"a": "1\n", "b": ""})
	if got := repository.Ask(t, "log", "-2", "--format=%s"); got != "Revert \"two\"\nRevert \"three\"" {
		t.Errorf("the commits are %q", got)
	}
	head := repository.Ask(t, "rev-parse", "HEAD")
	if made, err := Revert(ctx, r, head, false, two); made != 0 || err != nil {
		t.Errorf("of what is reverted already: %d, %v", made, err)
	}
	if _, err := os.Stat(filepath.Join(r.GitDir, "REVERT_HEAD")); err == nil {
		t.Error("a revert is still in progress")
	}
	repository.Write(t, "a", "5\n")
	repository.Commit(t, "five")
	repository.Write(t, "c", "c\n")
	head = repository.Commit(t, "six")
	if made, err := Revert(ctx, r, head, false, head, two); made != 0 || !errors.Is(err, ErrConflict) || repository.Ask(t, "rev-parse", "HEAD") != head {
		t.Errorf("of a conflict behind one that fits: %d, %v", made, err)
	}
	holds(t, map[string]string{"a": "5\n", "c": "c\n"})
	if _, err := Revert(ctx, r, head, false, "no-such-commit"); err == nil || errors.Is(err, ErrConflict) {
		t.Errorf("of nothing: %v", err)
	}
}

// Files that a person hides from git are not touched, whatever else is restored.
func TestHiddenFilesAreNotRestored(t *testing.T) {
	r, ctx := opened(t), t.Context()
	for _, name := range []string{"a", "hidden", "skipped"} {
		repository.Write(t, name, "1\n")
	}
	head := repository.Commit(t, "one")
	repository.Ask(t, "update-index", "--assume-unchanged", "hidden")
	repository.Ask(t, "update-index", "--skip-worktree", "skipped")
	for _, name := range []string{"a", "hidden", "skipped"} {
		repository.Write(t, name, "2\n")
	}
	repository.Write(t, "new/file", "n")
	if err := Restore(ctx, r, head, []string{"new/file", "a"}); err != nil {
		t.Fatal(err)
	}
	holds(t, map[string]string{"a": "1\n", "hidden": "2\n", "skipped": "2\n", "new/file": ""})
	if _, err := os.Stat("new"); err == nil {
		t.Error("an empty folder is left")
	}
	if got := repository.Ask(t, "ls-files", "-v"); got != "H a\nh hidden\nS skipped" {
		t.Errorf("the flags are %q", got)
	}
}

// If a session replaced a link by a folder, nothing behind the link is removed with the folder.
func TestNothingBehindALinkIsRemoved(t *testing.T) {
	r := opened(t)
	repository.Write(t, "v2/mine", "mine\n")
	repository.Write(t, ".gitignore", "mine\n")
	for link, to := range map[string]string{"current": "v2", "hk": ".git/hooks"} {
		if err := os.Symlink(to, filepath.Join(r.Top, link)); err != nil {
			t.Fatal(err)
		}
	}
	head := repository.Commit(t, "links")
	repository.Write(t, ".git/hooks/pre-push", "the gate\n")
	for _, link := range []string{"current", "hk"} {
		if err := os.Remove(filepath.Join(r.Top, link)); err != nil {
			t.Fatal(err)
		}
	}
	added := []string{"current/mine", "hk/pre-push"}
	for _, path := range added {
		repository.Write(t, path, "of the session\n")
	}
	for range 2 { // the second time the links exist
		if err := Restore(t.Context(), r, head, added); err != nil {
			t.Fatal(err)
		}
	}
	for path, want := range map[string]string{"v2/mine": "mine\n", "current/mine": "mine\n", ".git/hooks/pre-push": "the gate\n"} {
		if got, err := os.ReadFile(filepath.Join(r.Top, path)); err != nil || string(got) != want {
			t.Errorf("%s: %q, %v", path, got, err)
		}
	}
}
