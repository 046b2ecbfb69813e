package workspace

import (
	"errors"
	"testing"

	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
)

// follows rebases a session's work onto commits made meanwhile.
func (t *task) follows() error {
	t.Helper()
	left, reason := t.left()
	t.says(reason, "")
	tree, err := worktree.Stage(t.Context(), t.Tree(), left.Paths())
	fine(t.T, err)
	return t.Rebase(t.Context(), t.git("rev-parse", "work"), tree, "A step\n")
}

// The work of a session in a clone is rebased onto commits made on its branch meanwhile, and judged there.
func TestRebasedOntoOtherCommits(t *testing.T) {
	w := newWorld(t, "plan.isolation", "clone")
	task := w.begin().does("echo four >>a.txt")
	w.git("commit", "-q", "--allow-empty", "-m", "of others")
	write(t, w.dir, "b.txt", "b\n")
	w.git("add", "b.txt")
	w.git("commit", "-q", "-m", "more of others")
	fine(t, task.follows())
	w.says(task.commits(), "")
	if got := w.git("log", "--format=%s", "main..work"); got != "A step\nmore of others\nof others" {
		t.Errorf("commits: %s", got)
	}
	w.has("a.txt", "one\ntwo\nthree\nfour\n")
	w.has("b.txt", "b\n")
}

// If both changed the same lines, or in the work tree itself, a fresh workspace is needed: nothing is changed
// here.
func TestNotRebased(t *testing.T) {
	w := newWorld(t, "plan.isolation", "clone")
	task := w.begin().does("echo four >>a.txt")
	write(t, w.dir, "a.txt", "one\ntwo\nthree\nfive\n")
	w.git("commit", "-qam", "of others")
	if err := task.follows(); !errors.Is(err, fault.ErrMovedBranch) {
		t.Errorf("%v", err)
	}
	w.has("a.txt", "one\ntwo\nthree\nfive\n")

	w = newWorld(t)
	task = w.begin()
	if err := task.Rebase(t.Context(), "", "", ""); !errors.Is(err, fault.ErrMovedBranch) {
		t.Errorf("%v", err)
	}
}
