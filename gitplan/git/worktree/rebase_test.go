package worktree

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/testdata/repository"
)

// A session's work is merged, file by file, with commits made meanwhile.
func TestTreeIsRebasedOntoOtherCommits(t *testing.T) {
	repository.Here(t)
	ctx := t.Context()
	r, err := git.Open(ctx, "")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	repository.Write(t, "a", "1")
	repository.Write(t, "b", "1")
	repository.Write(t, "c", "1")
	base := repository.Commit(t, "one")
	top := filepath.Join(t.TempDir(), "clone")
	clone, err := PrivateClone(ctx, r, Private{Top: top, GitDir: t.TempDir(), Branch: "main", Head: base})
	if err != nil {
		t.Fatal(err)
	}
	defer clone.Close()
	repository.Write(t, filepath.Join(top, "a"), "mine")
	repository.Write(t, filepath.Join(top, "new"), "mine")
	tree, err := Stage(ctx, clone, []string{"a", "new"})
	if err != nil {
		t.Fatal(err)
	}
	repository.Write(t, "b", "theirs")
	repository.Write(t, "d/e", "theirs")
	if err := os.Remove("c"); err != nil {
		t.Fatal(err)
	}
	theirs := repository.Commit(t, "two")
	if err := Rebase(ctx, clone, base, tree, theirs); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{"a": "mine", "new": "mine", "b": "theirs", "d/e": "theirs"} {
		if got := repository.Read(t, filepath.Join(top, path)); got != want {
			t.Errorf("%s is %q; want %q", path, got, want)
		}
	}
	merged, err := Stage(ctx, clone, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := repository.Ask(t, "ls-tree", "-r", "--name-only", merged); got != "a\nb\nd/e\nnew" {
		t.Errorf("merged are %q", got)
	}
	repository.Write(t, "a", "theirs, too")
	if err := Rebase(ctx, clone, theirs, merged, repository.Commit(t, "three")); !errors.Is(err, ErrConflict) {
		t.Errorf("a file that both changed: %v", err)
	}
}
