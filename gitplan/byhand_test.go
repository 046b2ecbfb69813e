package gitplan

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/workspace"
)

const byHand = "- [ ] Make a {#a}\n  - Check: `test -f a.txt`\n- [ ] Make b {#b}\n  - Needs: #a\n"

// next opens the next step for a person, who gets what a session would get.
func (w *walker) next(name string) *walker {
	w.Helper()
	step, noted, err := w.Next(w.Context(), name)
	w.Fine(err)
	if !strings.Contains(noted, "Step: "+step.ID+"\n") {
		w.Errorf("a person is sent\n%s", noted)
	}
	return again(w.World)
}

// notDone fails the test unless done fails with an error of this kind and text, and the index is unchanged.
func (w *walker) notDone(kind error, says string) {
	w.Helper()
	before := w.Git("status", "--porcelain")
	_, _, err := w.Done(w.Context(), "")
	w.Refused(err, kind, says)
	if after := w.Git("status", "--porcelain"); after != before {
		w.Errorf("git status was\n%s\nand is\n%s", before, after)
	}
}

// A person who works without an agent reads what a session would read, and the step ends the same way:
// checked, committed, ticked. Earlier changes are not part of it.
func TestStepByHand(t *testing.T) {
	w := newWalker(t, byHand, does)
	w.Write("mine.txt", "mine\n")
	w = w.next("")
	if _, _, err := w.Next(t.Context(), ""); err != nil || w.events("a") != "started" {
		t.Errorf("reported again: %v, %s", err, w.events("a"))
	}
	_, _, err := w.Next(t.Context(), "b")
	w.Refused(err, fault.ErrOpenByNext, "step a was opened by git plan next")
	_, _, err = w.Done(t.Context(), "b")
	w.Refused(err, fault.ErrOpenByNext, "step a was opened by git plan next, not b")
	w.Write("a.txt", "by hand\n")
	w.Write("README", "changed\n")
	step, out, err := w.Done(t.Context(), "a")
	w.Fine(err)
	if step.ID != "a" || out.Commit != w.Head() || w.Git("show", "--format=", "--name-only") != "README\na.txt" {
		t.Errorf("it committed %s", w.Git("show", "--format=%B", "--name-only"))
	}
	if got := w.Git("status", "--porcelain"); got != "?? mine.txt" || w.last().By != journal.ByPerson || w.sessions() > 0 {
		t.Errorf("git status is %q, the event %+v", got, w.last())
	}
	w.is("a done, b open")
	_, _, err = w.Done(t.Context(), "")
	w.Refused(err, fault.ErrNotOpen, "no step was opened by git plan next")
}

// An unfinished step is not committed: it stays open, and the index is the person's.
func TestStepByHandThatIsNotDone(t *testing.T) {
	w := newWalker(t, byHand, does).next("")
	w.notDone(fault.ErrChecksFailed, "`test -f a.txt`") // nothing was changed
	w.Write("b.txt", "staged\n")
	w.Git("add", "b.txt")
	w.Write("b.txt", "and not\n")
	w.Write("c.txt", "new\n")
	w.notDone(fault.ErrChecksFailed, "`test -f a.txt`")
	w.Write("a.txt", "a\n")
	w.Guard = func(context.Context, *checkout.Checkout, *plan.Step, workspace.Changeset) (workspace.Guarded, error) {
		return workspace.Guarded{Failing: []string{"the guard says no"}}, nil
	}
	w.notDone(fault.ErrChecksFailed, "the guard says no")
	w.Guard = allows
	w.unapprove()
	w = again(w.World)
	w.notDone(fault.ErrUnapproved, "")
	w.is("a running, b open")
}

// What a check changes in files that the person committed is committed, too.
func TestACheckFormatsWhatAPersonCommitted(t *testing.T) {
	w := newWalker(t, "- [ ] Make a {#a}\n  - Check: `echo formatted > a.txt`\n", does).next("")
	mine := w.Commit("a.txt", "a\n")
	_, out, err := w.Done(t.Context(), "")
	w.Fine(err)
	if out.Commit != w.Head() || w.Git("rev-parse", "HEAD^") != mine || w.Git("show", "HEAD:a.txt") != "formatted" {
		t.Errorf("%s is the step's commit: %s", out.Commit, w.Git("log", "-p", "-2"))
	}
}

