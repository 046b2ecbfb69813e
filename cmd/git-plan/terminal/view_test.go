package terminal

import (
	"bufio"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"github.com/git-plan/git-plan/gitplan/journal"
)

var update = flag.Bool("update", false, "write the captures in testdata/terminal again")

// reported are the notices of a run, from a file.
func reported(tb testing.TB, name string) []journal.Notice {
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

func terminalData(name string) string {
	return filepath.Join("..", "..", "..", "testdata", "terminal", name)
}

func asCaptured(t *testing.T, name, got string) {
	t.Helper()
	file := terminalData(name)
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
}

// Without a terminal, events are lines with a timestamp, and the end says what was done and what it cost.
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
	asCaptured(t, "lines.txt", out.String())
}

// In a GitHub workflow no text of others is interpreted as a workflow command.
func TestNoWorkflowCommandIsPrinted(t *testing.T) {
	t.Setenv("GITHUB_ACTIONS", "true")
	var out strings.Builder
	NewView(&out, &out, Options{}).Show(journal.Notice{Kind: journal.StepNote, Text: "##[add-mask]a\n::error::b"})
	if got := out.String(); strings.Contains(got, "##[") || strings.Count(got, "\n") != 1 {
		t.Errorf("%q", got)
	}
}

// drawing is a view that draws into a file, only when something is shown.
func drawing(tb testing.TB, width int) (v *View, written func() string) {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "out")
	out, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o600)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { out.Close() })
	v = &View{block: &block{out: out, size: func() (int, int) { return width, 8 }}, own: true}
	v.Err = above{v, out}
	return v, func() string {
		text, _ := os.ReadFile(path)
		return string(text)
	}
}

// Final lines, and after "> " the rows wherever these differ; no row reaches the last column, after which
// terminals wrap, and no text of others drives the terminal.
func TestTheRowsOfARun(t *testing.T) {
	for name, width := range map[string]int{"block.txt": 80, "block-jobs.txt": 80, "block-60.txt": 60, "block-jobs-120.txt": 120} {
		notices := "notices.jsonl"
		if strings.Contains(name, "jobs") {
			notices = "notices-jobs.jsonl"
		}
		v, written := drawing(t, width)
		var out strings.Builder
		before, at := "", 0
		for _, n := range reported(t, notices) {
			v.Show(n)
			final, _, _ := strings.Cut(written()[at:], v.block.frame+"\x1b[K\x1b[J")
			at = len(written())
			out.WriteString(strings.ReplaceAll(strings.TrimPrefix(final, "\r"), "\x1b[K\r", ""))
			frame := ""
			now := n.Time.Add(redrawTime)
			for _, row := range append(v.board.rows(Colors{}, now, width, 5), v.board.status(Colors{}, now, width)) {
				frame += "> " + row + "\n"
				if ansi.StringWidth(row) >= width {
					t.Errorf("%s: %d columns: %s", name, ansi.StringWidth(row), row)
				}
			}
			if frame != before {
				out.WriteString(frame)
			}
			before = frame
		}
		at = len(written())
		v.board.began, v.board.tasks = time.Now(), nil // so that the end is the same each time
		v.End()
		verdict := strings.NewReplacer("\x1b[K", "", "\x1b[J", "", "\r", "").Replace(written()[at:])
		out.WriteString("= the end\n" + verdict)
		if strings.Contains(out.String(), "\x1b") {
			t.Errorf("%s: others drive the terminal:\n%q", name, out.String())
		}
		asCaptured(t, name, out.String())
	}
}

