package site

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/git-plan/git-plan/gitplan/fault"
)

// What was not committed is kept under the next number, which is never given again: a message
// that names an attempt names no other one later.
func TestAttemptsHaveNumbers(t *testing.T) {
	w := newWorld(t)
	tree := w.git("rev-parse", "HEAD^{tree}")
	keep := func(name, reason string) string {
		ref, err := w.site.KeepTree(t.Context(), tree, []string{w.git("rev-parse", "HEAD")}, name, reason)
		fine(t, err)
		return ref
	}
	id := w.site.Doc.ID
	if ref := keep("a", "the check fails"); ref != "refs/plan-attempts/"+id+"/a/1" {
		t.Error(ref)
	}
	keep("a", "again\nwith more")
	keep("b", "b, too")
	all, err := Attempts(t.Context(), w.site.Checkout, "a")
	fine(t, err)
	if len(all) != 2 || all[0].Name != "a/1" || all[1].Name != "a/2" || all[1].Reason != "again" || time.Since(all[0].Time) > time.Hour {
		t.Errorf("%+v", all)
	}
	names, err := AttemptNames(t.Context(), w.site.Checkout)
	fine(t, err)
	w.says(strings.Join(names, " "), "a/1 a/2 b/1")

	gone, err := PruneAttempts(t.Context(), w.site.Checkout, time.Hour)
	fine(t, err)
	if len(gone) != 0 {
		t.Errorf("pruned: %+v", gone)
	}
	gone, err = PruneAttempts(t.Context(), w.site.Checkout, 0)
	fine(t, err)
	if len(gone) != 3 {
		t.Errorf("pruned: %+v", gone)
	}
	if ref := keep("a", "later"); !strings.HasSuffix(ref, "/a/3") {
		t.Error(ref)
	}
}

// An attempt is found by its name or its ref, and a command shows it.
func TestAnAttemptIsFound(t *testing.T) {
	w := newWorld(t)
	ref, err := w.site.KeepCommit(t.Context(), w.git("rev-parse", "HEAD"), "a")
	fine(t, err)
	for _, name := range []string{"a/1", ref} {
		k, err := FindAttempt(t.Context(), w.site.Checkout, name)
		fine(t, err)
		w.says(k.Reason, "undone: first")
	}
	if _, err := FindAttempt(t.Context(), w.site.Checkout, "a/2"); !errors.Is(err, fault.ErrUnknownAttempt) {
		t.Errorf("%v", err)
	}
	w.says(HowToSee(w.site.Checkout, ref), "git plan attempts show a/1")
	w.site.Doc = nil
	w.says(HowToSee(w.site.Checkout, "refs/plan-attempts/none/x/1"), "git diff refs/plan-attempts/none/x/1^ refs/plan-attempts/none/x/1")
	w.git("config", "--remove-section", "branch.work")
	names, err := AttemptNames(t.Context(), w.again0(t))
	if err != nil || names != nil {
		t.Errorf("%v %v", names, err)
	}
}

// What passed its checks and was kept only for its base has the message of its commit.
func TestWhatPassedHasItsMessage(t *testing.T) {
	w := newWorld(t)
	for reason, message := range map[string]string{
		PassedReason + "\n\nA fix\n\nPlan-Review: x/round-2": "A fix",
		"the check fails\n\nA fix":                           "",
	} {
		ref, err := w.site.KeepTree(t.Context(), w.git("rev-parse", "HEAD^{tree}"), nil, "_review/2", reason)
		fine(t, err)
		kept, err := w.site.Repo.ReadCommit(t.Context(), ref)
		fine(t, err)
		if got := RepairMessage(kept); got != message {
			t.Errorf("%q", got)
		}
	}
}

