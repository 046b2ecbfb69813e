package worktree

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/testdata/repository"
)

// withSubmodule makes a repository with a submodule in lib, committed.
func withSubmodule(t *testing.T) *git.Repo {
	t.Helper()
	r := opened(t)
	repository.Ask(t, "init", "-q", "../library")
	repository.Ask(t, "-C", "../library", "commit", "--allow-empty", "-qm", "one")
	repository.Write(t, "../library/f", "f\n")
	repository.Ask(t, "-C", "../library", "add", "f")
	repository.Ask(t, "-C", "../library", "commit", "-qm", "two")
	repository.Ask(t, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", filepath.Join(filepath.Dir(r.Top), "library"), "lib")
	repository.Commit(t, "with a submodule")
	return r
}

// Uncommitted changes in a submodule are part of the status, as a change of the submodule, and no program
// that it configured runs for that.
func TestSubmoduleIsExamined(t *testing.T) {
	r, ctx := withSubmodule(t), t.Context()
	if s, err := ReadStatus(ctx, r); err != nil || !s.Clean() || len(s.Inside) != 0 {
		t.Fatalf("a fresh one: %+v, %v", s, err)
	}
	ran := filepath.Join(t.TempDir(), "ran")
	repository.Ask(t, "-C", "lib", "config", "core.fsmonitor", "touch "+ran)
	repository.Write(t, "lib/new", "n")
	if s, err := ReadStatus(ctx, r); err != nil || !s.Clean() || !slices.Equal(s.Inside, []string{"lib"}) {
		t.Errorf("with a new file in it: %+v, %v", s, err)
	}
	repository.Write(t, "lib/f", "changed\n")
	s, err := ReadStatus(ctx, r)
	if err != nil || len(s.Changed) != 1 || !s.Changed[0].Submodule || s.Changed[0].XY != ".m" || !slices.Equal(s.Paths(), []string{"lib"}) {
		t.Errorf("with a changed file in it: %+v, %v", s, err)
	}
	if paths, err := Unstashable(ctx, r, s); err != nil || !slices.Equal(paths, []string{"lib"}) {
		t.Errorf("it can be set aside: %q, %v", paths, err)
	}
	repository.Ask(t, "-C", "lib", "config", "--unset", "core.fsmonitor")
	repository.Ask(t, "-C", "lib", "commit", "-qam", "three")
	if s, err := ReadStatus(ctx, r); err != nil || len(s.Changed) != 1 || !slices.Equal(s.Inside, []string{"lib"}) {
		t.Errorf("at another commit: %+v, %v", s, err)
	}
	if _, err := os.Stat(ran); err == nil {
		t.Error("a program of the submodule was run")
	}
}

// Files that decide what git in a submodule runs are watched, whatever the format of the index.
func TestSubmoduleIsANeighbour(t *testing.T) {
	r := withSubmodule(t)
	for _, version := range []string{"2", "4"} { // for the other version .gitmodules is read
		repository.Ask(t, "update-index", "--index-version="+version)
		files, repositories := Neighbours(r)
		if want := filepath.Join(r.Top, "lib", ".git"); !slices.Contains(files, want) {
			t.Errorf("index version %s: %s is not among %q", version, want, files)
		}
		if len(repositories) != 1 || repositories[0] != filepath.Join(r.GitDir, "modules") {
			t.Errorf("index version %s: the folders are %q", version, repositories)
		}
	}
	if Deserted(filepath.Join(r.Top, "lib", ".git")) || !Deserted(filepath.Join(r.Top, "gone", ".git")) {
		t.Error("it is not reported where a work tree was removed")
	}
}
