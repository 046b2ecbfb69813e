package doctor

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/git-plan/git-plan/gitplan/attempts"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/progress"
)

// examined looks at the clone, as git plan doctor does, or doctor --fix.
func (w *world) examined(fix bool) []Symptom {
	w.Helper()
	found, err := ExamineClone(w.Context(), w.open(), fix)
	fine(w.T, err)
	return found
}

// note writes what is noted of the task under way at a plan.
func (w *world) note(plan string, note checkout.TaskState) {
	w.Helper()
	data, err := journal.EncodeNote(note)
	fine(w.T, err, checkout.TaskNote(w.open().Repo, plan, "").Write(data))
}

func TestNothingIsLeft(t *testing.T) {
	w := newWorld(t)
	w.plan("work")
	found := w.examined(true)
	says(t, found, "locks", "ok none is left over")
	says(t, found, "sessions", "ok none was interrupted")
	says(t, found, "plans", "ok 1, each with its branch")
	says(t, found, "attempts", "ok none older than 30 days")
	says(t, found, "autostash")
}

// A key that names a plan which is gone is taken away, and others stay.
func TestABranchWhosePlanIsGone(t *testing.T) {
	w := newWorld(t)
	id := w.plan("work")
	w.git("config branch.main.plan gone-1234", "config branch.never.plan gone-1234")
	says(t, w.examined(false), "plans", "- branch main names plan gone-1234, which is gone => git plan doctor --fix removes that key; the branch has no plan either way")
	if bound := w.git("config branch.main.plan"); bound != "gone-1234" {
		t.Errorf("without --fix the key is %q", bound)
	}
	says(t, w.examined(true), "plans", "- branch main names plan gone-1234, which is gone => that key was removed")
	if got := w.open().Attached(); got["main"] != "" || got["work"] != id {
		t.Errorf("attached is %v", got)
	}
	says(t, w.examined(true), "plans", "ok 1, each with its branch")
}

// A plan without a branch says why, and what can be done with it.
func TestAPlanWithoutABranch(t *testing.T) {
	w := newWorld(t)
	gone, replaced := w.plan("gone"), w.plan("replaced")
	other := w.plan("other")
	w.git("switch -q main", "branch -q -D gone", "config branch.replaced.plan "+other)
	fix := " => git plan drop %[1]s removes it; git plan attach %[1]s gives it to a branch that has none"
	found := w.examined(false)
	want := []string{fmt.Sprintf("- %s has no branch: gone is gone"+fix, gone), fmt.Sprintf("- %s has no branch: replaced has another plan"+fix, replaced)}
	if gone > replaced {
		want[0], want[1] = want[1], want[0]
	}
	says(t, found, "plans", want...)

	for _, c := range []struct {
		what     string
		branches map[string]string
		has      bool
	}{
		{"its branch has its key", map[string]string{"work": "p"}, true},
		{"its branch has no key, and will find it", map[string]string{"work": ""}, true},
		{"its branch was renamed", map[string]string{"renamed": "p"}, true},
		{"its branch is gone", map[string]string{"main": ""}, false},
		{"its branch has another plan", map[string]string{"work": "q"}, false},
	} {
		if found := orphan(progress.PlanEvents{Plan: "p", Branch: "work"}, c.branches); (len(found) == 0) != c.has {
			t.Errorf("%s: %v", c.what, found)
		}
	}
}

// A git plan that died leaves its note; who is at work has one, too.
func TestTheLockOfTheDead(t *testing.T) {
	w := newWorld(t)
	id := w.plan("work")
	c := w.open()
	lock, err := journal.Acquire(c.Repo, id, "run")
	fine(t, err)
	says(t, w.examined(true), "locks", "ok none is left over")
	lock.Release()

	note := journal.LockPath(c.Repo, id) + ".json"
	w.write(note, `{"pid": 99999999, "command": "run"}`, 0o600)
	says(t, w.examined(false), "locks", "- git plan run (pid 99999999) died at plan "+id+" => git plan doctor --fix removes its note; so does the next git plan step")
	says(t, w.examined(true), "locks", "- git plan run (pid 99999999) died at plan "+id+" => its note was removed")
	if _, err := os.Stat(note); err == nil {
		t.Error("the note is still there")
	}
}

