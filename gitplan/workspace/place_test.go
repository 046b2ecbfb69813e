package workspace

import (
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
)

// A session's work is committed in the work tree, as one commit, and nothing else is.
func TestSessionsWorkIsCommitted(t *testing.T) {
	everywhere(t, func(w *world) {
		task := w.begin().does("echo four >>a.txt; mkdir -p sub; echo new >sub/new.txt")
		w.says(task.commits(), "")
		w.has("a.txt", "one\ntwo\nthree\nfour\n")
		w.has("sub/new.txt", "new\n")
		if got := w.git("log", "--format=%s", "main..work"); got != "A step" {
			w.Errorf("commits: %s", got)
		}
		if got := w.git("status", "--porcelain"); got != "" {
			w.Errorf("left: %s", got)
		}
	})
}

// Work that failed is kept under a ref, the tree is restored, and a later session can continue from it.
func TestFailedWorkIsKept(t *testing.T) {
	everywhere(t, func(w *world) {
		task := w.begin().does("echo four >>a.txt; echo new >new.txt; rm -f b.txt")
		if diff, err := task.DiffSoFar(w.Context()); err != nil || !strings.Contains(diff, "+four") || !strings.Contains(diff, "+new") {
			w.Errorf("%v %s", err, diff)
		}
		ref, err := task.Keep(w.Context(), checkout.Ending{Reason: "the check fails"})
		fine(w.T, err)
		w.site.Checkout.Task().Forget()
		task.gone()
		w.has("a.txt", "one\ntwo\nthree\n")
		w.has("new.txt", "")
		w.says(w.git("log", "-1", "--format=%B", ref), "the check fails")

		next := w.again().begin()
		kept, err := w.site.Checkout.Repo.ReadCommit(w.Context(), ref)
		fine(w.T, err)
		fine(w.T, next.PutKept(w.Context(), ref, kept))
		w.says(next.commits(), "")
		w.has("new.txt", "new\n")
	})
}

// An attempt without changes is kept under no ref.
func TestEmptyAttemptIsNotKept(t *testing.T) {
	everywhere(t, func(w *world) {
		ref, err := w.begin().Keep(w.Context(), checkout.Ending{Reason: "it failed"})
		fine(w.T, err)
		w.says(ref, "")
	})
}

// The session's own commits are squashed into one.
func TestOwnCommitsAreSquashed(t *testing.T) {
	everywhere(t, func(w *world) {
		task := w.begin().does("echo x >x.txt; git add x.txt; git commit -qm 'I did x'; echo y >y.txt; git add y.txt; git commit -qm 'and y'")
		left, reason := task.left()
		w.says(reason, "")
		w.says(strings.TrimSpace(left.Folded), "and y")
		w.says(task.commits(), "")
		if got := w.git("log", "--format=%s", "main..work"); got != "A step" {
			w.Errorf("commits: %s", got)
		}
	})
}

// A workspace needs a clean tree, and a clone is for one task at a time.
func TestReady(t *testing.T) {
	w := newWorld(t, "plan.isolation", "clone")
	task := w.begin().does("echo x >x.txt")
	task.gone()
	if _, err := Ready(t.Context(), w.again().site); err == nil || !strings.Contains(err.Error(), "neither kept nor committed") {
		t.Errorf("%v", err)
	}
	w.site.Checkout.Task().Forget()
	task.Workspace = At(w.site, &worktree.Status{})
	w.git("rm", "-q", "--cached", "a.txt")
	if _, err := Ready(t.Context(), w.site); err == nil || !strings.Contains(err.Error(), "not committed: a.txt") {
		t.Errorf("%v", err)
	}
	w.git("reset", "-q")
	if _, err := Ready(t.Context(), w.site); err != nil {
		t.Error(err)
	}
}
