package terminal

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/journal"
)

// Without a terminal what happens comes as lines with a time, and the end says what was
// done and what it cost.
func TestTheLinesOfARun(t *testing.T) {
	t.Setenv("GITHUB_ACTIONS", "")
	var out strings.Builder
	v := NewView(&out, &out, Options{Own: true})
	for _, n := range reported(t, "notices.jsonl") {
		v.Show(n)
	}
	v.board.began = time.Now() // so that the summary is the same each time
	v.End()
	v.End() // once
	file := terminalData("lines.txt")
	if *update {
		if err := os.WriteFile(file, []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), out.String()); d != "" {
		t.Errorf("%s (-want +got):\n%s", file, d)
	}
	if got := v.Tally(); got.Commits == 0 || got.Sessions == 0 || len(got.Commit) != 10 {
		t.Errorf("%+v", got)
	}
}

// After Ctrl-C a person reads what becomes of the session, and how to end at once.
func TestCtrlCIsExplained(t *testing.T) {
	for _, c := range []struct {
		happened []journal.Notice
		want     string
	}{
		{nil, "stopping; Ctrl-C again ends at once"},
		{[]journal.Notice{{Kind: journal.SessionStart, Session: "s", Role: agent.Reviewer}}, "stopping; Ctrl-C again ends at once"},
		{[]journal.Notice{{Kind: journal.SessionStart, Session: "s", Role: agent.Executor}}, "stopping: what the session did is kept; Ctrl-C again ends at once"},
		{[]journal.Notice{{Kind: journal.SessionStart, Session: "s", Role: agent.Executor}, {Kind: journal.StepDone}}, "stopping; Ctrl-C again ends at once"},
	} {
		var out strings.Builder
		v := &View{Err: &out}
		for _, n := range c.happened {
			v.board.add(n)
		}
		v.Stopping()
		if _, got, _ := strings.Cut(strings.TrimSuffix(out.String(), "\n"), " "); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// While git has the terminal nothing moves. Then the rows go on where they were, until
// somebody else works, whose work begins with an empty board.
func TestATerminalIsLent(t *testing.T) {
	s, written := on(t, filepath.Join(t.TempDir(), "out"))
	v := &View{screen: s, Err: s.out}
	v.Show(journal.Notice{Time: time.Now(), Kind: journal.StepStart, Step: "one", Text: "One"})
	drawn(t, written, "one: One")
	back := v.Lend()
	before := written()
	v.Show(journal.Notice{Time: time.Now(), Kind: journal.StepNote, Text: "meanwhile"})
	s.paint() // what a tick of the clock does
	if got := strings.TrimPrefix(written(), before); got != "" {
		t.Errorf("drawn on a terminal that is git's: %q", got)
	}
	back()
	drawn(t, written, "meanwhile")
	v.Forget()
	v.Show(journal.Notice{Time: time.Now(), Kind: journal.StepStart, Step: "two", Text: "Two"})
	drawn(t, written, "two: Two")
	v.Stopping()
	v.End()
	if _, last, _ := strings.Cut(written(), "two: Two"); !strings.Contains(last, "# stopping; ") || strings.Contains(last, "one: One") {
		t.Errorf("after the end: %q", last)
	}
}

// The bell rings at the end of work that took long, and at no other.
func TestTheBellRingsAfterLongWork(t *testing.T) {
	for _, c := range []struct {
		took time.Duration
		own  bool
		want int
	}{{2 * bellAfter, true, 1}, {2 * bellAfter, false, 0}, {0, true, 0}} {
		s, written := on(t, filepath.Join(t.TempDir(), "out"))
		v := &View{screen: s, Err: s.out, own: c.own}
		v.Show(journal.Notice{Time: time.Now().Add(-c.took), Kind: journal.StepStart, Step: "one", Text: "One"})
		v.End()
		if got := strings.Count(titles.ReplaceAllString(written(), ""), "\a"); got != c.want {
			t.Errorf("after %v, own %v: it rings %d times", c.took, c.own, got)
		}
	}
}

// titles are what a terminal's title is set with.
var titles = regexp.MustCompile("\x1b\\]2;[^\a]*\a")
