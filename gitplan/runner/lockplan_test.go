package runner

import (
	"context"
	"strings"
	"testing"
	"time"
)

// The plan's text is locked by one process, and an editor waits meanwhile; then it is unlocked.
func TestPlanIsLocked(t *testing.T) {
	w := newWorld(t)
	release, err := w.site.LockPlan(t.Context())
	fine(t, err)
	inner, err := w.site.LockPlan(t.Context()) // by the same process: it holds the lock
	fine(t, err)
	inner()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	other := &Runner{Checkout: w.site.Checkout}
	if _, err := other.LockPlan(ctx); err == nil {
		t.Error("it is locked twice")
	}
	release()
	release, err = other.LockPlan(t.Context())
	fine(t, err)
	release()
}

// A ref of the plan that a session moved is restored; one that this program moved is not.
func TestPlanIsRestored(t *testing.T) {
	w := newWorld(t)
	release, err := w.site.LockPlan(t.Context())
	fine(t, err)
	defer release()
	ref := "refs/plans/" + w.site.Checkout.Doc.ID
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
	w.site.Checkout.Store.ExpectTip(w.site.Checkout.Doc.ID, w.git("rev-parse", "HEAD"))
	if moved, err := w.site.PlanBack(t.Context()); err != nil || moved != nil {
		t.Errorf("%v %v", moved, err)
	}
}

// Several sessions hold the lock together: it is released when the last one is done.
func TestPlanIsLockedByAllSessions(t *testing.T) {
	w := newWorld(t)
	first, err := w.site.LockPlan(t.Context())
	fine(t, err)
	second, err := w.site.LockPlan(t.Context())
	fine(t, err)
	first()
	first() // once is enough
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := (&Runner{Checkout: w.site.Checkout}).LockPlan(ctx); err == nil {
		t.Error("one of two is still running")
	}
	second()
	last, err := (&Runner{Checkout: w.site.Checkout}).LockPlan(t.Context())
	fine(t, err)
	last()
}