// While a person is asked nothing is drawn; then everything that happened meanwhile is.
func TestNothingIsDrawnOverAQuestion(t *testing.T) {
	v, written := drawing(t, 80)
	v.Show(journal.Notice{Time: time.Now(), Kind: journal.StepStart, Step: "one", Text: "One"})
	v.draw("")
	giveBack := v.Lend()
	before := written()
	if !strings.Contains(before, "one: One") || !strings.HasSuffix(before, "\r\x1b[K\x1b[J\r") {
		t.Errorf("the row is still there: %q", before)
	}
	if _, err := v.Err.Write([]byte("answer: ")); err != nil {
		t.Fatal(err)
	}
	v.Show(journal.Notice{Time: time.Now(), Kind: journal.StepNote, Text: "meanwhile"})
	if got := strings.TrimPrefix(written(), before); got != "answer: " {
		t.Errorf("drawn over the question: %q", got)
	}
	giveBack()
	after := strings.TrimPrefix(written(), before)
	if !strings.Contains(after, "meanwhile") || !strings.Contains(after, "one: One") {
		t.Errorf("after the question: %q", after)
	}
	v.Forget()
	v.Show(journal.Notice{Time: time.Now(), Kind: journal.StepStart, Step: "two", Text: "Two"})
	v.draw("")
	v.Stopping()
	v.End()
	if _, last, _ := strings.Cut(written(), "two: Two"); !strings.Contains(last, "stopping; ") || strings.Contains(last, "one: One") {
		t.Errorf("after the end: %q", last)
	}
}

// Other output appears above the rows, which are drawn again; and nothing is written where nothing changes.
func TestOtherOutputIsAboveTheRows(t *testing.T) {
	v, written := drawing(t, 80)
	v.Show(journal.Notice{Time: time.Now(), Kind: journal.StepStart, Step: "one", Text: "One"})
	v.draw("")
	before := written()
	_, _ = v.Err.Write([]byte("a line\n"))
	v.draw("")
	if got := strings.TrimPrefix(written(), before); !strings.HasPrefix(got, "\r\x1b[K\x1b[J\ra line\n\r") || !strings.Contains(got, "one: One") {
		t.Errorf("%q", got)
	}
	v.board.tasks = nil
	v.draw("")
	before = written()
	v.draw("")
	if got := written(); got != before {
		t.Errorf("drawn again: %q", strings.TrimPrefix(got, before))
	}
}

// A view serialises a follower that forgets and counts while notices arrive: for the race detector.
func TestViewIsSerialised(t *testing.T) {
	v := NewView(os.Stderr, &strings.Builder{}, Options{})
	done := make(chan struct{})
	go func() {
		defer close(done)
		for range 100 {
			v.Forget()
			v.Sessions()
		}
	}()
	for range 100 {
		v.Show(journal.Notice{Kind: journal.SessionTool, Session: "s", Command: "read"})
	}
	<-done
	v.End()
}

// A note before the first session does not split the heading of a run; blocked steps are named at its end,
// and a run without a model has no tokens.
func TestTheHeadingAndTheEndOfARun(t *testing.T) {
	t.Setenv("GITHUB_ACTIONS", "")
	var out strings.Builder
	v := NewView(&out, &out, Options{Own: true})
	one, goal := 1, journal.Notice{Kind: journal.StepNote, Text: "done when 1 of 1", Goal: "done when 1 of 1"}
	for _, n := range []journal.Notice{
		{Kind: journal.RunStart, Text: "Title", Branch: "b", Agent: "claude"}, {Kind: journal.StepNote, Text: "a note"}, {Kind: journal.SandboxKind, Text: "bwrap"},
		{Kind: journal.CheckEnd, Command: "unittest", ExitCode: &one, Text: "E\n" + strings.Repeat("-", 70) + "\nRan 1"},
		{Kind: journal.SessionEnd, Session: "s", Step: "x"}, {Kind: journal.StepBlocked, Step: "x"}, {Kind: journal.StepBlocked, Step: "a"}, goal, goal,
	} {
		v.Show(n)
	}
	v.End()
	for _, want := range []string{" Title   b   agent claude   sandbox bwrap\n", "| " + strings.Repeat("-", 40) + "…\n           | Ran 1\n", "✗ blocked: 2 blocked (a, x), ", "\n  1 session\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
	if strings.Contains(out.String(), "times: done when") {
		t.Errorf("how far the goal is counts as a note:\n%s", out.String())
	}
}

// After Ctrl-C the output says what becomes of the work, and how to end at once.
func TestCtrlCIsExplained(t *testing.T) {
	var out strings.Builder
	v := &View{Err: &out}
	v.Stopping()
	if _, got, _ := strings.Cut(out.String(), " "); got != "stopping; what was done is kept; Ctrl-C again ends at once\n" {
		t.Error(got)
	}
}
