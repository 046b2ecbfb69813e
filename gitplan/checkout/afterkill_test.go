package checkout

import (
	"errors"
	"os"
	"testing"

	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/integrity"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/proc"
)

// killed records the state before a session, runs the session, and forgets the git plan that ran it. plan is
// "" for a review.
func (w *world) killed(plan string, session func()) {
	w.Helper()
	c := w.open()
	scene := integrity.Target{Repo: c.Repo, Config: c.Config, Plan: plan, Branch: c.Branch}
	before := scene.Read()
	rec, err := scene.Record(before, "a", "s-1")
	fine(w.T, err)
	session()
	rec.PID, rec.Start = 0, ""
	fine(w.T, journal.NotesOf(c.Repo, "set-ups").Note(integrity.RecordName(c.Repo, plan)).Save(rec))
}

// A session whose git plan was killed changed what git executes: that is reported once, none of it is run,
// and a person must approve the plan again.
func TestAfterAKillTheConfigurationIsCompared(t *testing.T) {
	w := newWorld(t)
	id := w.plan()
	c := w.load()
	fine(t, integrity.Approve(c.Repo, id, c.Doc.Plan.Source), c.RequireApproval())
	w.killed(id, func() { w.git("config core.pager evil") })

	c = w.load()
	refused(t, c.AfterKill(t.Context()), fault.ErrSetupUnseen, "tampering: changed during the session: ")
	refused(t, integrity.Trusted(t.Context(), w.load().Repo), fault.ErrSetupUnseen, "(core.pager) changed during the session at step a on branch work")
	fine(t, w.load().AfterKill(t.Context())) // once
	c = w.load()
	refused(t, c.RequireApproval(), fault.ErrSetupUnseen, "core.pager")
	if note := c.Task().State(); note.Name != "a" || note.Session != "s-1" || len(note.Changed) == 0 {
		t.Errorf("noted is %+v", note)
	}

	w.happens(c, journal.Event{Kind: journal.Approved, By: journal.ByPerson}, nil)
	fine(t, integrity.Approve(c.Repo, id, c.Doc.Plan.Source), c.RequireApproval(), integrity.Trusted(t.Context(), c.Repo), c.AfterKill(t.Context()))
}

// The state file of the session's task is kept, with what changed.
func TestAfterAKillTheTaskStateIsKept(t *testing.T) {
	w := newWorld(t)
	id := w.plan()
	c := w.load()
	fine(t, c.Task().Note().Save(TaskState{Name: "a", Session: "s-1", Head: "h"}))
	w.killed(id, func() { w.write(".gitplan/config", "[plan]\n") })
	refused(t, w.load().AfterKill(t.Context()), fault.ErrSetupUnseen, ".gitplan/config")
	if note := w.load().Task().State(); note.Head != "h" || len(note.Changed) == 0 {
		t.Errorf("noted is %+v", note)
	}
}

// Refs of plans are restored, which needs no approval.
func TestAfterAKillThePlanIsRestored(t *testing.T) {
	w := newWorld(t)
	id := w.plan()
	before := w.git("rev-parse refs/plans/" + id)
	w.killed(id, func() { w.git("update-ref refs/plans/"+id+" HEAD", "config --unset branch.work.plan") })
	err := w.open().AfterKill(t.Context())
	refused(t, err, fault.ErrSetupChanged, "tampering: the session moved the plan")
	refused(t, err, fault.ErrSetupChanged, "the session detached the plan from the branch")
	if errors.Is(err, fault.ErrSetupUnseen) {
		t.Error("a person has to look at it")
	}
	if now := w.git("rev-parse refs/plans/" + id); now != before || w.records() > 0 {
		t.Errorf("the plan is at %s, want %s", now, before)
	}
	fine(t, w.load().AfterKill(t.Context()))

	w.killed(id, func() { w.git("update-ref -d refs/plans/"+id, "config core.pager evil") })
	refused(t, w.open().AfterKill(t.Context()), fault.ErrSetupUnseen, "; the session ")
	if now := w.git("rev-parse refs/plans/" + id); now != before {
		t.Errorf("the plan is at %s, want %s", now, before)
	}
}

// A record without a change is removed; a running session's is left alone, and inside a session nothing is
// compared.
func TestAfterAKillNothingChanged(t *testing.T) {
	w := newWorld(t)
	id := w.plan()
	w.killed(id, func() {})
	fine(t, w.open().AfterKill(t.Context()))
	if left := w.records(); left > 0 {
		t.Errorf("%d records are left", left)
	}

	w.killed("", func() { w.git("config core.pager evil") }) // a review's
	t.Setenv(proc.EnvDepth, "1")
	fine(t, w.open().AfterKill(t.Context()))
	t.Setenv(proc.EnvDepth, "")
	c := w.open()
	lock, err := journal.Acquire(c.Repo, integrity.ReviewLock(c.Repo.GitDir), "review")
	fine(t, err, c.AfterKill(t.Context()))
	lock.Release()
	err = w.open().AfterKill(t.Context())
	refused(t, err, fault.ErrSetupChanged, "core.pager")
	if left := w.records(); left > 0 {
		t.Errorf("%d records of a review are left", left)
	}
}

// records counts the records of sessions.
func (w *world) records() int {
	w.Helper()
	left, err := integrity.Records(w.open().Repo)
	fine(w.T, err)
	return len(left)
}

// Under Landlock a session can remove the permission to read what it must leave alone: then nothing is
// opened, and no git is run that could execute what it configured.
func TestAfterAKillUnreadableFilesStopEverything(t *testing.T) {
	w := newWorld(t)
	id := w.plan()
	w.killed(id, func() { w.git("config core.pager evil") })
	c := w.open()
	dir := journal.NotesOf(c.Repo, "set-ups").Dir
	fine(t, os.RemoveAll(dir), os.WriteFile(dir, nil, 0)) // root can read a folder without permissions
	_, err := Open(t.Context())
	for _, err := range []error{err, c.AfterKill(t.Context()), integrity.Trusted(t.Context(), c.Repo)} {
		refused(t, err, fault.ErrSetupChanged, "chmod -R u+rwX")
	}
	t.Setenv(proc.EnvDepth, "1") // a session may not read them
	w.open()
}
