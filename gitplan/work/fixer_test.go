package work

import (
	"os"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/workspace"
	"github.com/git-plan/git-plan/testdata/world"
)

// round is the first round of a review.
var round = journal.FixName(1)

// The work of an interrupted fixer is continued if the branch has not moved; that of a failed one is not.
func TestWorkOfAnInterruptedFixer(t *testing.T) {
	s := newShop(t, "echo half >>a.txt; echo >.git/here; sleep 60")
	out, err := s.worksUntil(s.until(".git/here"), s.fix("true"))
	s.Fine(err)
	s.ended(out, agent.Cancelled, journal.Interrupted)
	s.Set("planAgent.m.command", "echo whole >>a.txt; exit 1")
	s = reopened(s.World)
	left := KeptByFixer(t.Context(), s.Runner.Checkout, round, s.Head())
	if left.Commit == nil || left.Ref != out.Kept || left.Message != "" {
		t.Fatalf("of an interrupted fixer it is %+v", left)
	}
	if other := KeptByFixer(t.Context(), s.Runner.Checkout, journal.FixName(2), s.Head()); other.Commit != nil {
		t.Errorf("another round's is %+v", other)
	}
	task := s.fix("true")
	task.Kept, task.Attempts = left, 1
	out = s.works(task)
	if got := s.Git("show", out.Kept+":a.txt"); got != "half\nwhole" || !strings.Contains(s.Said(journal.StepNote), "continues from the last fixer's work") {
		t.Errorf("it left %q", got)
	}
	if left = KeptByFixer(t.Context(), s.Runner.Checkout, round, s.Head()); left.Commit != nil {
		t.Errorf("of a failed fixer it is %+v", left)
	}
}

// An interrupted fixer's work belongs to the commit that it worked on.
func TestWorkOfAFixerOnAnotherCommit(t *testing.T) {
	s := newShop(t, "echo half >README; echo >.git/here; sleep 60")
	out, err := s.worksUntil(s.until(".git/here"), s.fix())
	s.Fine(err)
	s.Commit("b.txt", "b\n")
	s = reopened(s.World)
	if left := KeptByFixer(t.Context(), s.Runner.Checkout, round, s.Head()); left.Commit != nil {
		t.Errorf("it is %+v", left)
	}
	s.Commit("README", "conflicts\n")
	task := s.fix("false")
	task.Kept, task.Attempts = KeptBy(t.Context(), s.Checkout, out.Kept), 1
	task.Agent = Shell{Command: "cp README seen.txt"}
	out = s.works(task)
	if seen := s.Git("show", out.Kept+":seen.txt"); seen != "conflicts" || !strings.Contains(s.Said(journal.StepNote), "starts over: the last session's work conflicts with newer commits") {
		t.Errorf("it began with %q", seen)
	}
	task.Kept.Commit = nil
	s.works(task)
	if said := s.Said(journal.StepNote); !strings.Contains(said, "starts over: the last fixer's work is kept; see it: git plan attempts show "+round) {
		t.Errorf("it said\n%s", said)
	}
}

// killed leaves the state of a git plan that was killed while a session of a task wrote a file.
func killed(w *world.World, name, file string) {
	w.Helper()
	p, err := workspace.Ready(w.Context(), w.Open())
	w.Fine(err, p.RecordUserFiles(w.Context(), name))
	p.RecordSession(w.Context(), "session-1-abc", checkout.Working)
	w.Write(file, "half\n")
}

// A killed fixer's work is kept, and the tree is as before: files that existed already, untracked, are the
// person's.
func TestKilledFixerIsRecovered(t *testing.T) {
	s := newShop(t, "true")
	s.Write("mine.txt", "mine\n")
	killed(s.World, round, "a.txt")
	s = reopened(s.World)
	s.Fine(s.RecoverFix(t.Context()))
	if got := s.Git("status", "--porcelain"); got != "?? mine.txt" {
		t.Errorf("git status is %q", got)
	}
	if left := KeptByFixer(t.Context(), s.Runner.Checkout, round, s.Head()); left.Commit == nil || s.Git("show", left.Ref+":a.txt") != "half" {
		t.Errorf("the next fixer begins with %+v", left)
	}
	if s.Checkout.Task().State().Name != "" {
		t.Error("the task is still recorded")
	}
	if err := s.RecoverFix(t.Context()); err != nil || len(s.Git("for-each-ref", "refs/plan-attempts")) == 0 {
		t.Errorf("once more: %v", err)
	}
}

