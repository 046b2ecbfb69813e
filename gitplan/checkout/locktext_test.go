package checkout

import (
	"context"
	"errors"
	"os"
	"testing"
	"time"

	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/testdata/texts"
)

// An editor waits for the session that works from the text, and then reads its result.
func TestHoldText(t *testing.T) {
	w := newWorld(t)
	w.plan()
	c, session := w.load(), w.load()
	text, err := journal.WaitText(t.Context(), session.Repo, session.Doc.ID, nil)
	fine(t, err)
	release, err := c.LockText(t.Context(), func() {
		w.happens(session, journal.Event{Kind: journal.Blocked, Steps: []string{"a"}, Reason: "why"}, nil)
		fine(t, text.Close())
	})
	fine(t, err)
	if states(c) != "a blocked, b open" {
		t.Errorf("the plan is read as of before the session: %s", states(c))
	}
	impatient, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := journal.WaitText(impatient, session.Repo, session.Doc.ID, nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a session can start while the text is held: %v", err)
	}
	release()
	text, err = journal.WaitText(t.Context(), session.Repo, session.Doc.ID, func() { t.Error("the text is still held") })
	fine(t, err, text.Close())

	_, err = session.Drop(t.Context(), session.Doc.ID)
	fine(t, err)
	_, err = c.LockText(t.Context(), nil)
	refused(t, err, fault.ErrPlanGone, "there is no plan")
	text, err = journal.WaitText(t.Context(), session.Repo, session.Doc.ID, func() { t.Error("a failure keeps the text held") })
	fine(t, err, text.Close())
}

// A plan is read again if it changed, and git's data about its branch is kept.
func TestReload(t *testing.T) {
	w := newWorld(t)
	w.plan()
	w.git("branch -m work renamed")
	c, other := w.load(), w.load()
	before := c.Doc
	fine(t, c.Reload(t.Context()))
	fine(t, other.Revise(t.Context(), []byte(texts.Steps("- [ ] new {#new}\n"))))
	fine(t, c.Reload(t.Context()))
	if c.Doc != before || c.Doc.Tip != other.Doc.Tip || states(c) != "new open" || c.Doc.Renamed != "renamed" {
		t.Errorf("read again: %s at %s, renamed to %q", states(c), c.Doc.Tip, c.Doc.Renamed)
	}
}

// working makes another process hold a lock, according to its note.
func working(t *testing.T, c *Checkout, id, gitDir string) {
	t.Helper()
	lock, err := journal.Acquire(c.Repo, id, "run")
	fine(t, err)
	t.Cleanup(lock.Release)
	note := `{"pid": 1, "command": "run", "host": "here", "gitDir": "` + gitDir + `"}`
	fine(t, os.WriteFile(journal.LockPath(c.Repo, id)+".json", []byte(note), 0o600))
}

// While a step runs here, the branch cannot get another plan. In another work tree that would be harmless.
func TestIdle(t *testing.T) {
	w := newWorld(t)
	fine(t, w.open().RequireIdle(t.Context()))
	id := w.plan()
	c := w.load()
	fine(t, c.RequireIdle(t.Context()))
	working(t, c, id, "/elsewhere")
	fine(t, c.RequireIdle(t.Context()))
	working(t, c, id+"-2", c.Repo.GitDir) // of another plan
	fine(t, c.RequireIdle(t.Context()))
	note := `{"pid": 1, "command": "run", "host": "here", "gitDir": "` + c.Repo.GitDir + `"}`
	fine(t, os.WriteFile(journal.LockPath(c.Repo, id)+".json", []byte(note), 0o600))
	refused(t, c.RequireIdle(t.Context()), fault.ErrBusy, "git plan run (pid 1 on here")
	_, err := NewPlan{Force: true}.Ready(t.Context(), c)
	refused(t, err, fault.ErrBusy, "git plan run")
	_, err = NewPlan{Force: true}.Store(t.Context(), c, parsed(t, texts.Steps("- [ ] a\n")), "main", journal.Event{})
	refused(t, err, fault.ErrBusy, "git plan run")
}
