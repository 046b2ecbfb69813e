package terminal

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/git-plan/git-plan/gitplan/journal"
)

var update = flag.Bool("update", false, "write the captures in testdata/terminal again")

func terminalData(name string) string {
	return filepath.Join("..", "..", "..", "testdata", "terminal", name)
}

// told are the notices of a run, from a file.
func told(tb testing.TB, name string) []journal.Notice {
	tb.Helper()
	f, err := os.Open(terminalData(name))
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	var out []journal.Notice
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var n journal.Notice
		if err := json.Unmarshal(lines.Bytes(), &n); err != nil {
			tb.Fatal(err)
		}
		out = append(out, n)
	}
	return out
}

// sixty are the steps of that run's plan: the first 26 are done, and each later one needs the
// one above it.
func sixty() []Step {
	steps := make([]Step, 60)
	for i := range steps {
		steps[i] = Step{ID: fmt.Sprintf("s%d", i+1), Title: fmt.Sprintf("Step number %d", i+1), Open: i >= 26}
	}
	steps[26].ID, steps[26].Title = "budget-lines", "Read budget lines"
	steps[27].ID, steps[27].Title = "wide", "月間予算を超えたカテゴリを警告する"
	for i := 28; i < len(steps); i++ {
		steps[i].Needs = []string{steps[i-1].ID}
	}
	return steps
}

// runs are those whose rows are captured, by what the names of the captures begin with: one in
// which everything happens, and one with several steps at work.
var runs = map[string]struct {
	notices string
	steps   func() []Step
}{"": {"notices.jsonl", sixty}, "jobs-": {"notices-jobs.jsonl", nine}}

// nine are the steps of a plan whose first six do not need each other.
func nine() []Step {
	var steps []Step
	for _, name := range []string{"parse", "print", "store", "docs", "cli", "wide", "join", "check", "release"} {
		steps = append(steps, Step{ID: name, Title: "Write " + name, Open: true})
	}
	steps[5].Title = "月間予算を超えたカテゴリを警告する"
	steps[6].Needs, steps[7].Needs, steps[8].Needs = []string{"parse", "print"}, []string{"join"}, []string{"check", "docs"}
	return steps
}

// captures are all frames of a run, one after the other: what is final as it
// comes, and what changes behind "> " wherever that differs. 200 ms pass
// between a notice and its frame.
func captures(tb testing.TB, run string, l look, width int) string {
	var b board
	b.know(runs[run].steps())
	var out strings.Builder
	before := ""
	for _, n := range told(tb, runs[run].notices) {
		b.add(n)
		now := n.Time.Add(200 * time.Millisecond)
		for _, r := range b.take() {
			out.WriteString(l.draw(r, width, 0) + "\n")
		}
		frame := ""
		rows := b.rows(now, 23)
		for _, r := range append(rows, b.ahead(23-len(rows))...) {
			frame += "> " + l.draw(r, width-2, int(now.Sub(b.began)/frameTime)) + "\n"
		}
		if frame != before {
			out.WriteString(frame)
		}
		before = frame
	}
	return out.String() + b.summary(b.began.Add(time.Hour)) + "\n"
}

// What is shown is what the captures have, at three widths, with colours,
// without, and without Unicode; and nothing that is redrawn reaches the last
// column, behind which terminals wrap.
func TestTheRowsOfARun(t *testing.T) {
	for run := range runs {
		for name, l := range map[string]look{"": {unicode: true}, "-color": {color: true, unicode: true}, "-ascii": {}} {
			for _, width := range []int{40, 80, 120} {
				asCaptured(t, terminalData(fmt.Sprintf("%s%d%s.txt", run, width, name)), captures(t, run, l, width), l, width)
			}
		}
	}
}

func asCaptured(t *testing.T, file, got string, l look, width int) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("%s (-want +got):\n%s", file, d)
	}
	if l.color {
		return
	}
	if strings.Contains(got, "\x1b") {
		t.Errorf("%s: what others say drives the terminal", file)
	}
	for _, line := range strings.Split(got, "\n") {
		if strings.HasPrefix(line, "> ") && columns(line) >= width {
			t.Errorf("%s: %d columns: %s", file, columns(line), line)
		}
		if !l.unicode && strings.ContainsFunc(line, func(r rune) bool { return r > '~' }) {
			t.Errorf("%s: not ASCII: %s", file, line)
		}
	}
}

// Of more steps at work than there are rows the first are shown and the others counted; what
// happened in them shares what is left.
func TestManyStepsAtWorkFitTheScreen(t *testing.T) {
	at := time.Date(2026, 1, 2, 10, 0, 0, 0, time.UTC)
	for steps, want := range map[int]map[int]string{
		3: {
			2: "| a: A  0:00\n| 2 more at work\n",
			3: "| a: A  0:00\n| b: B  0:00\n| c: C  0:00\n",
			5: "| a: A  0:00\n| b: B  0:00\n  - b 3\n| c: C  0:00\n  - c 3\n",
			8: "| a: A  0:00\n  - a 3\n| b: B  0:00\n  - b 2\n  - b 3\n| c: C  0:00\n  - c 2\n  - c 3\n",
		},
		26: {
			1: "| a: A  0:00\n| 25 more at work\n", // of which the screen has the first
			4: "| a: A  0:00\n| b: B  0:00\n| c: C  0:00\n| 23 more at work\n",
		},
	} {
		var b board
		var all []string
		for i := range steps {
			all = append(all, string(rune('a'+i)))
		}
		for _, id := range all {
			b.add(journal.Notice{Time: at, Kind: journal.StepStart, Step: id, Steps: all, Text: strings.ToUpper(id)})
			for n := range 3 {
				b.add(journal.Notice{Time: at, Kind: journal.StepNote, Step: id, Text: fmt.Sprint(id, " ", n+1)})
			}
		}
		for room, want := range want {
			got := ""
			for _, r := range b.rows(at, room) {
				got += look{}.draw(r, 80, 0) + "\n"
			}
			if got != want {
				t.Errorf("%d steps in %d rows: %s", steps, room, cmp.Diff(want, got))
			}
		}
	}
}

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
	add(journal.Notice{Kind: journal.SessionText, Step: "one", Role: "executor", Reason: "git commit, whose hooks take their time"})
	if got, want := shown(), "| one: One  0:00  git commit, whose hooks take their time\n"; got != want {
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
		{Kind: journal.FindingSeen, Text: "a,b.go:3: high: x", Finding: map[string]any{"file": "a,b.go", "line": 3, "severity": "high", "title": "x\n::stop"}},
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
::warning file=a%2Cb.go,line=3,title=high::x ::stop
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
	want = "### git plan\n\n| step | state | |\n|---|---|---|\n| 100 % ::error::x | done | 1234567890 |\n| Two | blocked | no: 50 % |\n\nReview: clean\n"
	if d := cmp.Diff(want, string(got)); err != nil || d != "" {
		t.Error(err, d)
	}
}
