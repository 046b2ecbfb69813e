package worktree

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/testdata/repository"
)

// A session's clone has the branch and none of this repository's hooks; what it commits is read
// as a stranger's word, and changes nothing here.
func TestPrivateClone(t *testing.T) {
	r := opened(t)
	repository.Write(t, "a", "1")
	one := repository.Commit(t, "one")
	top, gitDir := filepath.Join(t.TempDir(), "clone"), t.TempDir()
	clone, err := PrivateClone(t.Context(), r, top, gitDir, "main", one, "user.name", "S")
	if err != nil {
		t.Fatal(err)
	}
	defer clone.Close()
	if repository.Read(t, filepath.Join(top, "a")) != "1" || repository.Ask(t, "-C", top, "config", "user.name") != "S" || repository.Ask(t, "-C", top, "symbolic-ref", "--short", "HEAD") != "main" {
		t.Error("the clone is not one of the branch")
	}
	repository.Write(t, filepath.Join(top, "b"), "2")
	if s, err := ReadStatus(t.Context(), clone); err != nil || !slices.Contains(s.Untracked, "b") {
		t.Errorf("new in it are %q, %v", s.Untracked, err)
	}
	repository.Ask(t, "-C", top, "add", "-A")
	repository.Ask(t, "-C", top, "commit", "-qm", "In the clone")
	if made := CommitsOfClone(t.Context(), clone, one); len(made) != 1 || made[0].Subject() != "In the clone" {
		t.Errorf("made in it were %v", made)
	}
	if repository.Ask(t, "rev-parse", "HEAD") != one {
		t.Error("the repository has moved")
	}
	scratch, err := NewScratch(t.Context(), r, filepath.Join(t.TempDir(), "scratch"))
	if err != nil {
		t.Fatal(err)
	}
	if added, err := AddedIn(t.Context(), r, scratch, "HEAD"); err != nil || len(added) != 0 {
		t.Errorf("added in a fresh one were %q, %v", added, err)
	}
}

func TestAThrowawayCloneIsAtItsCommit(t *testing.T) {
	r := opened(t)
	repository.Write(t, "a", "one\n")
	first := repository.Commit(t, "one")
	second := repository.Commit(t, "two")
	t.Setenv("GIT_DIR", r.GitDir) // as a hook would have it
	r, err := git.Open(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	dir := filepath.Join(t.TempDir(), "clone")
	if err := CloneAt(t.Context(), r, dir, first); err != nil {
		t.Fatal(err)
	}
	if head := repository.Ask(t, "rev-parse", "HEAD"); head != second {
		t.Errorf("HEAD of the repository is %s", head)
	}
	if head := repository.Ask(t, "-C", dir, "--git-dir="+filepath.Join(dir, ".git"), "rev-parse", "HEAD"); head != first {
		t.Errorf("HEAD of the clone is %s; want %s", head, first)
	}
}
