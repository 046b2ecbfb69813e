package proc

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

// A program with endless output is ended by its size, with all its children, whatever its time limit.
func TestEndlessOutputEndsTheProgram(t *testing.T) {
	for name, line := range map[string]string{
		"to its output":    `yes`,
		"to its errors":    `yes >&2`,
		"to both":          `yes >&2 & yes`,
		"one line":         `cat /dev/zero`,
		"by a child":       `sh -c 'yes & wait' & wait`,
		"ignoring signals": `trap '' TERM INT HUP PIPE; while :; do head -c 60000 /dev/zero 2>/dev/null; done`,
		"after it ended":   `head -c 2000000 /dev/zero`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out, said := &Head{Max: 1 << 30}, &Head{Max: 1 << 30}
			name, args := Shell(line)
			exit, err := Run(t.Context(), Cmd{Name: name, Args: args, Group: true, MaxOutput: 1 << 20, Stdout: out, Stderr: said, Timeout: 10 * time.Minute})
			if err != nil || exit.Code != 137 || exit.OK() || !bytes.HasSuffix(said.Text, []byte("\nit wrote more than 1 MiB and was ended\n")) {
				t.Errorf("%+v, %v", exit, err)
			}
			if n := len(out.Text) + len(said.Text); n > 1<<20+100 {
				t.Errorf("%d bytes were taken", n)
			}
		})
	}
	out := &Tail{}
	name, args := Shell("echo a; echo b >&2")
	if exit, err := Run(t.Context(), Cmd{Name: name, Args: args, Group: true, MaxOutput: 4, Stdout: out, Stderr: out}); err != nil || !exit.OK() || strings.Count(out.String(), "\n") != 2 {
		t.Errorf("within the limit: %+v, %v", exit, err)
	}
}

// Colours are removed from a program's output; other escape sequences stay visible.
func TestTailHasNoColors(t *testing.T) {
	out := &Tail{}
	_, _ = out.Write([]byte("\x1b[41m\x1b[1;37merror\x1b[0m\x1b[K: \x1b[2Jno\n"))
	if got := out.String(); got != "error: \x1b[2Jno\n" {
		t.Errorf("%q", got)
	}
}

// slowWriter takes longer for its first piece than output is read after the program's end.
type slowWriter struct{ n int }

func (w *slowWriter) Write(p []byte) (int, error) {
	if w.n == 0 {
		time.Sleep(2 * drain)
	}
	if w.n += len(p); w.n < 90_000 {
		time.Sleep(drain / 5)
	}
	return len(p), nil
}

// All output of a program is read, however late this process reads it.
func TestNoOutputIsLostOnABusyMachine(t *testing.T) {
	var w slowWriter
	name, args := Shell("head -c 90000 /dev/zero; sleep 9 & ") // something else keeps the pipe open
	exit, err := Run(t.Context(), Cmd{Name: name, Args: args, Stdout: &w, MaxOutput: 1 << 20})
	if err != nil || !exit.OK() || w.n != 90_000 {
		t.Errorf("%d bytes, %+v, %v", w.n, exit, err)
	}
}
