package worktree

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/testdata/repository"
)

// Saving and restoring: the files of a snapshot are restored, ignored files stay.
func TestSnapshotLosesNothing(t *testing.T) {
	r := opened(t)
	repository.Write(t, ".gitignore", "ignored\n")
	repository.Write(t, "a", "one\n")
	head := repository.Commit(t, "one")
	repository.Write(t, "a", "two\n")
	repository.Write(t, "dir/new", "new\n")
	repository.Write(t, "ignored", "mine\n")
	ctx := t.Context()
	tree := snapshot(t, r, "dir/new")
	if err := Restore(ctx, r, head, []string{"dir/new"}); err != nil {
		t.Fatal(err)
	}
	s, err := ReadStatus(ctx, r)
	if err != nil || !s.Clean() || len(s.Untracked) > 0 {
		t.Errorf("after restoring: %+v, %v", s, err)
	}
	if _, err := os.Stat("ignored"); err != nil {
		t.Error("an ignored file was lost")
	}
	kept, err := r.ReadCommit(ctx, repository.Ask(t, "commit-tree", "-p", head, "-m", "kept", tree))
	if err != nil {
		t.Fatal(err)
	}
	if err := ApplyCommit(ctx, r, kept); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"a": "two\n", "dir/new": "new\n"} {
		if data, _ := os.ReadFile(name); string(data) != want {
			t.Errorf("%s is %q, want %q", name, data, want)
		}
	}
	if got := repository.Ask(t, "status", "--porcelain"); got != "M a\n?? dir/" {
		t.Errorf("git status says %q", got)
	}
}

// A file that was replaced by a link, a folder or nothing is not in the tree, and its replacement is, as git
// add would do.
func TestSnapshotEqualsGitAdd(t *testing.T) {
	r := opened(t)
	for _, name := range []string{"behind/a", "gone", "folder", "was/deep/b", "mode", "kind"} {
		repository.Write(t, name, "x\n")
	}
	repository.Commit(t, "one")
	for _, name := range []string{"behind", "gone", "folder", "was", "kind"} {
		if err := os.RemoveAll(name); err != nil {
			t.Fatal(err)
		}
	}
	_ = os.Symlink("elsewhere", "behind")
	_ = os.Symlink("mode", "kind")
	_ = os.Chmod("mode", 0o755)
	repository.Write(t, "folder/in", "y\n")
	repository.Write(t, "was", "a file\n")
	tree := snapshot(t, r, "behind", "folder/in", "was")
	repository.Ask(t, "add", "--all")
	if want := repository.Ask(t, "write-tree"); tree != want {
		t.Errorf("the snapshot is not what git add --all has:\n%s", repository.Ask(t, "diff-tree", "-r", want, tree))
	}
}

// A file changed in the same tick in which the index was written, to the same size.
func TestSnapshotDetectsARacilyCleanFile(t *testing.T) {
	r := opened(t)
	repository.Ask(t, "config", "core.trustctime", "false")
	tick := time.Now().Add(-time.Minute)
	at := func(name string) {
		if err := os.Chtimes(name, tick, tick); err != nil {
			t.Fatal(err)
		}
	}
	repository.Write(t, "f", "before")
	at("f")
	repository.Ask(t, "add", "f")
	at(filepath.Join(r.GitDir, "index"))
	repository.Write(t, "f", "after!")
	at("f")

	tree := snapshot(t, r)
	if got := repository.Ask(t, "cat-file", "-p", tree+":f"); got != "after!" {
		t.Errorf("the snapshot contains %q", got)
	}
}

// snapshot returns a tree of tracked and changed files, and of some new ones.
func snapshot(t *testing.T, r *git.Repo, added ...string) string {
	t.Helper()
	s, err := ReadStatus(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	tree, err := Snapshot(t.Context(), r, append(s.Unstaged(), added...))
	if err != nil {
		t.Fatal(err)
	}
	return tree
}