// The plan's text is held by one, and whoever types meanwhile waits; then it is free again.
func TestThePlanIsHeld(t *testing.T) {
	w := newWorld(t)
	release, err := w.site.LockPlan(t.Context())
	fine(t, err)
	inner, err := w.site.LockPlan(t.Context()) // by the same site: it has it
	fine(t, err)
	inner()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	other := &Site{Checkout: w.site.Checkout}
	if _, err := other.LockPlan(ctx); err == nil {
		t.Error("it is held twice")
	}
	release()
	release, err = other.LockPlan(t.Context())
	fine(t, err)
	release()
}

// A ref of the plan that a session moved is put back; where this program has moved it itself is
// where it stays.
func TestThePlanIsPutBack(t *testing.T) {
	w := newWorld(t)
	release, err := w.site.LockPlan(t.Context())
	fine(t, err)
	defer release()
	ref := "refs/plans/" + w.site.Doc.ID
	tip := w.git("rev-parse", ref)
	w.git("update-ref", ref, "HEAD")
	moved, err := w.site.PlanBack(t.Context())
	fine(t, err)
	w.says(strings.Join(moved, ""), "the session moved the plan to "+w.git("rev-parse", "HEAD"))
	w.says(w.git("rev-parse", ref), tip)
	w.git("update-ref", "-d", ref)
	moved, err = w.site.PlanBack(t.Context())
	fine(t, err)
	w.says(strings.Join(moved, ""), "the session deleted the plan")
	w.git("update-ref", ref, "HEAD")
	w.site.Store.Expect(w.site.Doc.ID, w.git("rev-parse", "HEAD"))
	if moved, err := w.site.PlanBack(t.Context()); err != nil || moved != nil {
		t.Errorf("%v %v", moved, err)
	}
}

// Several that work at once hold it together: it is free when the last is done with it.
func TestThePlanIsHeldByAll(t *testing.T) {
	w := newWorld(t)
	first, err := w.site.LockPlan(t.Context())
	fine(t, err)
	second, err := w.site.LockPlan(t.Context())
	fine(t, err)
	first()
	first() // once is enough
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := (&Site{Checkout: w.site.Checkout}).LockPlan(ctx); err == nil {
		t.Error("one of two is still at work")
	}
	second()
	last, err := (&Site{Checkout: w.site.Checkout}).LockPlan(t.Context())
	fine(t, err)
	last()
}

// What a kept attempt waited for is read from its message, and what a session said of the same kind is not.
func TestWhatAKeptAttemptWaitedFor(t *testing.T) {
	w := newWorld(t)
	tree, head := w.git("rev-parse", "HEAD^{tree}"), w.git("rev-parse", "HEAD")
	for _, row := range []struct {
		reason, message  string
		unjudged, killed bool
	}{
		{"the check fails", "", false, false},
		{PassedReason + "\n\nAdd a\n\nPlan-Step: a", "Add a\n\nPlan-Step: a", false, false},
		{FinishedReason + "\n\nAdd a", "Add a", true, false},
		{KilledReason, "", false, true},
		{"it says: " + PassedReason + "\n\nAdd a", "", false, false},
		{"the check fails\n\n" + FinishedReason + "\n\nAdd a", "", false, false},
	} {
		ref, err := w.site.KeepTree(t.Context(), tree, []string{head}, "a", row.reason)
		fine(t, err)
		kept, err := w.site.Repo.ReadCommit(t.Context(), ref)
		fine(t, err)
		if PassedMessage(kept) != row.message || Unjudged(kept) != row.unjudged || Killed(kept) != row.killed {
			t.Errorf("%q: %q, unjudged %v, killed %v", row.reason, PassedMessage(kept), Unjudged(kept), Killed(kept))
		}
	}
	ref := "refs/plan-attempts/" + w.site.Doc.ID + "/a/1"
	w.says(DescribeAside(w.site.Checkout, ref, []string{"b c.txt"}), "left out, since the step does not name it: b c.txt. If you changed it after git plan was killed: git plan attempts restore a/1 'b c.txt'")
	w.says(HowToRestore(w.site.Checkout, ref, make([]string, 7)), "git plan attempts restore a/1 FILE")
}
