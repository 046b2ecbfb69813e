package runner

import (
	"strings"
	"testing"
)

// moves runs git like a session, whose name is then in the reflog.
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

// The branch's reflog distinguishes a session's commits from a person's, made here or elsewhere; without a
// reflog that is unknown.
func TestAuthorsInTheReflog(t *testing.T) {
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
	w.git("switch", "-q", "-c", "elsewhere")
	w.git("commit", "-q", "--allow-empty", "-m", "a person's, elsewhere")
	w.git("switch", "-q", "-")
	w.git("branch", "-m", "renamed")
	w.site.Checkout.Branch = "renamed"
	made(true, true)
	w.moves("", "commit", "-q", "--allow-empty", "-m", "a person's")
	made(false, true)
	w.git("reflog", "expire", "--expire=all", "--all")
	made(true, false)
}
