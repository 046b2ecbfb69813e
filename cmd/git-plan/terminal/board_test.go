package terminal

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/git-plan/git-plan/gitplan/journal"
)

// A commit that takes its time is shown in the step's row, and is no session that
// is still there in the next one.
func TestASlowCommitIsNoSession(t *testing.T) {
	var b board
	at := time.Date(2026, 1, 2, 10, 0, 0, 0, time.UTC)
	shown := func() (out string) {
		for _, r := range b.rows(at, 24) {
			out += look{}.draw(r, 80, 0) + "\n"
		}
		return out
	}
	add := func(n journal.Notice) { n.Time = at; b.add(n) }
	add(journal.Notice{Kind: journal.StepStart, Step: "one", Text: "One"})
	add(journal.Notice{Kind: journal.SessionText, Step: "one", Role: "executor", Reason: "git commit and its hooks"})
	if got, want := shown(), "| one: One  0:00  git commit and its hooks\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	add(journal.Notice{Kind: journal.StepDone, Step: "one", Commit: "1234567890ab"})
	add(journal.Notice{Kind: journal.StepStart, Step: "two", Text: "Two"})
	if got, want := shown(), "| two: Two  0:00\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// A row says no more than is known: that a planner has ended, not that its plan is
// taken; of a step that left the tree as it was, that; that a setup failed, which is no
// check; and why a step is blocked once.
func TestARowSaysNoMoreThanIsKnown(t *testing.T) {
	var b board
	exit := 1
	at := time.Date(2026, 1, 2, 10, 0, 0, 0, time.UTC)
	for _, n := range []journal.Notice{
		{Kind: journal.SessionStart, Session: "plan-1", Role: "planner"},
		{Kind: journal.SessionEnd, Session: "plan-1", Role: "planner"},
		{Kind: journal.StepStart, Step: "one", Text: "One"},
		{Kind: journal.StepDone, Step: "one", Commit: journal.None},
		{Kind: journal.StepStart, Step: "two", Text: "Two"},
		{Kind: journal.SetupStart, Command: "make deps"},
		{Kind: journal.SetupEnd, Command: "make deps", ExitCode: &exit},
		{Kind: journal.CheckStart, Command: "false"},
		{Kind: journal.CheckEnd, Command: "false", ExitCode: &exit},
		{Kind: journal.StepBlocked, Step: "two", Reason: "`false` exited with 1"},
		{Kind: journal.StepBlocked, Step: "three", Reason: "which colour?"},
	} {
		n.Time = at
		b.add(n)
	}
	var got string
	for _, r := range b.take() {
		got += look{}.draw(r, 80, 0) + "\n"
	}
	want := "- planner  0:00\n+ one: One  0:00  nothing to commit\n" +
		"x two: Two  0:00  blocked\n  x setup failed with 1: make deps\n  x check failed with 1: false\nx three  blocked\n  x which colour?\n"
	if got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// What does not fit is left out: of what happened the earliest, of what is to come all but its
// number; and a check that fails again the same way is not printed again.
func TestRowsFitTheScreen(t *testing.T) {
	var b board
	b.know(sixty())
	exit := 1
	at := time.Date(2026, 1, 2, 10, 0, 0, 0, time.UTC)
	failed := journal.Notice{Kind: journal.CheckEnd, Command: "make", ExitCode: &exit, Text: "a\nb\n"}
	for _, n := range []journal.Notice{{Kind: journal.StepStart, Step: "budget-lines", Text: "Read"}, failed, failed, failed} {
		n.Time = at
		b.add(n)
	}
	for room, want := range map[int]string{
		1: "| 27/60 Read  0:00\n",
		2: "| 27/60 Read  0:00\n  x check failed with 1, as before: make  3 times\n",
		6: "| 27/60 Read  0:00\n  x check failed with 1: make\n    | a\n    | b\n  x check failed with 1, as before: make  2 times\n  x check failed with 1, as before: make  3 times\n",
		7: "| 27/60 Read  0:00\n  x check failed with 1: make\n    | a\n    | b\n  x check failed with 1, as before: make  2 times\n  x check failed with 1, as before: make  3 times\n. 33 more\n",
	} {
		got := ""
		rows := b.rows(at, room)
		for _, r := range append(rows, b.ahead(room-len(rows))...) {
			got += look{}.draw(r, 80, 0) + "\n"
		}
		if got != want {
			t.Errorf("in %d rows: %s", room, cmp.Diff(want, got))
		}
	}
}

// A text is cut between letters as a reader sees them, and by columns.
func TestTextIsCutByColumns(t *testing.T) {
	for _, c := range []struct {
		text  string
		width int
		want  string
	}{
		{"ledger", 6, "ledger"}, {"ledger", 5, "ledg…"}, {"ledger", 1, "…"}, {"ledger", 0, ""},
		{"予算を", 6, "予算を"}, {"予算を", 5, "予算…"}, {"予算を", 4, "予…"},
		{"🎉🎉", 3, "🎉…"}, {"e\u0301e\u0301e\u0301", 2, "e\u0301…"}, {"a b c", 3, "a…"},
	} {
		if got := cut(c.text, c.width, "…"); got != c.want || columns(got) > c.width {
			t.Errorf("cut(%q, %d) is %q, want %q", c.text, c.width, got, c.want)
		}
	}
}

// Whether a terminal shows Unicode is read from the environment, as git and others do.
func TestUnicodeOfATerminal(t *testing.T) {
	for env, want := range map[string]bool{
		"LANG=C": false, "": false, "LANG=C.UTF-8": true, "LANG=de_DE.utf8": true, "LC_ALL=C LANG=C.UTF-8": false, "LC_CTYPE=en_US.UTF-8 LANG=C": true,
	} {
		values := map[string]string{}
		for _, kv := range strings.Fields(env) {
			k, v, _ := strings.Cut(kv, "=")
			values[k] = v
		}
		if got := inUnicode(func(k string) string { return values[k] }); got != want {
			t.Errorf("%q: %v, want %v", env, got, want)
		}
	}
}

// Colours are what color.ui says; without it a file that is no terminal has none.
func TestColorsAreGits(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	const diff = "keep [-out-]{+in+} [x]"
	for ui, want := range map[string]string{
		"": diff, "auto": diff, "never": diff, "false": diff,
		"always": "keep \x1b[31m[-out-]\x1b[m\x1b[32m{+in+}\x1b[m [x]",
	} {
		if got := ColorsOf(file, ui).Words(diff); got != want {
			t.Errorf("color.ui %q: %q", ui, got)
		}
	}
	if n := columns(ColorsOf(file, "always").Good("four")); n != 4 {
		t.Errorf("a colour takes %d columns", n-4)
	}
}

// In GitHub's log a step is a group, a failure is marked, and no text of others
// is obeyed.
func TestGroupsOfGitHub(t *testing.T) {
	var out strings.Builder
	v := &View{Err: &out, groups: &groups{out: &out}}
	at := time.Date(2026, 1, 2, 10, 0, 0, 0, time.UTC)
	for _, n := range []journal.Notice{
		{Kind: journal.StepStart, Step: "one", Text: "100 %\n::error::x"},
		{Kind: journal.StepNote, Text: "##[add-mask]a"},
		{Kind: journal.StepDone, Step: "one", Commit: "1234567890ab", Done: 1, Total: 2},
		{Kind: journal.StepStart, Step: "two", Text: "Two"},
		{Kind: journal.StepBlocked, Step: "two", Reason: "no: 50 %"},
		{Kind: journal.FindingSeen, Text: "a,b.go:3: high: x", Finding: map[string]any{"file": "a,b.go", "line": 3, "severity": "high", "title": "x\n::stop | `b`", "status": "confirmed"}},
		{Kind: journal.ReviewEnd, Text: "clean"},
	} {
		n.Time = at
		v.Show(n)
	}
	want := `::group::step one: 100 %25 ::error::x
10:00:00 step one: 100 % ::error::x
10:00:00   note: # #[add-mask]a
10:00:00 step one done: 1234567890, 1 of 2
::endgroup::
::group::step two: Two
10:00:00 step two: Two
::endgroup::
::error title=step two::no: 50 %25
10:00:00 step two blocked: no: 50 %
::warning file=a%2Cb.go,line=3,title=high::x ::stop | ` + "`b`" + `
10:00:00   a,b.go:3: high: x
10:00:00 review: clean
`
	if d := cmp.Diff(want, out.String()); d != "" {
		t.Error(d)
	}
	page := filepath.Join(t.TempDir(), "summary.md")
	t.Setenv("GITHUB_STEP_SUMMARY", page)
	v.own = true
	v.End()
	got, err := os.ReadFile(page)
	want = "### git plan\n\n| step | state | |\n|---|---|---|\n| 100 % ::error::x | done | 1234567890 |\n| Two | blocked | no: 50 % |\n\nReview: clean\n" +
		"\n| severity | place | finding | |\n|---|---|---|---|\n| high | a,b.go:3 | x ::stop \\| \\`b\\` | confirmed |\n"
	if d := cmp.Diff(want, string(got)); err != nil || d != "" {
		t.Error(err, d)
	}
}

// Of steps side by side each line names its step, and none is folded with those of another.
func TestStepsSideBySideAreNoGroups(t *testing.T) {
	var out strings.Builder
	v := &View{Err: &out, groups: &groups{out: &out}}
	at := time.Date(2026, 1, 2, 10, 0, 0, 0, time.UTC)
	for _, n := range []journal.Notice{
		{Kind: journal.StepStart, Step: "one", Steps: []string{"one", "two"}, Text: "One"},
		{Kind: journal.StepStart, Step: "two", Steps: []string{"one", "two"}, Text: "Two"},
		{Kind: journal.StepNote, Step: "one", Text: "a note"},
		{Kind: journal.StepDone, Step: "two", Commit: "1234567890ab", Done: 1, Total: 2},
		{Kind: journal.StepBlocked, Step: "one", Reason: "no"},
	} {
		n.Time = at
		v.Show(n)
	}
	want := `10:00:00 step one: One
10:00:00 step two: Two
10:00:00   one: note: a note
10:00:00 step two done: 1234567890, 1 of 2
::error title=step one::no
10:00:00 step one blocked: no
`
	if d := cmp.Diff(want, out.String()); d != "" {
		t.Error(d)
	}
}
