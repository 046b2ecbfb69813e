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

// privateClone returns a session's clone at a commit, and its folder.
func privateClone(t *testing.T, r *git.Repo, head string) (clone *git.Repo, top, gitDir string) {
	t.Helper()
	top, gitDir = filepath.Join(t.TempDir(), "clone"), t.TempDir()
	clone, err := PrivateClone(t.Context(), r, Private{Top: top, GitDir: gitDir, Branch: "main", Head: head})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(clone.Close)
	return clone, top, gitDir
}

// A session's clone has the branch and none of this repository's hooks; commits in it change nothing here.
func TestPrivateClone(t *testing.T) {
	r := opened(t)
	repository.Write(t, "a", "1")
	one := repository.Commit(t, "one")
	repository.Ask(t, "tag", "v1")
	repository.Ask(t, "symbolic-ref", "refs/heads/also", "refs/heads/main")
	refs, err := r.RefValues(t.Context(), "refs/")
	if err != nil {
		t.Fatal(err)
	}
	top, gitDir := filepath.Join(t.TempDir(), "clone"), t.TempDir()
	clone, err := PrivateClone(t.Context(), r, Private{Top: top, GitDir: gitDir, Branch: "main", Head: one, Settings: []string{"user.name", "S"}, Refs: refs})
	if err != nil {
		t.Fatal(err)
	}
	defer clone.Close()
	if repository.Read(t, filepath.Join(top, "a")) != "1" || repository.Ask(t, "-C", top, "config", "user.name") != "S" || repository.Ask(t, "-C", top, "symbolic-ref", "--short", "HEAD") != "main" {
		t.Error("the clone is not one of the branch")
	}
	if got, want := repository.Ask(t, "-C", top, "for-each-ref", "--format=%(refname)"), "refs/heads/main\nrefs/remotes/origin/also\nrefs/remotes/origin/main\nrefs/tags/v1"; got != want {
		t.Errorf("the clone has the refs\n%s\nnot\n%s", got, want)
	}
	repository.Write(t, filepath.Join(top, "b"), "2")
	if s, err := ReadStatus(t.Context(), clone); err != nil || !slices.Contains(s.Untracked, "b") {
		t.Errorf("new in it are %q, %v", s.Untracked, err)
	}
	repository.Ask(t, "-C", top, "add", "-A")
	repository.Ask(t, "-C", top, "commit", "-qm", "In the clone")
	if repository.Ask(t, "rev-parse", "HEAD") != one {
		t.Error("the repository has moved")
	}
	scratch, err := NewScratch(t.Context(), r, filepath.Join(t.TempDir(), "scratch"))
	if err != nil {
		t.Fatal(err)
	}
	if added, err := StagedInScratch(t.Context(), r, scratch, "HEAD"); err != nil || len(added) != 0 {
		t.Errorf("added in a fresh one were %q, %v", added, err)
	}
}