// A killed step is not the review's to recover, and a committed fix is finished.
func TestNothingToRecover(t *testing.T) {
	s := newShop(t, "true")
	killed(s.World, "a", "a.txt")
	s = reopened(s.World)
	if err := s.RecoverFix(t.Context()); err != nil || s.Checkout.Task().State().Name != "a" || s.Read("a.txt") != "half\n" {
		t.Errorf("of a step: %v, %+v", err, s.Checkout.Task().State())
	}
	s.Fine(os.Remove("a.txt"))
	s.Runner.Checkout.Task().Forget()
	p, err := workspace.Ready(t.Context(), s.Runner)
	s.Fine(err, p.RecordUserFiles(t.Context(), round))
	s.Write("a.txt", "whole\n")
	s.Git("add", "a.txt")
	_, err = p.NoteCommit(t.Context(), s.Git("write-tree"), "Fix it\n")
	s.Fine(err)
	s.Git("commit", "-q", "-m", "Fix it")
	s = reopened(s.World)
	if err := s.RecoverFix(t.Context()); err != nil || s.Checkout.Task().State().Name != "" || s.Git("for-each-ref", "refs/plan-attempts") != "" {
		t.Errorf("of a commit: %v, %+v", err, s.Checkout.Task().State())
	}
}

// Without a plan a fixer's state file belongs to the work tree. On another branch the files may be the
// person's work there: nothing is cleared away.
func TestKilledFixerOfAnotherBranch(t *testing.T) {
	w := world.New(t)
	w.Git("switch", "-q", "-c", "topic")
	killed(w, round, "a.txt")
	w.Git("switch", "-q", "-c", "other")
	s := reopened(w)
	s.Refused(s.RecoverFix(t.Context()), fault.ErrFixElsewhere, "a fixer on branch topic was interrupted")
	if s.Read("a.txt") != "half\n" {
		t.Error("a file in the tree was lost")
	}
	w.Git("switch", "-q", "topic")
	s = reopened(w)
	if err := s.RecoverFix(t.Context()); err != nil || s.Read("a.txt") != "" {
		t.Errorf("on its own branch: %v, a.txt is %q", err, s.Read("a.txt"))
	}
	if s.Git("for-each-ref", "refs/plan-attempts") == "" {
		t.Error("nothing is kept")
	}
	w.Clean()
}

// A fix that passed its checks in a clone, while the person changed a file, waits. The next fixer of its round commits
// it without a session, once: the person may have reverted it.
func TestFixWaits(t *testing.T) {
	s := newShop(t, "true")
	s.Agent("m", "echo fine >a.txt; echo mine >>'"+s.Dir+"/README'")
	s.Set("plan.isolation", "clone")
	s = reopened(s.World)
	head := s.Head()
	_, err := s.worksUntil(t.Context(), s.fix("test -f a.txt"))
	s.Refused(err, fault.ErrSetAside, "the session's work waits for the next review")
	s.Git("checkout", "README")
	s = reopened(s.World)
	s.Fine(s.RecoverFix(t.Context()))
	left := KeptByFixer(t.Context(), s.Runner.Checkout, round, head)
	if left.Commit == nil || !strings.HasPrefix(left.Message, "Fix it") {
		t.Fatalf("it waited as %+v", left)
	}
	task := s.fix("test -f a.txt")
	task.Kept = left
	s.Saw = nil
	out := s.works(task)
	s.ended(out, agent.Done, "")
	if s.Count(journal.SessionStart) != 0 || s.Count(journal.CheckEnd) != 1 || s.Git("log", "-1", "--format=%s") != "Fix it" {
		t.Errorf("%d sessions, %d checks; the branch is\n%s", s.Count(journal.SessionStart), s.Count(journal.CheckEnd), s.Git("log", "-2", "--format=%s"))
	}
	if left := KeptByFixer(t.Context(), s.Runner.Checkout, round, head); left.Commit != nil {
		t.Errorf("it is still kept as %+v", left)
	}
}
