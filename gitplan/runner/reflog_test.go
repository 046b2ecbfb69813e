package runner

import (
	"strings"
	"testing"
	"time"
)

// moves runs git as a session does, whose name is then in the log of what it moves.
func (w *world) moves(session string, args ...string) {
	w.Helper()
	w.Setenv("GIT_REFLOG_ACTION", "")
	if session != "" {
		_, value, _ := strings.Cut(InReflog(session), "=")
		w.Setenv("GIT_REFLOG_ACTION", value)
	}
	w.git(args...)
	w.Setenv("GIT_REFLOG_ACTION", "")
}

// HEAD's log distinguishes what a session committed from what a person did meanwhile; without a log
// nobody knows.
func TestWhoMovedHEAD(t *testing.T) {
	w := newWorld(t)
	since := w.git("rev-parse", "HEAD")
	made := func(wantOwn, wantKnown bool) {
		t.Helper()
		if own, known, err := w.site.MadeBySession(t.Context(), since); err != nil || own != wantOwn || known != wantKnown {
			t.Errorf("own %v, known %v, %v; want %v, %v", own, known, err, wantOwn, wantKnown)
		}
	}
	made(true, true)
	w.moves("a-1", "commit", "-q", "--allow-empty", "-m", "the session's")
	made(true, true)
	w.moves("", "commit", "-q", "--allow-empty", "-m", "a person's")
	made(false, true)
	w.git("reflog", "expire", "--expire=all", "--all")
	made(true, false)
}

// A session that committed on another branch is reported, with the command that puts that back;
// what a person did there is not, nor a branch that the session made.
func TestASessionCommittedOnAnotherBranch(t *testing.T) {
	w := newWorld(t)
	w.git("branch", "-q", "other")
	w.git("branch", "-q", "persons")
	was := w.git("rev-parse", "other")
	began := time.Now().Add(time.Minute) // the log counts in seconds
	w.moves("a-1", "switch", "-q", "other")
	w.moves("a-1", "commit", "-q", "--allow-empty", "-m", "astray")
	w.moves("a-1", "switch", "-q", "-c", "made")
	w.moves("", "switch", "-q", "persons")
	w.moves("", "commit", "-q", "--allow-empty", "-m", "a person's")
	changed := []string{"refs/heads/other", "refs/heads/made", "refs/heads/persons", "refs/tags/v1"}
	w.says(w.site.CommittedOn(t.Context(), "a-1", began, changed),
		"the session committed on other ("+SetRef("refs/heads/other", was)+" puts it back)")
	w.says(w.site.CommittedOn(t.Context(), "a-2", began, changed), "")
	if oids := w.site.Visited(t.Context(), "refs/heads/other", was, began); len(oids) != 1 || oids[0] == was {
		t.Errorf("visited: %v", oids)
	}
	if oids := w.site.Visited(t.Context(), "refs/heads/nowhere", was, began); oids != nil {
		t.Errorf("visited: %v", oids)
	}
}