// A lock file of git that nobody can need any more is for a person to remove.
func TestTheLocksOfGit(t *testing.T) {
	w := newWorld(t)
	id := w.plan("work")
	top := w.open().Repo.Top
	long := time.Date(2001, 2, 3, 4, 5, 0, 0, time.Local)
	var want []string
	for _, name := range []string{"index.lock", "HEAD.lock", "config.lock", "packed-refs.lock", "refs/plans/" + id + ".lock"} {
		path := filepath.Join(top, ".git", filepath.FromSlash(name))
		w.write(path, "", 0o600)
		want = append(want, fmt.Sprintf("WRONG %s has been there since 2001-02-03 04:05 => if no git is running here: rm '%s'", path, path))
	}
	says(t, w.examined(true), "locks", "ok none is left over") // a git may be at work
	for _, name := range want {
		path := strings.Fields(name)[1]
		fine(t, os.Chtimes(path, long, long))
	}
	says(t, w.examined(true), "locks", want...)
}

// A kind of symptom that a clone is full of is cut short.
func TestTooMuchOfOneKind(t *testing.T) {
	w := newWorld(t)
	for i := range mostSymptoms + 3 {
		w.git(fmt.Sprintf("branch b%d", i), fmt.Sprintf("config branch.b%d.plan gone-%d", i, i))
	}
	found := w.examined(false)
	last := found[mostSymptoms+2]
	if n := len(found); last.About != "plans" || last.Text != "and 3 more" || n != mostSymptoms+1+3 {
		t.Errorf("%d symptoms, the last of plans is %+v", n, last)
	}
}

// Attempts that were kept for more than a month are counted, with the command that removes
// them.
func TestOldAttempts(t *testing.T) {
	w := newWorld(t)
	other := w.plan("other")
	w.git("switch -q main")
	own := w.plan("work")
	attempt := func(plan, name string, age time.Duration) {
		t.Helper()
		t.Setenv("GIT_COMMITTER_DATE", time.Now().Add(-age).Format(time.RFC3339))
		w.git("update-ref " + journal.AttemptPrefix + plan + "/" + name + " " + w.git("commit-tree -m "+plan+"/"+name+" HEAD^{tree}"))
	}
	attempt(own, "a/1", 31*24*time.Hour)
	attempt(own, "a/2", 40*24*time.Hour)
	attempt(own, "a/3", 29*24*time.Hour)
	attempt(other, "a/1", 31*24*time.Hour)
	attempt("gone-1234", "a/1", 31*24*time.Hour)
	found := map[string]string{}
	for _, s := range w.examined(false) {
		if s.About == "attempts" {
			found[s.Text] = s.Fix
		}
	}
	prune := "git plan attempts prune"
	for plan, want := range map[string]string{own: prune, other: "on branch other: " + prune,
		"gone-1234": "git for-each-ref --format='delete %(refname)' refs/plan-attempts/gone-1234/ | git update-ref --stdin"} {
		n := 1
		if plan == own {
			n = 2
		}
		if text := fmt.Sprintf("%d of plan %s are older than 30 days", n, plan); found[text] != want {
			t.Errorf("%s: got %q, want %q", text, found[text], want)
		}
	}
	if len(found) != 3 {
		t.Errorf("found %v", found)
	}
}

// What --autostash set aside is kept until a step restores it.
func TestWhatIsSetAside(t *testing.T) {
	w := newWorld(t)
	id := w.plan("work")
	c := w.open()
	data, err := journal.EncodeNote(attempts.Stash{Commit: w.git("rev-parse HEAD"), Kept: "refs/plan-attempts/x/_autostash/1"})
	fine(t, err, attempts.StashNote(c, id).Write(data))
	want := "- your changes, set aside for plan " + id + ", are kept as refs/plan-attempts/x/_autostash/1 => on branch work: the next git plan step or run brings them back at its end"
	says(t, w.examined(true), "autostash", want)
	lock, err := journal.Acquire(c.Repo, id, "step")
	fine(t, err)
	says(t, w.examined(true), "autostash") // its step is at work
	lock.Release()
}