// Commits that the person made are the step's work as they are; without any, and without a command
// that could show it done, nothing was done.
func TestAStepByHandThatIsCommitted(t *testing.T) {
	w := newWalker(t, "- [ ] Make a {#a}\n  - Action: create\n  - Files: a.txt\n", does).next("")
	w.notDone(fault.ErrNothingDone, "nothing was changed, and step a has no command that could show that it is done")
	w.Commit("b.txt", "b\n")
	w.notDone(fault.ErrChecksFailed, "the step is to create a.txt, and it did not")
	w.Write("c.txt", "c\n")
	w.notDone(fault.ErrChecksFailed, "the step is to create a.txt, and it did not")
	w.Fine(os.Remove("c.txt"))
	mine := w.Commit("a.txt", "a\n")
	_, out, err := w.Done(t.Context(), "")
	w.Fine(err)
	if out.Commit != mine || w.Head() != mine {
		t.Errorf("it committed %s over %s", w.Head(), mine)
	}
	w.is("a done")
}

// A step that needs no change is done by its checks, without a commit.
func TestStepByHandThatNeedsNothing(t *testing.T) {
	w := newWalker(t, "- [ ] Make a {#a}\n  - Check: `test -f README`\n", does).next("")
	_, out, err := w.Done(t.Context(), "")
	w.Fine(err)
	if out.Commit != journal.None {
		t.Errorf("its commit is %s", out.Commit)
	}
	w.is("a done")
}

// A dropped step is open for sessions again; changes in the tree stay.
func TestStepIsDropped(t *testing.T) {
	for file, left := range map[string]bool{"": false, "a.txt": true} {
		w := newWalker(t, byHand, does).next("")
		if file != "" {
			w.Write(file, "half\n")
		}
		open, some, err := w.Drop(t.Context())
		w.Fine(err)
		if open != "a" || some != left || left && w.Read("a.txt") != "half\n" {
			t.Errorf("dropped %s; something is left: %t", open, some)
		}
		_, _, err = w.Drop(t.Context())
		w.Refused(err, fault.ErrNotOpen, "no step was opened by git plan next")
		w.is("a open, b open")
	}
}

// An opened step can end only while the plan contains it, and the steps that it needs are done.
func TestStepByHandThatCannotEnd(t *testing.T) {
	w := newWalker(t, twoSteps+"  - Needs: #a\n", does)
	w.steps("")
	w = again(w.World).next("")
	err := w.Checkout.SetState(t.Context(), "reopened", "", "a")
	w.Fine(err)
	w = again(w.World)
	w.notDone(fault.ErrNotEndable, "step b needs a first")
	w.Happens(w.Worker.Runner, journal.Event{Kind: journal.Edited, By: journal.ByPerson, Head: journal.None}, func(text []byte) ([]byte, error) {
		return []byte(strings.Replace(string(text), "{#b}", "{#other}", 1)), nil
	})
	w = again(w.World)
	w.notDone(fault.ErrNotEndable, "the plan has no step b any more")
}

// If git plan is killed while it ends a step by hand, the index is left staged: the next command restores the
// person's, unless they have used it since.
func TestIndexAfterAKill(t *testing.T) {
	for name, use := range map[string]bool{"as it was": false, "used since": true} {
		w := newWalker(t, byHand, does).next("")
		w.Write("a.txt", "a\n")
		w.Write("README", "changed\n")
		saved := w.savedIndex()
		w.Write(saved, w.Read(w.Checkout.Repo.GitDir+"/index")) // as judgeOwn stores it
		w.Git("add", "-A")
		p := workspace.At(w.Worker.Runner, w.status())
		p.LoadState(t.Context())
		_, err := p.NoteCommit(t.Context(), w.Git("write-tree"), "Make a\n")
		w.Fine(err)
		if use {
			w.Write("more.txt", "more\n")
			w.Git("add", "more.txt")
		}
		w = again(w.World)
		_, _, err = w.Drop(t.Context())
		w.Fine(err)
		staged := w.Git("diff", "--cached", "--name-only")
		if want := map[bool]string{false: "", true: "README\na.txt\nmore.txt"}[use]; staged != want {
			t.Errorf("%s: staged is %q, want %q", name, staged, want)
		}
		if _, err := os.Stat(saved); err == nil {
			t.Errorf("%s: the saved index still exists", name)
		}
	}
}
