package checkout

import (
	"testing"

	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/integrity"
	"github.com/git-plan/git-plan/gitplan/journal"
)

// git renames the key with the branch; the plan's text follows with the next event.
func TestRenamedBranchKeepsItsPlan(t *testing.T) {
	w := newWorld(t)
	w.plan()
	w.git("branch -m work renamed", "branch work")
	c := w.load()
	if c.Doc.Plan.Branch != "work" || c.Doc.Renamed != "renamed" {
		t.Fatalf("the plan is that of %q, renamed to %q", c.Doc.Plan.Branch, c.Doc.Renamed)
	}
	w.happens(c, journal.Event{Kind: journal.Edited}, nil)
	if c = w.load(); c.Doc.Plan.Branch != "renamed" || c.Doc.Renamed != "" {
		t.Errorf("after an event the plan is that of %q, renamed to %q", c.Doc.Plan.Branch, c.Doc.Renamed)
	}
}

// git copies the key with the branch, but the plan still belongs to the original branch.
func TestCopiedBranchHasNoPlan(t *testing.T) {
	w := newWorld(t)
	id := w.plan()
	refused(t, w.open().RequireNoPlan(t.Context()), fault.ErrPlanExists, "branch work already has plan "+id)

	w.git("branch -c work copy", "switch -q copy")
	c := w.open()
	refused(t, c.Load(t.Context()), fault.ErrCopied, "branch copy is a copy of work, to which plan "+id+" belongs")
	fine(t, c.RequireNoPlan(t.Context()))

	doc, err := c.Store.Load(t.Context(), id)
	fine(t, err)
	refused(t, c.RequireOwnPlan(t.Context(), doc), fault.ErrCopied, "plan "+id+" belongs to branch work")
}

// A plan without a branch can be attached to another one, which its next event records; but not to a base
// branch, where no step would run.
func TestPlanIsAttachedToAnotherBranch(t *testing.T) {
	w := newWorld(t)
	id := w.plan()
	w.git("switch -q main", "branch -q -D work")
	c := w.open()
	doc, err := c.Store.Load(t.Context(), id)
	fine(t, err)
	refused(t, c.RequireOwnPlan(t.Context(), doc), fault.ErrProtected, "steps never run on main")

	w.git("switch -q -c other")
	c = w.open()
	fine(t, c.RequireNoPlan(t.Context()), c.RequireOwnPlan(t.Context(), doc), c.Attach(t.Context(), id))
	if c = w.load(); c.Doc.ID != id || c.Doc.Renamed != "other" || c.Attached()["other"] != id {
		t.Errorf("branch other has plan %s, renamed to %s; attached: %v", c.Doc.ID, c.Doc.Renamed, c.Attached())
	}
}

// Dropping a plan removes everything that names it, and returns its last value.
func TestDrop(t *testing.T) {
	w := newWorld(t)
	id := w.plan()
	w.git("branch -c work copy")
	c := w.load()
	fine(t, integrity.Approve(c.Repo, id, c.Doc.Plan.Source))

	lock, err := journal.Acquire(c.Repo, id, "step")
	fine(t, err)
	_, err = c.Drop(t.Context(), id)
	refused(t, err, fault.ErrBusy, "git plan step")
	lock.Release()

	tip, err := c.Drop(t.Context(), id)
	fine(t, err)
	if tip != c.Doc.Tip {
		t.Errorf("it was at %s, want %s", tip, c.Doc.Tip)
	}
	if _, err := c.Repo.Resolve(t.Context(), journal.RefPrefix+id); err == nil || git.Code(err) == 0 {
		t.Error("the plan is still there")
	}
	if left := w.open().Attached(); len(left) > 0 {
		t.Errorf("still attached: %v", left)
	}
	if marked := journal.MarkAttached.Plans(c.Repo); len(marked) > 0 {
		t.Errorf("still marked: %v", marked)
	}
	_, err = c.Drop(t.Context(), id)
	refused(t, err, fault.ErrPlanGone, "there is no plan "+id)
}
