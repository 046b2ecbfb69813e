package gitplan

import (
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/workspace"
)

// The points at which git plan can be killed in a step.
const (
	started   = "while a session works"
	between   = "between two attempts"
	checked   = "before git commit"
	committed = "after git commit"
	nameless  = "after a commit that a hook gave another message"
)

// killed leaves the state of a git plan that was killed at step a, whose session wrote a.txt.
func (w *walker) killed(when string) {
	w.Helper()
	p, err := workspace.Ready(w.Context(), w.Worker.Runner)
	w.Fine(err, p.RecordUserFiles(w.Context(), "a"))
	w.happens(journal.Event{Kind: journal.Started, Steps: []string{"a"}, Attempt: 1, Tree: w.Git("rev-parse", "HEAD^{tree}")})
	p.RecordSession(w.Context(), "a-1-abc", checkout.Working)
	w.Write("a.txt", "half\n")
	if when == started {
		return
	}
	if when == between {
		w.happens(journal.Event{Kind: journal.Failed, Steps: []string{"a"}, Attempt: 1, Reason: "a check failed"})
		return
	}
	w.Git("add", "a.txt")
	tree, message := w.Git("write-tree"), "Made a\n\nPlan-Step: "+w.Plan+"/a\n"
	_, err = p.NoteCommit(w.Context(), tree, message)
	w.Fine(err)
	w.happens(journal.Event{Kind: journal.Checked, Steps: []string{"a"}, Attempt: 1, Tree: tree, Agent: "m"})
	if when == nameless {
		message = "Something\n"
	}
	if when != checked {
		w.Git("commit", "-q", "-m", message)
	}
}

// Wherever git plan was killed, the next step continues there: from the session's work, or, if that had
// passed its checks, with the commit itself and without a session.
func TestKilledInAStep(t *testing.T) {
	for when, c := range map[string]struct {
		sessions int
		text     string // of a.txt, as committed
		events   string
	}{
		started:  {1, "half\na", "started failed started checked done"},
		between:  {1, "half\na", "started failed failed started checked done"},
		checked:  {0, "half", "started checked done"},
		nameless: {0, "half", "started checked done"},
	} {
		t.Run(when, func(t *testing.T) {
			w := newWalker(t, twoSteps, does)
			w.Write("mine.txt", "mine\n")
			w.killed(when)
			w = again(w.World)
			step, _ := w.steps("a")
			if step != "a" || w.sessions() != c.sessions || w.Git("show", "HEAD:a.txt") != c.text || w.events("a") != c.events {
				t.Errorf("it did %s in %d sessions; a.txt is %q; the events are %s", step, w.sessions(), w.Git("show", "HEAD:a.txt"), w.events("a"))
			}
			w.is("a done, b open")
			if got := w.Git("status", "--porcelain"); got != "?? mine.txt" || w.Git("rev-list", "--count", "main..") != "1" {
				t.Errorf("git status is %q", got)
			}
			if w.Checkout.Task().State().Name != "" {
				t.Error("the task is still recorded")
			}
		})
	}
}

// A step whose commit exists is done: only its tick is missing, and the next step begins.
func TestKilledAfterTheCommit(t *testing.T) {
	w := newWalker(t, twoSteps, does)
	w.killed(committed)
	w = again(w.World)
	if w.Checkout.SessionsTree() {
		t.Error("the tree still belongs to a session")
	}
	if step, _ := w.steps(""); step != "b" || w.sessions() != 1 || w.events("a") != "started checked done" {
		t.Errorf("it did %s in %d sessions; of a it says %s", step, w.sessions(), w.events("a"))
	}
	w.is("a done, b done")
}

// A killed session's work is kept; --clean starts over, and the attempt after the failed one gets the next
// number.
func TestKilledAndStartedOver(t *testing.T) {
	for when, attempt := range map[string]int{started: 1, between: 2} {
		w := newWalker(t, "- [ ] Make a {#a}\n- [ ] Make b {#b}\n", does)
		w.killed(when)
		w = again(w.World)
		w.Steps.Clean = true
		_, out := w.steps("")
		if out.Attempts != attempt || w.Git("show", "HEAD:a.txt") != "a" {
			t.Errorf("%s: attempt %d committed %q", when, out.Attempts, w.Git("show", "HEAD:a.txt"))
		}
		if kept := w.Git("for-each-ref", "--format=%(refname)", "refs/plan-attempts"); w.Git("show", kept+":a.txt") != "half" {
			t.Errorf("%s: %s is not what was left", when, kept)
		}
		if said := w.Said(journal.StepNote); !strings.Contains(said, "the last session at step a was interrupted: what it left is kept, with whatever was changed since: a.txt; see it: git plan attempts show a/1") {
			t.Errorf("%s: it said %s", when, said)
		}
	}
}

