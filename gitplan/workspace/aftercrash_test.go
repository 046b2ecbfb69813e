package workspace

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/gitplan/proc"
)

// now reads the work tree as the next command does.
func (w *world) recalls() *Workspace {
	w.Helper()
	s, err := worktree.ReadStatusIgnored(w.Context(), w.again().site.Checkout.Repo)
	fine(w.T, err)
	return At(w.site, s)
}

// A killed session's work is kept, wherever it was, and the tree is as before.
func TestCrashedWorkIsKept(t *testing.T) {
	everywhere(t, func(w *world) {
		head := w.git("rev-parse", "HEAD")
		w.begin().does("echo x >x.txt; git add x.txt; git commit -qm X; echo four >>a.txt; echo y >y.txt").gone()
		p := w.recalls()
		kept, err := p.KeepInterrupted(w.Context(), head)
		fine(w.T, err)
		w.says(w.git("ls-tree", "--name-only", kept), "a.txt\nx.txt\ny.txt")
		w.says(strings.Join(w.reported, "\n"), "the last session at step a was interrupted: what it left is kept")
		w.says(strings.Join(w.reported, "\n"), "y.txt; see it: git plan attempts show a/1")
		w.has("a.txt", "one\ntwo\nthree\n")
		w.has("y.txt", "")
		if now := w.git("rev-parse", "HEAD"); now != head {
			w.Errorf("HEAD is at %s", now)
		}
		w.site.Checkout.Task().Forget() // as a caller does, after the event that names what is kept
		if _, err := Ready(w.Context(), w.site); err != nil {
			w.Error(err)
		}
	})
}

// The same if an older git plan recorded that the sessions worked in a clone.
func TestCrashedWorkOfAnOlderGitPlanIsKept(t *testing.T) {
	w := newWorld(t, "plan.isolation", "clone")
	task := w.begin().does("echo x >x.txt")
	task.state.InClone = true
	fine(t, task.state.Record(t.Context(), task.Checkout))
	kept, err := w.recalls().KeepInterrupted(t.Context(), w.git("rev-parse", "HEAD"))
	fine(t, err)
	w.says(w.git("ls-tree", "--name-only", kept), "a.txt\nx.txt")
}

// A commit that the person made since is not removed from the branch.
func TestPersonsCommitSinceTheCrashStays(t *testing.T) {
	w := newWorld(t)
	head := w.git("rev-parse", "HEAD")
	w.begin().does("echo y >y.txt").gone()
	w.git("commit", "-q", "--allow-empty", "-m", "mine")
	kept, err := w.recalls().KeepInterrupted(t.Context(), head)
	fine(t, err)
	w.says(w.git("ls-tree", "--name-only", kept), "a.txt\ny.txt")
	w.says(w.git("log", "-1", "--format=%s"), "mine")
}

// A kill while a kept attempt is applied to the tree, or removed from it, leaves part of it there: the next
// command names the whole attempt, and keeps that part with whatever was changed since.
func TestRestoring(t *testing.T) {
	w := newWorld(t)
	first := w.with("mine.txt", "mine\n").begin().does("echo four >>a.txt; echo new >new.txt; echo other >other.txt")
	ref, err := first.Keep(t.Context(), checkout.Ending{Interrupted: true, Reason: "interrupted"})
	fine(t, err)
	fine(t, first.recordRestoring(t.Context(), ref))
	w.with("new.txt", "new\n").with("other.txt", "edited since\n")
	kept, err := w.recalls().KeepInterrupted(t.Context(), w.git("rev-parse", "HEAD"))
	fine(t, err)
	w.says(kept, ref)
	w.has("new.txt", "")
	w.has("mine.txt", "mine\n")
	w.says(strings.Join(w.reported, "\n"), "what it left is kept, with whatever was changed since: ")
	w.says(strings.Join(w.reported, "\n"), "see it: git plan attempts show a/2")
	w.says(w.git("show", "refs/plan-attempts/"+w.site.Checkout.Doc.ID+"/a/2:other.txt"), "edited since")
}

// finishes completes a commit that was about to be made.
func (w *world) finishes() error {
	w.Helper()
	p := w.recalls()
	p.LoadState(w.Context())
	_, err := p.FinishCommit(w.Context(), func() (string, error) {
		err := p.Commit(w.Context(), "", &proc.Tail{})
		return p.Committed(w.Context()), err
	})
	return err
}

