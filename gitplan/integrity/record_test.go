//go:build unix

package integrity

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/disk"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/testdata/repository"
)

// recorded returns a scene whose state was recorded before a session.
func recorded(t *testing.T) (Target, *Record) {
	t.Helper()
	at := scene(t)
	before := at.Read()
	rec, err := at.Record(before, "a", "s-1")
	fine(t, err)
	return at, rec
}

// Links and pipes planted where git writes are removed before anything is written there, and the replaced
// file is restored if it was the repository's own.
func TestPlantedFilesAreRemoved(t *testing.T) {
	at, rec := recorded(t)
	outside := filepath.Join(t.TempDir(), "file")
	repository.Write(t, outside, "mine")
	head := repository.Read(t, ".git/HEAD")
	session(t, "ln -s '"+outside+"' .git/refs/heads/x; mkfifo .git/refs/heads/pipe; mv .git/index .git/aside; ln -s aside .git/index; mv .git/HEAD .git/h; ln -s '"+outside+"' .git/HEAD")
	changed, _, err := at.Changed(t.Context(), rec.Setup)
	if err != nil || len(changed) < 3 {
		t.Fatalf("changed: %v, %v", changed, err)
	}
	rec.Setup.RemovePlanted(at.Repo)
	for _, path := range []string{".git/refs/heads/x", ".git/refs/heads/pipe"} {
		if _, err := os.Lstat(path); !os.IsNotExist(err) {
			t.Errorf("%s is still there: %v", path, err)
		}
	}
	for _, path := range []string{".git/index", ".git/HEAD"} {
		if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
			t.Errorf("%s is not back: %v", path, err)
		}
	}
	if repository.Read(t, ".git/HEAD") != head || repository.Read(t, outside) != "mine" || repository.Ask(t, "status", "--short", "tools") != "" {
		t.Errorf("HEAD contains %q, and the file outside %q", repository.Read(t, ".git/HEAD"), repository.Read(t, outside))
	}
}

// linked returns a linked work tree of a new repository, and makes it the current folder.
func linked(t *testing.T) (top string) {
	t.Helper()
	at := scene(t)
	top = filepath.Join(filepath.Dir(at.Repo.Top), "linked")
	repository.Git(t, "", "worktree", "add", "-q", "-b", "side", top)
	for _, name := range []string{"GIT_DIR", "GIT_COMMON_DIR", "GIT_WORK_TREE"} {
		t.Setenv(name, "") // OpenHere may set them
		os.Unsetenv(name)
	}
	t.Chdir(top)
	return top
}

// After a kill the repository of a work tree is the one from before the session.
func TestRedirectedWorkTreeIsOpenedAtItsRepository(t *testing.T) {
	top := linked(t)
	at := sceneHere(t)
	before := at.Read()
	_, err := at.Record(before, "a", "s-1")
	fine(t, err)
	session(t, "git init -q ../evil; echo 'gitdir: ../evil/.git' >.git")
	opened, _, err := OpenHere(t.Context())
	fine(t, err)
	if opened.GitDir != at.Repo.GitDir || opened.CommonDir != at.Repo.CommonDir || opened.Top != top {
		t.Errorf("opened was %s of %s at %s", opened.GitDir, opened.CommonDir, opened.Top)
	}
	opened.Close()
	for _, name := range []string{"GIT_DIR", "GIT_COMMON_DIR", "GIT_WORK_TREE"} {
		os.Unsetenv(name)
	}
	session(t, "rm -rf '"+at.Repo.GitDir+"'")
	if _, _, err := OpenHere(t.Context()); !errors.Is(err, fault.ErrNoLonger) || !strings.Contains(err.Error(), "is no longer the repository of the session at step a on branch main, which was ") || !strings.Contains(err.Error(), "if that is as you want it: rm ") {
		t.Errorf("after its own was removed: %v", err)
	}
}

