package checkout

import (
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/progress"
)

// A step is done as long as its commit is on the branch, under any id.
func TestCommitThatIsGone(t *testing.T) {
	w := newWorld(t)
	w.plan()
	first := w.does("a")
	w.git("commit -q --amend --no-edit --date 2001-01-01T00:00:00Z")
	amended := w.git("rev-parse HEAD")
	if st := w.load().Progress.Steps["a"]; st.State != progress.StateDone || st.Commit != amended {
		t.Errorf("amended: %+v", st)
	}
	w.git("reset -q --hard HEAD~")
	st := w.load().Progress.Steps["a"]
	if st.State != progress.StateReopened || st.Commit != first || st.Pull != "" {
		t.Errorf("reset: %+v, want the commit %s", st, first)
	}
}

// A step done in another clone is reopened only until its commit is pulled.
func TestCommitThatIsNotPulled(t *testing.T) {
	for _, c := range []struct {
		name         string
		git          []string // in the clone that lacks the commit
		pull, reason string
	}{
		{"the upstream has it", []string{"fetch -q"}, "git pull", "is on origin/work, not here"},
		{"a remote branch that is not the upstream has it", []string{"fetch -q", "branch -q --unset-upstream"}, "git pull origin work", "is on origin/work, not here"},
		{"it is not fetched yet", nil, "git pull", "is not in this clone"},
		{"it is not fetched yet, and nothing is the upstream", []string{"branch -q --unset-upstream"}, "git pull origin work", "is not in this clone"},
		{"no remote is left to pull from", []string{"remote remove origin"}, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			w.plan()
			clone := w.clone("work")
			clone.load() // which attaches the plan
			commit := w.does("a")
			clone.git(append(c.git, "fetch -q "+w.dir+" +refs/plans/*:refs/plans/*")...)

			st := clone.load().Progress.Steps["a"]
			if st.State != progress.StateReopened || st.Commit != commit || st.Pull != c.pull || !strings.Contains(st.Reason, c.reason) {
				t.Errorf("got %+v, want commit %s to be pulled by %q, since it %s", st, commit, c.pull, c.reason)
			}
			clone.git("pull -q " + w.dir + " work")
			if co := clone.load(); states(co) != "a done, b open" {
				t.Errorf("pulled: %s", states(co))
			}
		})
	}
}

// A step opened by git plan next is running until it is done; so is the one that another git plan works on.
func TestRunningStep(t *testing.T) {
	w := newWorld(t)
	w.plan()
	c := w.load()
	if _, open := c.OpenByNext(); open {
		t.Error("a step was opened by next")
	}
	w.happens(c, journal.Event{Kind: journal.Started, Steps: []string{"b"}, By: journal.ByAgent, Attempt: 1}, nil)
	if step, open := w.load().OpenByNext(); open {
		t.Errorf("a session's step %s was opened by next", step)
	}
	w.happens(c, journal.Event{Kind: journal.Started, Steps: []string{"b"}, By: journal.ByPerson}, nil)
	c = w.load()
	if step, open := c.OpenByNext(); step != "b" || !open || states(c) != "a open, b running" {
		t.Errorf("open by next is %q: %s", step, states(c))
	}
	w.happens(c, journal.Event{Kind: journal.Done, Steps: []string{"b"}, Head: journal.None, By: journal.ByPerson}, func(text []byte) ([]byte, error) { return plan.Tick(text, "b", true) })
	if c = w.load(); states(c) != "a open, b done" {
		t.Errorf("done: %s", states(c))
	}
}

// During a bisect the plan is that of the branch on which it began.
func TestBranchDuringABisect(t *testing.T) {
	w := newWorld(t)
	id := w.plan()
	w.does("a")
	w.does("b")
	w.git("bisect start HEAD main")
	c := w.open()
	fine(t, c.LoadFor(t.Context(), ""))
	if c.Doc.ID != id || c.Branch != "work" {
		t.Errorf("loaded plan %s of branch %q", c.Doc.ID, c.Branch)
	}
}