// Work that had passed its checks is committed only where it passed: if the branch has moved, the next
// session continues from it.
func TestKilledBeforeACommitAndTheBranchMoved(t *testing.T) {
	w := newWalker(t, twoSteps, does)
	w.killed(checked)
	w.Git("commit", "-q", "-m", "hers", "--only", "--allow-empty")
	w = again(w.World)
	w.steps("a")
	if w.sessions() != 1 || w.Git("show", "HEAD:a.txt") != "half\na" || w.Git("log", "--format=%s", "main..") != "Make a\nhers" {
		t.Errorf("%d sessions; the branch is\n%s", w.sessions(), w.Git("log", "--format=%s", "main.."))
	}
}

// A ref of a task is written before its record: killed in between, no step would remove it.
func TestKilledBeforeTheRecordOfATask(t *testing.T) {
	w := newWalker(t, twoSteps, does)
	w.Git("update-ref", checkout.TaskRefs+w.Checkout.Doc.ID, "HEAD")
	w.Fine(w.KeepUnfinished(w.Context()))
	if left := w.Git("for-each-ref", checkout.TaskRefs); left != "" {
		t.Errorf("left: %s", left)
	}
}

// A plan's events from elsewhere cause no commit: only this clone's own records do.
func TestFetchedEventsCauseNoCommit(t *testing.T) {
	w := newWalker(t, twoSteps, does)
	w.killed(checked)
	w.Runner.Checkout.Task().Forget()
	w = again(w.World)
	w.cannot("", fault.ErrSetAside, "not committed: a.txt")
	if w.Git("rev-list", "--count", "main..") != "0" {
		t.Error("something was committed")
	}
}

// A step that a person reopened after a kill begins again, and the killed session's work is kept; a done step
// is finished, whatever its record says.
func TestReopenedAfterAKill(t *testing.T) {
	w := newWalker(t, twoSteps, does)
	w.killed(started)
	err := again(w.World).Checkout.SetState(t.Context(), "reopened", "", "a")
	w.Fine(err)
	w = again(w.World)
	w.steps("a")
	w.is("a done, b open")
	if kept := w.Git("for-each-ref", "--format=%(refname)", "refs/plan-attempts"); w.Git("show", kept+":a.txt") != "half" {
		t.Errorf("%s is not what was left", kept)
	}
}

// A person who works by hand decides about a killed session's work: step clears it away, next does not.
func TestNextAfterAKill(t *testing.T) {
	w := newWalker(t, twoSteps, does)
	w.killed(started)
	w = again(w.World)
	_, _, err := w.Next(t.Context(), "")
	w.Refused(err, fault.ErrUnfinished, "the session at step a was interrupted; its work is in the tree")
	if w.Read("a.txt") != "half\n" {
		t.Error("a file in the tree was lost")
	}
}

// A step that passed in a clone waits while the person's changes are in the way, and is applied on top of the
// person's commit, without a session.
func TestStepWaitsInItsClone(t *testing.T) {
	w := newWalker(t, twoSteps, "true")
	w.Git("config", "planAgent.m.command", does+"; test -f '"+w.Dir+"/.git/typed' || echo mine >>'"+w.Dir+"/README'; echo >>'"+w.Dir+"/.git/typed'")
	w.Set("plan.isolation", "clone")
	w = again(w.World)
	w.cannot("", fault.ErrSetAside, "the session's work waits for the next step")
	w.Git("commit", "-q", "-a", "-m", "hers")
	w = again(w.World)
	step, _ := w.steps("")
	if step != "a" || w.sessions() != 0 || w.Git("log", "--format=%s", "main..") != "Make a\nhers" {
		t.Errorf("it did %s in %d sessions; the branch is\n%s", step, w.sessions(), w.Git("log", "--format=%s", "main.."))
	}
	w.is("a done, b open")
}
