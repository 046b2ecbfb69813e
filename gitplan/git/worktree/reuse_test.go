package worktree

import (
	"errors"
	"github.com/git-plan/git-plan/testdata/repository"
	"os"
	"path/filepath"
	"testing"
)

// The clone of a session is used again with nothing left of what that did: no file, no folder, no
// configuration, no change whose time was set back.
func TestACloneIsUsedAgain(t *testing.T) {
	r, ctx := opened(t), t.Context()
	repository.Write(t, "a", "1\n")
	repository.Write(t, "kept/b", "1\n")
	repository.Write(t, ".gitignore", "*.log\n")
	one := repository.Commit(t, "one")
	clone, top, gitDir := privateClone(t, r, one)
	in := func(path string) string { return filepath.Join(top, path) }
	was, err := os.Lstat(in("a"))
	if err != nil {
		t.Fatal(err)
	}
	repository.Write(t, in("a"), "2\n")
	if err := errors.Join(os.Chtimes(in("a"), was.ModTime(), was.ModTime()), os.MkdirAll(in("empty/folder"), 0o700), os.Symlink("/", in("link"))); err != nil {
		t.Fatal(err)
	}
	repository.Write(t, in("x.log"), "ignored")
	repository.Ask(t, "init", "-q", in("nested"))
	repository.Ask(t, "-C", top, "config", "core.fsmonitor", "touch "+in("ran"))
	repository.Write(t, "a", "3\n")
	two := repository.Commit(t, "two")
	clone.Close()
	again, err := ReuseClone(ctx, r, top, gitDir, "main", two, "user.name", "S")
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if got := repository.Read(t, in("a")); got != "3\n" {
		t.Errorf("a is %q", got)
	}
	for _, gone := range []string{"empty", "link", "x.log", "nested", "ran"} {
		if _, err := os.Lstat(in(gone)); err == nil {
			t.Errorf("%s is still there", gone)
		}
	}
	if s, err := ReadStatusIgnored(ctx, again); err != nil || !s.Clean() || len(s.Untracked)+len(s.Ignored) > 0 || s.Head != two {
		t.Errorf("it is %+v, %v", s, err)
	}
	if repository.Ask(t, "-C", top, "status", "--porcelain") != "" || repository.Ask(t, "-C", top, "rev-parse", "HEAD") != two || repository.Ask(t, "-C", top, "config", "user.name") != "S" {
		t.Error("a session would not find a fresh clone")
	}
	again.Close()
	repository.Ask(t, "init", "-q", in("kept")) // git would leave this .git alone, and obey it
	if _, err := ReuseClone(ctx, r, top, gitDir, "main", two); !errors.Is(err, ErrNotReusable) {
		t.Errorf("with a repository among tracked files: %v", err)
	}
	if _, err := ReuseClone(ctx, r, filepath.Join(t.TempDir(), "none"), t.TempDir(), "main", two); !errors.Is(err, ErrNotReusable) {
		t.Errorf("where there is none: %v", err)
	}
}
