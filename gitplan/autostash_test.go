package gitplan

import (
	"errors"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/integrity"
	"github.com/git-plan/git-plan/gitplan/journal"
)

// stashed does the next step with --autostash, and returns the error.
func (w *walker) stashed(asked bool) error {
	w.Helper()
	return w.around(asked, func() error {
		_, _, err := w.Step(w.Context(), "")
		return err
	})
}

// around stashes the person's changes before do, and restores them after it.
func (w *walker) around(asked bool, do func() error) error {
	stash, err := w.Autostash(w.Context(), asked)
	if err != nil {
		return err
	}
	err = do()
	return errors.Join(err, w.Unstash(w.Context(), stash))
}

// edited leaves one staged change of the person's, and one that is not staged.
func (w *walker) edited() {
	w.Write("README", "staged\n")
	w.Git("add", "README")
	w.Write("README", "staged\nand not\n")
}

// The person's changes are set aside during a step, and then restored, in the index and in the tree.
func TestChangesAreSetAside(t *testing.T) {
	w := newWalker(t, twoSteps, "cp README a.txt")
	w.edited()
	before := w.Git("status", "--porcelain")
	w.Fine(w.stashed(true))
	if w.Git("show", "HEAD:a.txt") != "read me" || w.Read("README") != "staged\nand not\n" || w.Git("show", ":README") != "staged" {
		t.Errorf("README is %q, staged %q", w.Read("README"), w.Git("show", ":README"))
	}
	if after := w.Git("status", "--porcelain"); after != before || w.Git("stash", "list") != "" || w.Git("for-each-ref", "refs/plan-attempts") != "" {
		t.Errorf("git status was %q and is %q", before, after)
	}
	if w.Said(journal.StepNote) != "your changes are back in the tree" {
		t.Errorf("it said %s", w.Said(journal.StepNote))
	}
	w.is("a done, b open")
}

// Without --autostash changes stop the step, and without changes nothing is set aside.
func TestNothingIsSetAside(t *testing.T) {
	w := newWalker(t, twoSteps, does)
	w.Fine(w.stashed(true))
	if w.Said(journal.StepNote) != "" {
		t.Errorf("it said %s", w.Said(journal.StepNote))
	}
	w.edited()
	w.Refused(w.stashed(false), fault.ErrSetAside, "not committed: README")
	failed := errors.New("failed")
	if err := w.around(true, func() error { return failed }); !errors.Is(err, failed) || w.Read("README") != "staged\nand not\n" {
		t.Errorf("after an error: %v, README is %q", err, w.Read("README"))
	}
}

// A conflict with a step's changes of the same lines: the files contain both, and the stash is kept.
func TestChangesConflict(t *testing.T) {
	w := newWalker(t, twoSteps, "echo session >README")
	w.Write("README", "mine\n")
	err := w.stashed(true)
	w.Refused(err, fault.ErrStashConflict, "your changes conflict with the new commits; not merged: README; git's stash has them, too, as stash@{0}")
	if text := w.Read("README"); !strings.Contains(text, "mine") || !strings.Contains(text, "session") || w.Git("show", "stash@{0}:README") != "mine" {
		t.Errorf("README is\n%s", text)
	}
	w = again(w.World)
	w.Refused(w.stashed(true), fault.ErrUnmerged, "not merged: README")
}

// Changes that cannot be applied at all go to git's stash; the tree is what was committed.
func TestChangesDoNotFit(t *testing.T) {
	w := newWalker(t, twoSteps, "mkdir new; echo theirs >new/file")
	w.Write("new", "mine\n")
	w.Git("add", "new")
	err := w.stashed(true)
	w.Refused(err, fault.ErrStashed, "your changes do not apply to the new commits; they are not in the tree, but in git's stash, as stash@{0}")
	if w.Git("show", "stash@{0}:new") != "mine" || w.Git("show", "refs/plan-attempts/"+w.Plan+"/_autostash/1:new") != "mine" || w.Git("show", "HEAD:new/file") != "theirs" {
		t.Error("one of the two was lost")
	}
}

// A killed run leaves the changes set aside: the next one, with or without --autostash, restores them at its
// end, and what a session left is settled first.
func TestKilledWhileSetAside(t *testing.T) {
	for left, want := range map[bool]string{false: "a", true: "half\na"} {
		w := newWalker(t, twoSteps, does)
		w.edited()
		_, err := w.stash(t.Context())
		w.Fine(err)
		if left {
			w.killed(started)
		}
		w = again(w.World)
		w.Fine(w.stashed(false))
		if w.Read("README") != "staged\nand not\n" || w.Git("show", ":README") != "staged" || w.Git("show", "HEAD:a.txt") != want {
			t.Errorf("README is %q", w.Read("README"))
		}
		if left := checkout.Stashed(w.Checkout, w.Plan); left.Commit != "" || w.Git("for-each-ref", "refs/plan-attempts/*/_autostash") != "" {
			t.Errorf("%s is noted still", left.Commit)
		}
		for _, id := range []string{"of-another", "another"} {
			w.Fine(journal.NotesWithin(w.Checkout.Repo, "set-aside").Note(id + "-" + integrity.RecordName(w.Checkout.Repo, "")).Save(checkout.Stash{}))
		}
		if got := strings.Join(checkout.StashedPlans(w.Checkout), " "); got != "another of-another" {
			t.Errorf("set aside for %s", got)
		}
	}
}

// If the stash is no longer in the repository, that is reported, and the step is done.
func TestTheStashIsGone(t *testing.T) {
	w := newWalker(t, twoSteps, does)
	w.edited()
	_, err := w.stash(t.Context())
	w.Fine(err)
	w.Git("update-ref", "-d", "refs/plan-attempts/"+w.Plan+"/_autostash/1")
	w.Git("gc", "-q", "--prune=now")
	w = again(w.World)
	w.Fine(w.stashed(false))
	if w.Said(journal.StepNote) != "the changes that --autostash set aside are no longer in the repository" {
		t.Errorf("it said %s", w.Said(journal.StepNote))
	}
	w.is("a done, b open")
}

// Changes that git cannot stash are not set aside, and that is reported.
func TestUnstashableChanges(t *testing.T) {
	w := newWalker(t, twoSteps, does)
	w.Write("new.txt", "new\n")
	w.Git("add", "-N", "new.txt")
	w.Refused(w.stashed(true), fault.ErrNotAside, "git stash would not bring these files back, so nothing is set aside: new.txt")
	if w.Read("new.txt") != "new\n" {
		t.Error("new.txt was lost")
	}
}
