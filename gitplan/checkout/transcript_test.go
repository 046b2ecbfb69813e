package checkout

import (
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/testdata/repository"
)

func here(t *testing.T) *Checkout {
	t.Helper()
	repository.Here(t)
	t.Setenv("XDG_STATE_HOME", "")
	t.Setenv(proc.EnvDepth, "")
	c, err := Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// says writes the transcript of a session that ended some days ago.
func says(t *testing.T, c *Checkout, session, text string, days int) {
	t.Helper()
	f, err := KeepTranscript(c, session)
	if err != nil || f == nil {
		t.Fatal(f, err)
	}
	_, _ = io.WriteString(f, text+"\n")
	at := time.Now().Add(-time.Duration(days) * 24 * time.Hour)
	if err := errors.Join(f.Close(), os.Chtimes(c.Repo.PlanDir("sessions", session+".jsonl"), at, at)); err != nil {
		t.Fatal(err)
	}
}

// A transcript is found by its session's name, or by its step's, which means the step's last session.
func TestTranscriptIsFound(t *testing.T) {
	c := here(t)
	says(t, c, "write-it-1-abc", `{"text":"first"}`, 2)
	says(t, c, "write-it-2-def", `{"text":"second"}`, 1)
	says(t, c, "_review-1-1-abc", `{"text":"fixed"}`, 3)
	for name, want := range map[string]string{"write-it-1-abc": "first", "write-it-2-def": "second", "write-it": "second", "fixer": "fixed"} {
		f, err := OpenTranscript(c, name)
		if err != nil {
			t.Fatal(err)
		}
		if text, _ := io.ReadAll(f); !strings.Contains(string(text), want) {
			t.Errorf("%s: %s", name, text)
		}
		_ = f.Close()
	}
	_, err := OpenTranscript(c, "write")
	if !errors.Is(err, fault.ErrUnknownSession) || !strings.Contains(err.Error(), "no session write is kept here; the newest are: write-it-2-def, write-it-1-abc") {
		t.Error(err)
	}
}

// Transcripts older than 90 days are removed.
func TestOldTranscriptsAreRemoved(t *testing.T) {
	c := here(t)
	says(t, c, "old-1-abc", "{}", 91)
	says(t, c, "new-1-abc", "{}", 89)
	ForgetTranscripts(c)
	if list, err := allTranscripts(c); err != nil || len(list) != 1 || list[0] != "new-1-abc" {
		t.Errorf("%v: %v", list, err)
	}
}

// The reason why an attempt failed is at the end of its session's transcript, if its event does not have all
// of it. A reason that differs from the event's belongs to another clone.
func TestReasonIsInTheTranscript(t *testing.T) {
	c := here(t)
	says(t, c, "a-1-abc", `{"text":"hello\nall"}`+"\n"+`{"end":"failed","reason":"it failed\nline 1\nline 2"}`, 0)
	said := func(reason string) string {
		text, see := FailureOutput(c, journal.Event{Steps: []string{"a"}, Reason: reason, Session: "a-1-abc"})
		if (text == "") != (see == "") {
			t.Errorf("%q, and see %q", text, see)
		}
		return text
	}
	for reason, want := range map[string]string{"it failed": "line 1\nline 2", "it failed; kept as x": "line 1\nline 2", "of another clone": "", "": ""} {
		if got := said(reason); got != want {
			t.Errorf("%q: %q", reason, got)
		}
	}
}

// A full transcript omits the rest.
func TestTranscriptIsBounded(t *testing.T) {
	c := here(t)
	f, err := KeepTranscript(c, "a-1-abc")
	if err != nil {
		t.Fatal(err)
	}
	line := []byte(`{"x":"` + strings.Repeat("x", 1<<20) + `"}` + "\n")
	for range 20 {
		if n, err := f.Write(line); n != len(line) || err != nil {
			t.Fatal(n, err)
		}
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	text, _ := os.ReadFile(c.Repo.PlanDir("sessions", "a-1-abc.jsonl"))
	if n := strings.Count(string(text), "\n"); len(text) > maxSize || n != 15 {
		t.Errorf("%d bytes in %d lines", len(text), n)
	}
}
