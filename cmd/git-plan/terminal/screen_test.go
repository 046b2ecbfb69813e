package terminal

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/git-plan/git-plan/gitplan/journal"
)

// on draws on a file of 80 columns, in which written is what was drawn.
func on(tb testing.TB, path string) (s *screen, written func() string) {
	tb.Helper()
	out, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o600)
	if err != nil {
		tb.Fatal(err)
	}
	s = newScreen(out, look{})
	tb.Cleanup(func() { s.end(); out.Close() })
	return s, func() string {
		text, _ := os.ReadFile(path)
		return string(text)
	}
}

// drawn waits until what was drawn has a text.
func drawn(tb testing.TB, written func() string, text string) {
	tb.Helper()
	for end := time.Now().Add(20 * time.Second); !strings.Contains(written(), text); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			tb.Fatalf("%q was never drawn:\n%q", text, written())
		}
	}
}

// While a person is asked nothing is drawn, whatever happens and however long it
// takes; then everything that happened is.
func TestNothingIsDrawnOverAQuestion(t *testing.T) {
	s, written := on(t, filepath.Join(t.TempDir(), "out"))
	tell := func(n journal.Notice) {
		n.Time = time.Now()
		s.change(func(b *board) { b.add(n) })
	}
	tell(journal.Notice{Kind: journal.StepStart, Step: "one", Text: "One"})
	drawn(t, written, "one: One")
	s.pause()
	before := written()
	if !strings.HasSuffix(before, "\r\x1b[K\x1b[J\r") {
		t.Errorf("the row is still there: %q", before)
	}
	people := s.above(s.out)
	if _, err := people.Write([]byte("answer: ")); err != nil {
		t.Fatal(err)
	}
	tell(journal.Notice{Kind: journal.StepNote, Text: "meanwhile"})
	s.paint() // what a tick of the clock does
	if got := strings.TrimPrefix(written(), before); got != "answer: " {
		t.Errorf("drawn over the question: %q", got)
	}
	s.resume()
	drawn(t, written, "meanwhile")
	drawn(t, func() string { return strings.TrimPrefix(written(), before) }, "one: One")
}

// What others print goes above the rows that change, which are drawn again.
func TestOthersPrintAbove(t *testing.T) {
	s, written := on(t, filepath.Join(t.TempDir(), "out"))
	s.change(func(b *board) {
		b.add(journal.Notice{Time: time.Now(), Kind: journal.StepStart, Step: "one", Text: "One"})
	})
	drawn(t, written, "one: One")
	_, _ = s.above(s.out).Write([]byte("a line\n"))
	drawn(t, written, "\r\x1b[K\x1b[J\ra line\n\r") // the row was taken away first
	drawn(t, func() string { _, after, _ := strings.Cut(written(), "a line\n"); return after }, "one: One")
}

// Where nothing changes nothing is written.
func TestAFrameIsWrittenOnce(t *testing.T) {
	s, written := on(t, filepath.Join(t.TempDir(), "out"))
	s.change(func(b *board) { b.settle(row{text: "it stands"}) })
	drawn(t, written, "it stands")
	before := written()
	for range 5 {
		if s.paint() {
			t.Error("the clock moves though nothing is under way")
		}
	}
	if got := written(); got != before {
		t.Errorf("drawn again: %q", strings.TrimPrefix(got, before))
	}
}

// BenchmarkShow is what one thing that a session does costs where it is drawn.
func BenchmarkShow(b *testing.B) {
	s, _ := on(b, os.DevNull)
	v := &View{screen: s}
	n := journal.Notice{Time: time.Now(), Kind: journal.SessionTool, Session: "s", Command: "run_command", Text: strings.Repeat("x", 300)}
	for b.Loop() {
		v.Show(n)
	}
}