// A commit that was about to be made in the work tree is made from the index.
func TestCommitIsCompleted(t *testing.T) {
	w := newWorld(t)
	task := w.begin().does("echo x >x.txt; echo four >>a.txt")
	left, _ := task.left()
	tree, err := worktree.Stage(w.Context(), task.Tree(), left.Paths())
	fine(w.T, err)
	fine(w.T, task.NoteCommit(t.Context(), tree, "A step\n"))
	task.gone()
	fine(w.T, w.finishes())
	w.says(w.git("log", "-1", "--format=%s"), "A step")
	w.has("x.txt", "x\n")
	w.says(w.git("status", "--porcelain"), "")
}

// Work that passed in a clone is kept with its message, even if it was in the work tree already, and edited there: that is
// as before, and the edit is kept, too.
func TestWorkThatWaitsInACloneIsKept(t *testing.T) {
	w := newWorld(t, "plan.isolation", "clone")
	task := w.begin().does("echo x >x.txt; echo four >>a.txt")
	left, _ := task.left()
	tree, err := worktree.Stage(t.Context(), task.Tree(), left.Paths())
	fine(t, err)
	fine(t, task.NoteCommit(t.Context(), tree, "A step\n"))
	task.state.Phase = checkout.Landing
	fine(t, task.state.Record(t.Context(), task.Checkout))
	fine(t, worktree.PutTree(t.Context(), w.site.Checkout.Repo, "HEAD", tree))
	fine(t, os.WriteFile(filepath.Join(w.dir, "a.txt"), []byte("mine\n"), 0o644))
	task.gone()
	p := w.recalls()
	kept, err := p.KeepInterrupted(t.Context(), w.git("rev-parse", "HEAD"))
	fine(t, err)
	w.says(w.git("log", "-1", "--format=%B", kept), "it passed its checks, and waited to be committed\n\nA step")
	w.says(w.git("rev-parse", kept+"^{tree}"), tree)
	w.says(w.git("show", "refs/plan-attempts/"+w.site.Checkout.Doc.ID+"/a/1:a.txt"), "mine")
	w.has("a.txt", "one\ntwo\nthree\n")
	if !p.Before.Clean() {
		t.Errorf("not clean: %v", p.Before.Paths())
	}
}

// After a kill before anything was put into the work tree, nothing of that is kept.
func TestUntouchedWorkTreeIsNotKept(t *testing.T) {
	w := newWorld(t, "plan.isolation", "clone")
	task := w.begin().does("echo x >x.txt")
	left, _ := task.left()
	tree, err := worktree.Stage(t.Context(), task.Tree(), left.Paths())
	fine(t, err)
	fine(t, task.NoteCommit(t.Context(), tree, "A step\n"))
	task.state.Phase = checkout.Landing
	fine(t, task.state.Record(t.Context(), task.Checkout))
	task.gone()
	kept, err := w.recalls().KeepInterrupted(t.Context(), w.git("rev-parse", "HEAD"))
	fine(t, err)
	if all := w.git("for-each-ref", "--format=%(refname)", "refs/plan-attempts/"); all != kept {
		t.Errorf("%s is kept, want %s", all, kept)
	}
}

// A tree that is missing since is not committed.
func TestMissingTree(t *testing.T) {
	everywhere(t, func(w *world) {
		task := w.begin()
		fine(w.T, task.NoteCommit(w.Context(), strings.Repeat("1", 40), "A step\n"))
		task.gone()
		w.says(reasonOf(w.T, w.finishes()), "the tree that passed its checks is gone")
	})
}

// Work that passed in a clone waits while another branch is checked out, and can be kept.
func TestPassedWorkIsKept(t *testing.T) {
	w := newWorld(t, "plan.isolation", "clone")
	task := w.begin().does("echo x >x.txt")
	left, _ := task.left()
	tree, err := worktree.Stage(t.Context(), task.Tree(), left.Paths())
	fine(t, err)
	fine(t, task.NoteCommit(t.Context(), tree, "A step\n"))
	task.gone()
	p := w.recalls()
	p.LoadState(w.Context())
	kept, err := p.KeepPassed(t.Context())
	fine(t, err)
	w.says(w.git("log", "-1", "--format=%B", kept), "it passed its checks, and waited to be committed\n\nA step")
	w.site.Checkout.Task().Forget()
	if _, err := Ready(t.Context(), w.site); err != nil {
		t.Error(err)
	}
}

// A task that began in another work tree left nothing in this one.
func TestTaskOfAnotherWorkTree(t *testing.T) {
	w := newWorld(t)
	task := w.with("mine.txt", "mine\n").begin()
	task.state.Top = t.TempDir()
	fine(t, task.state.Record(t.Context(), task.Checkout))
	kept, err := w.recalls().KeepInterrupted(t.Context(), "")
	fine(t, err)
	w.says(kept, "")
	w.has("mine.txt", "mine\n")
	w.says(strings.Join(w.reported, "\n"), "what it left is in "+task.state.Top)
}
