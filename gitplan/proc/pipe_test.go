//go:build unix

package proc

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// An interactive program answers line by line, and ends when its input is closed.
func TestInteractiveProgram(t *testing.T) {
	before := Started.Load()
	name, args := Shell("while read -r line; do echo \"heard $line\"; done; exit 4")
	in, out, wait, err := Pipe(Cmd{Name: name, Args: args})
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for _, word := range []string{"one", "two"} {
		if _, err := io.WriteString(in, word+"\n"); err != nil || !lines.Scan() || lines.Text() != "heard "+word {
			t.Errorf("%v: %q", err, lines.Text())
		}
	}
	in.Close()
	var ended *exec.ExitError
	if err := wait(); !errors.As(err, &ended) || ended.ExitCode() != 4 || Started.Load() != before+1 {
		t.Errorf("it ended with %v; %d were started", err, Started.Load()-before)
	}
	if _, _, _, err := Pipe(Cmd{Name: "no-such-program"}); err == nil || !strings.Contains(err.Error(), "cannot start no-such-program") {
		t.Errorf("what is not there: %v", err)
	}
}

// With GIT_PLAN_TRACE every program that runs is printed, with its exit code and its time.
func TestProgramsAreTraced(t *testing.T) {
	for value, want := range map[string]bool{"1": true, "true": true, "": false, "0": false, "FALSE": false} {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "PROC_TEST_RUN=exit 3", "GIT_PLAN_TRACE="+value)
		said, _ := cmd.CombinedOutput()
		if got := strings.HasPrefix(string(said), "trace: ") && strings.HasSuffix(string(said), "ms code 3: sh -c exit 3\n"); got != want || !want && len(said) > 0 {
			t.Errorf("GIT_PLAN_TRACE=%s: %q", value, said)
		}
	}
}

// With an ended context nothing is started.
func TestNothingStartsWithAnEndedContext(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("enough")
	cancel(why)
	made := filepath.Join(t.TempDir(), "made")
	if exit, err := Run(ctx, Cmd{Name: "touch", Args: []string{made}}); err != why || exit.Code != -1 || exit.OK() {
		t.Errorf("%+v, %v", exit, err)
	}
	if _, err := os.Stat(made); err == nil {
		t.Error("it was started")
	}
}

// A program without its own group, such as one that needs the terminal, is ended alone; it gets no SIGINT,
// since the terminal sends that.
func TestProgramWithoutAGroupIsEndedAlone(t *testing.T) {
	name, args := Shell("trap 'exit 6' TERM; : >ready; while :; do sleep 0.05; done")
	exit := inTime(t, Cmd{Name: name, Args: args, Dir: t.TempDir(), Interrupt: func(error) time.Duration { return time.Minute }})
	if !exit.TimedOut || exit.Code != 6 {
		t.Errorf("%+v", exit)
	}
}

// A Head keeps what it has room for, and says that there was more.
func TestHeadKeepsTheBeginning(t *testing.T) {
	for _, c := range []struct {
		parts string
		want  string
		over  bool
	}{{"", "", false}, {"ab cde", "abcde", false}, {"abc def g", "abcde", true}, {"abcdefgh", "abcde", true}} {
		h := &Head{Max: 5}
		for _, part := range strings.Fields(c.parts) {
			if n, err := h.Write([]byte(part)); n != len(part) || err != nil {
				t.Errorf("%q: %d, %v", part, n, err)
			}
		}
		if string(h.Text) != c.want || h.Over != c.over {
			t.Errorf("%q: %q, %v", c.parts, h.Text, h.Over)
		}
	}
}

// A Tail is valid text whatever is written to it, and all of it while there is room.
func TestTailIsValidText(t *testing.T) {
	all := &Tail{}
	for range 100 {
		_, _ = io.WriteString(all, "é and more\n")
	}
	if got := all.String(); got != strings.Repeat("é and more\n", 100) {
		t.Errorf("something is missing: %q", got)
	}
	cut := &Tail{Size: 11}
	_, _ = io.WriteString(cut, strings.Repeat("é", 20))
	if got := cut.String(); !strings.Contains(got, "bytes left out") || strings.ToValidUTF8(got, "") != got {
		t.Errorf("%q", got)
	}
}