// A repository that was not redirected is opened normally, with a record or without.
func TestRepositoryIsOpenedNormally(t *testing.T) {
	linked(t)
	for range 2 {
		r, _, err := OpenHere(t.Context())
		fine(t, err)
		at := Target{Repo: r, Config: sceneHere(t).Config, Plan: theID, Branch: "side"}
		before := at.Read()
		_, err = at.Record(before, "a", "s-1")
		fine(t, err)
		r.Close()
	}
	t.Chdir(t.TempDir())
	if _, _, err := OpenHere(t.Context()); err == nil {
		t.Error("there is no repository here")
	}
}

// Whether the git plan of a record still runs is determined by its process, or by its lock.
func TestRunningSessionOfARecord(t *testing.T) {
	at, rec := recorded(t)
	if !rec.Live(at.Repo) {
		t.Error("we live")
	}
	rec.Start = "another start"
	if rec.Live(at.Repo) {
		t.Error("a process that began at another time lives")
	}
	lock, err := journal.Acquire(at.Repo, theID, "step")
	fine(t, err)
	if !rec.Live(at.Repo) {
		t.Error("the holder of the lock counts as dead")
	}
	lock.Release()
	if rec.Live(at.Repo) {
		t.Error("its lock is free")
	}
}

// After a kill the plan is restored on its branch, at the last tip that this clone wrote; a deleted branch
// stays deleted.
func TestPlanIsRestoredOnItsBranch(t *testing.T) {
	at, _ := recorded(t)
	one := repository.Ask(t, "rev-parse", "HEAD")
	fine(t, journal.TrustTip(at.Repo, theID, "", one))
	session(t, "git commit -q --allow-empty -m two; git update-ref refs/plans/t-1111 HEAD; git config --unset branch.main.plan")
	recs, err := Records(at.Repo) // as the next command reads it
	fine(t, err)
	rec := recs[0]
	moved, err := rec.PlanBack(t.Context(), at.Repo)
	if err != nil || len(moved) != 2 || moved[1] != "the session detached the plan from the branch" || repository.Ask(t, "config", "branch.main.plan") != theID || repository.Ask(t, "rev-parse", "refs/plans/t-1111") != one {
		t.Errorf("%q, %v", moved, err)
	}
	session(t, "git config --unset branch.main.plan; git branch -m elsewhere")
	if moved, err := rec.PlanBack(t.Context(), at.Repo); err != nil || len(moved) > 0 {
		t.Errorf("a deleted branch: %q, %v", moved, err)
	}
}

// Names of records, reviews and tasks are unique for each subject.
func TestNames(t *testing.T) {
	at := scene(t)
	other := &git.Repo{GitDir: "/other", CommonDir: "/other"}
	if RecordName(at.Repo, theID) != theID+".note" || RecordName(at.Repo, "") == RecordName(other, "") || !strings.HasPrefix(RecordName(other, ""), "review-") {
		t.Errorf("records: %s, %s", RecordName(at.Repo, theID), RecordName(other, ""))
	}
	if a, b := ReviewDir(at.Repo, "a/b"), ReviewDir(at.Repo, "a-b"); a == b || filepath.Dir(a) != filepath.Dir(b) || disk.Within(at.Repo.CommonDir, a) { // no session may write there
		t.Errorf("reviews of two branches: %s, %s", a, b)
	}
	if DuringTask("a\x1b[2J") != `the session at step a\u001b[2J` || DuringTask(journal.FixPrefix+"1") != "a session of the review" || PlanKey("x/y") != "branch.x/y.plan" {
		t.Errorf("%s; %s; %s", DuringTask("a\x1b[2J"), DuringTask(journal.FixPrefix+"1"), PlanKey("x/y"))
	}
	if dir := VerdictDir(at.Repo); strings.HasPrefix(dir, at.Repo.CommonDir) || filepath.Base(filepath.Dir(dir)) != "verdicts" {
		t.Errorf("verdicts lie in %s", dir)
	}
}
