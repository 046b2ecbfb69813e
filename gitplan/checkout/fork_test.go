package checkout

import (
	"testing"

	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/integrity"
)

// A copied branch gets its own plan, with what is done and approved; after that the plans are independent.
func TestFork(t *testing.T) {
	w := newWorld(t)
	id := w.plan()
	commit := w.does("a")
	old := w.load()
	fine(t, integrity.Approve(old.Repo, id, old.Doc.Plan.Source))
	w.git("branch -c work copy", "switch -q copy")

	doc, err := w.open().Fork(t.Context(), "")
	fine(t, err)
	c := w.load()
	if c.Doc.ID != doc.ID || doc.ID == id || c.Doc.Plan.Branch != "copy" || c.Doc.Plan.Base != "main" {
		t.Errorf("branch copy has plan %s of branch %s on %s", c.Doc.ID, c.Doc.Plan.Branch, c.Doc.Plan.Base)
	}
	if st := c.Progress.Steps["a"]; states(c) != "a done, b open" || st.Commit != commit || st.Summary != "did a" {
		t.Errorf("the fork has %s; step a: %+v", states(c), st)
	}
	fine(t, c.RequireApproval())
	w.does("b")
	if c := w.load(); states(c) != "a done, b done" {
		t.Errorf("on the copy %s", states(c))
	}
	w.git("switch -q work")
	if c := w.load(); c.Doc.ID != id || states(c) != "a done, b open" {
		t.Errorf("on work plan %s has %s", c.Doc.ID, states(c))
	}
}

// A plan that cannot be forked is refused before anything is stored.
func TestForkRefuses(t *testing.T) {
	w := newWorld(t)
	w.git("switch -q -c none")
	_, err := w.open().Fork(t.Context(), "")
	refused(t, err, fault.ErrNoPlan, "branch none has no plan to fork")
	_, err = w.open().Fork(t.Context(), "gone-1234")
	refused(t, err, fault.ErrPlanGone, "gone-1234")

	id := w.plan()
	w.git("switch -q main")
	c := w.open()
	_, err = c.Fork(t.Context(), id)
	refused(t, err, fault.ErrProtected, "steps never run on main")

	w.git("switch -q work")
	w.git("update-ref refs/plans/" + id + " " + w.git("commit-tree refs/plans/"+id+"^{tree} -p refs/plans/"+id+" -m x"))
	w.git("switch -q -c other")
	_, err = w.open().Fork(t.Context(), id)
	refused(t, err, fault.ErrUnapproved, "")
	if plans, err := c.Plans(t.Context()); err != nil || len(plans) != 1 {
		t.Errorf("%d plans are stored: %v", len(plans), err)
	}
}