func TestThrowawayCloneIsAtItsCommit(t *testing.T) {
	r := opened(t)
	repository.Write(t, "a", "one\n")
	first := repository.Commit(t, "one")
	second := repository.Commit(t, "two")
	t.Setenv("GIT_DIR", r.GitDir)                               // as in a hook
	repository.Ask(t, "config", "protocol.file.allow", "never") // of other repositories
	t.Setenv("GIT_ALLOW_PROTOCOL", "https:ssh")
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

// A session's files are as sparse as the person's; files outside the patterns are still examined.
func TestSessionsFilesAreSparse(t *testing.T) {
	r, ctx := opened(t), t.Context()
	repository.Write(t, "in/a", "1")
	repository.Write(t, "out/b", "1")
	head := repository.Commit(t, "one")
	repository.Ask(t, "sparse-checkout", "set", "in")
	top, gitDir := filepath.Join(t.TempDir(), "clone"), t.TempDir()
	clone, err := PrivateClone(ctx, r, Private{Top: top, GitDir: gitDir, Branch: "main", Head: head})
	if err != nil {
		t.Fatal(err)
	}
	defer clone.Close()
	if _, err := os.Lstat(filepath.Join(top, "out", "b")); err == nil {
		t.Error("files outside the person's patterns exist")
	}
	repository.Write(t, filepath.Join(top, "out", "b"), "2")
	if s, err := ReadStatus(ctx, clone); err != nil || !slices.Equal(s.Unstaged(), []string{"out/b"}) {
		t.Errorf("its status is %+v, %v", s, err)
	}
	unborn, err := PrivateWorktree(r, t.TempDir(), t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer unborn.Close()
	if s, err := ReadStatus(ctx, unborn); err != nil || s.Head != "" {
		t.Errorf("unborn, it is at %q, %v", s.Head, err)
	}
}

// In a session's files a submodule is just the files of the recorded commit: its .git leads git nowhere, a
// change in it is detected, and it is restored through no link.
func TestSubmoduleOfASession(t *testing.T) {
	r, ctx := withSubmodule(t), t.Context()
	repository.Write(t, "lib/f", "not committed")
	head := repository.Ask(t, "rev-parse", "HEAD")
	clone, top, _ := privateClone(t, r, head)
	if err := PutSubmodule(ctx, r, clone, "lib"); err != nil || !slices.Equal(Submodules(clone), []string{"lib"}) {
		t.Fatal(err)
	}
	elsewhere, lib := t.TempDir(), filepath.Join(top, "lib")
	for _, change := range []func(){
		func() { repository.Write(t, filepath.Join(lib, "f"), "a session's") },
		func() { repository.Write(t, filepath.Join(lib, "new"), "a session's") },
		func() { _ = os.RemoveAll(lib) },
		func() { _ = errors.Join(os.RemoveAll(lib), os.Symlink(elsewhere, lib)) },
		func() { _ = errors.Join(os.RemoveAll(lib), os.WriteFile(lib, nil, 0o600)) },
	} {
		repository.Write(t, filepath.Join(lib, ".git"), "gitdir: /nowhere\n")
		if s, err := ReadStatus(ctx, clone); err != nil || !s.Clean() || len(s.Inside) != 0 {
			t.Errorf("its status is %+v, %v", s, err)
		}
		change()
		if s, err := ReadStatus(ctx, clone); err != nil || !s.Clean() || !slices.Equal(s.Inside, []string{"lib"}) {
			t.Errorf("changed, its status is %+v, %v", s, err)
		}
		if err := PutSubmodule(ctx, r, clone, "lib"); err != nil || repository.Read(t, filepath.Join(lib, "f")) != "f\n" {
			t.Errorf("it was not restored: %v", err)
		}
	}
	if there, _ := os.ReadDir(elsewhere); len(there) != 0 {
		t.Error("it was restored through a link")
	}
	repository.Write(t, filepath.Join(top, "a"), "1")
	tree, err := Stage(ctx, clone, []string{"a"})
	if err != nil || repository.Ask(t, "diff", "--name-status", head, tree) != "A\ta" {
		t.Errorf("staged is %s, %v", tree, err)
	}
}

// lfs finds objects like git-lfs: beside git's own, or linked from there in a remote on the same disk.
const lfs = `o=$(cat); d=$GIT_DIR; test ! -f "$d/commondir" || d=$(cat "$d/commondir")
test -f "$d/lfs/$o" || { mkdir -p "$d/lfs"; ln "$(git config remote.origin.url)/lfs/$o" "$d/lfs/$o"; } || {
	test "$GIT_LFS_SKIP_DOWNLOAD_ERRORS" && exec echo "$o"
	exit 2
}
cat "$d/lfs/$o"`

// A clone contains the objects of git-lfs; a missing one prevents a session's clone, but not one for reading.
func TestObjectsOfGitLFSAreInClones(t *testing.T) {
	opened(t)
	t.Setenv("GIT_CONFIG_GLOBAL", filepath.Join(t.TempDir(), "config"))
	r, err := git.Open(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	ctx := t.Context()
	repository.Write(t, ".gitattributes", "*.bin filter=lfs\n")
	repository.Write(t, "a.bin", "object")
	head := repository.Commit(t, "one")
	object := filepath.Join(r.CommonDir, "lfs", "object")
	repository.Write(t, object, "large")
	repository.Write(t, "../lfs.sh", lfs)
	repository.Ask(t, "config", "--global", "filter.lfs.smudge", "sh "+filepath.Join(filepath.Dir(r.Top), "lfs.sh"))
	repository.Ask(t, "config", "--global", "filter.lfs.required", "true")
	for _, want := range []string{"large", "object\n"} {
		top, reading := filepath.Join(t.TempDir(), "clone"), filepath.Join(t.TempDir(), "clone")
		clone, err := PrivateClone(ctx, r, Private{Top: top, GitDir: t.TempDir(), Branch: "main", Head: head})
		clone.Close()
		if there := err == nil && repository.Read(t, filepath.Join(top, "a.bin")) == want; there != (want == "large") {
			t.Errorf("want %q in a session's clone: %v", want, err)
		}
		if err := CloneAt(ctx, r, reading, head); err != nil || repository.Read(t, filepath.Join(reading, "a.bin")) != want {
			t.Errorf("want %q in a clone to read: %v", want, err)
		}
		if _, err := os.Lstat(filepath.Join(reading, ".git", "lfs")); err == nil {
			t.Error("the person's object can be written there")
		}
		_ = os.Remove(object)
	}
}
