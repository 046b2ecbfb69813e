package worktree

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/testdata/repository"
)

// What a program wrote into a scratch repository is visible, and changes nothing here.
func TestScratchRepositoryIsWritable(t *testing.T) {
	r, ctx := opened(t), t.Context()
	repository.Write(t, "a", "1")
	head := repository.Commit(t, "one")
	dir := filepath.Join(t.TempDir(), "scratch")
	linked := filepath.Join(t.TempDir(), "linked")
	repository.Ask(t, "worktree", "add", "-q", "-b", "side", linked)
	l, err := git.Open(ctx, linked)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	s, err := NewScratch(ctx, l, dir)
	if err != nil || s.Inside != dir {
		t.Fatalf("of a linked work tree it is in %q, %v", s.Inside, err)
	}
	if s, err = NewScratch(ctx, r, dir); err != nil || s.Inside != filepath.Join(r.Top, ".git") {
		t.Fatalf("it is in %q, %v", s.Inside, err)
	}
	for _, m := range s.Mounts {
		if m.To == filepath.Join(s.Inside, borrowedObjects) { // a mount would place it there
			if err := errors.Join(os.Remove(filepath.Join(dir, borrowedObjects)), os.Symlink(m.From, filepath.Join(dir, borrowedObjects)),
				os.WriteFile(filepath.Join(dir, "objects", "info", "alternates"), []byte(m.From+"\n"), 0o600)); err != nil {
				t.Fatal(err)
			}
		}
	}
	repository.Write(t, "new", "n")
	repository.Ask(t, "--git-dir="+dir, "--work-tree=.", "add", "new")
	if added, err := StagedInScratch(ctx, r, s, head); err != nil || !slices.Equal(added, []string{"new"}) {
		t.Errorf("added are %q, %v", added, err)
	}
	if got := repository.Ask(t, "status", "--porcelain"); got != "?? new" {
		t.Errorf("here is %q", got)
	}
}
