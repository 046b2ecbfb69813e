package work

import (
	"cmp"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/journal"
)

// Every session has a transcript, found by its own name, and the last one by its step's.
func TestTranscriptsAreKept(t *testing.T) {
	s := newShop(t, "echo attempt $GIT_PLAN_ATTEMPT says hello; echo a >a.txt")
	s.works(s.step("false"))
	names := s.sessions()
	if len(names) != 3 {
		t.Fatalf("there are %q", names)
	}
	for i, name := range names {
		if text := s.transcript(name); !strings.HasPrefix(name, "a-"+string(rune('1'+i))+"-") || !strings.Contains(text, "attempt "+string(rune('1'+i))+" says hello") {
			t.Errorf("%s:\n%s", name, text)
		}
	}
	if s.transcript("a") != s.transcript(names[2]) {
		t.Error("the step's transcript is not that of its last session")
	}
	_, err := checkout.OpenTranscript(s.Runner.Checkout, "b-1-abc")
	s.Refused(err, fault.ErrUnknownSession, "no session b-1-abc is kept here; the newest are: "+names[2])
}

// A step without a session has no transcript.
func TestNoTranscript(t *testing.T) {
	s := newShop(t, "true")
	_, err := checkout.OpenTranscript(s.Runner.Checkout, "a")
	s.Refused(err, fault.ErrUnknownSession, "no transcript of a session is kept in this clone")
}

// Old transcripts are removed at the next session; 0 days keep none.
func TestTranscriptsAreForgotten(t *testing.T) {
	s := newShop(t, "echo a >>a.txt")
	s.works(s.step())
	old := s.Checkout.Repo.PlanDir(s.Checkout.Doc.ID, "sessions", s.sessions()[0]+".jsonl")
	s.Fine(os.Chtimes(old, time.Now(), time.Now().Add(-80*24*time.Hour)))
	s = reopened(s.World)
	s.works(s.step())
	if n := len(s.sessions()); n != 2 {
		t.Errorf("after 80 of 90 days there are %d", n)
	}
	s.Fine(os.Chtimes(old, time.Now(), time.Now().Add(-91*24*time.Hour)))
	s = reopened(s.World)
	s.works(s.step())
	if _, err := os.Stat(old); err == nil || len(s.sessions()) != 2 {
		t.Errorf("after 91 of 90 days there are %q", s.sessions())
	}
}

// The output of a check at the end of a failed attempt is found again, completely if the attempt is kept, or
// else in the transcript.
func TestOutputOfACheck(t *testing.T) {
	for script, see := range map[string]string{
		"echo a >a.txt": "git plan attempts show a/1",
		"true":          "git plan log --session a",
	} {
		s := newShop(t, script)
		task := s.step("for i in 1 2 3; do echo line $i; done; false")
		task.Attempts, task.Unchanged = 1, true
		s.works(task)
		failed := s.Checkout.Doc.Events[len(s.Checkout.Doc.Events)-1]
		if said, how := checkout.FailureOutput(s.Runner.Checkout, failed); said != "line 1\nline 2\nline 3" || !strings.HasPrefix(how, see) {
			t.Errorf("%s: %q, %q", script, said, how)
		}
		failed.Reason = "another clone's"
		if said, how := checkout.FailureOutput(s.Runner.Checkout, failed); said+how != "" {
			t.Errorf("%s: of another reason it says %q, %q", script, said, how)
		}
	}
}

// The command of a Run step has a transcript with its output, and its result is the step's.
func TestStepWithRun(t *testing.T) {
	for command, want := range map[string]struct {
		status agent.Status
		why    string
	}{
		"echo a >a.txt":      {agent.Done, ""},
		"echo oops; exit 3":  {agent.Failed, "`echo oops; exit 3` exited with 3: oops\noops"},
		"sleep 60":           {agent.TimedOut, "`sleep 60` did not end within its time"},
		"echo >go; sleep 61": {agent.Cancelled, journal.Interrupted},
	} {
		s := newShop(t, "true")
		task := s.step()
		task.Agent, task.Attempts = Shell{Command: command}, 1
		if want.status == agent.TimedOut {
			task.Session.Timeout = 100 * time.Millisecond
		}
		out, err := s.worksUntil(s.until("go"), task)
		s.Fine(err)
		s.ended(out, want.status, want.why)
		if text := s.transcript("a"); !strings.Contains(text, `"command":`) || out.Result.Agent != "run" {
			t.Errorf("%s: the transcript is %q", command, text)
		}
		if known := out.Result.ExitCode != nil; known != (want.status == agent.Done || want.status == agent.Failed) {
			t.Errorf("%s: an exit code is known: %t", command, known)
		}
		s.Clean()
	}
}

// sessions are the names of the transcripts, the oldest first.
func (s *shop) sessions() (names []string) {
	s.Helper()
	files, err := filepath.Glob(s.Checkout.Repo.PlanDir(s.Checkout.Doc.ID, "sessions", "*.jsonl"))
	s.Fine(err)
	ended := func(name string) int64 {
		info, err := os.Stat(name)
		s.Fine(err)
		return info.ModTime().UnixNano()
	}
	slices.SortFunc(files, func(a, b string) int { return cmp.Compare(ended(a), ended(b)) })
	for _, f := range files {
		names = append(names, strings.TrimSuffix(filepath.Base(f), ".jsonl"))
	}
	return names
}

func (s *shop) transcript(name string) string {
	s.Helper()
	f, err := checkout.OpenTranscript(s.Runner.Checkout, name)
	s.Fine(err)
	defer f.Close()
	text, err := io.ReadAll(f)
	s.Fine(err)
	return string(text)
}
