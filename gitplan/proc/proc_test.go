//go:build unix

package proc

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestMain lets this test binary play a program that runs another one: one that is then killed, or that leads
// a terminal's session.
func TestMain(m *testing.M) {
	if line := os.Getenv("PROC_TEST_RUN"); line != "" {
		name, args := Shell(line)
		var c *Confinement
		_ = json.Unmarshal([]byte(os.Getenv("PROC_TEST_CONFINE")), &c)
		timeout, _ := time.ParseDuration(os.Getenv("PROC_TEST_TIMEOUT"))
		if exit, err := Run(context.Background(), Cmd{Name: name, Args: args, Group: true, Confine: c, Timeout: timeout, Stdout: io.Discard}); err != nil || !exit.OK() {
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

func TestExitStatuses(t *testing.T) {
	for _, c := range []struct {
		line string
		cmd  Cmd
		want Exit
	}{
		{"exit 0", Cmd{}, Exit{Code: 0}},
		{"exit 7", Cmd{}, Exit{Code: 7}},
		{"kill -TERM $$", Cmd{}, Exit{Code: 143}},
		{"sleep 60", Cmd{Timeout: 50 * time.Millisecond}, Exit{Code: 143, TimedOut: true}},
	} {
		c.cmd.Name, c.cmd.Args = Shell(c.line)
		c.cmd.Group = true
		got, err := Run(t.Context(), c.cmd)
		got.Duration = 0
		if err != nil || got != c.want {
			t.Errorf("%q ended as %+v, %v; want %+v", c.line, got, err, c.want)
		}
	}
}

// A person may remove a work tree while a program runs in it.
func TestRemovedFolderIsNamed(t *testing.T) {
	gone := filepath.Join(t.TempDir(), "gone")
	name, args := Shell("true")
	if _, err := Run(t.Context(), Cmd{Name: name, Args: args, Dir: gone, Group: true}); err == nil || !strings.Contains(err.Error(), gone) {
		t.Errorf("the error is %v", err)
	}
}

// A program that should be asked to end gets SIGINT first, and SIGTERM if it ignores that.
func TestGroupIsInterruptedBeforeItIsTerminated(t *testing.T) {
	for line, c := range map[string]struct {
		grace time.Duration
		want  int
	}{
		"trap 'exit 7' INT; echo; while :; do sleep 0.05; done": {time.Minute, 7},
		"trap '' INT; echo; while :; do sleep 0.05; done":       {100 * time.Millisecond, 143},
	} {
		ctx, cancel := context.WithCancelCause(t.Context())
		why := errors.New("enough")
		name, args := Shell(line)
		got, err := Run(ctx, Cmd{Name: name, Args: args, Group: true, Stdout: writer(func() { cancel(why) }),
			Interrupt: func(cause error) time.Duration {
				if cause != why {
					t.Errorf("it was ended because of %v", cause)
				}
				return c.grace
			}})
		if err != why || got.Code != c.want {
			t.Errorf("%q ended with %d, %v", line, got.Code, err)
		}
	}
}

// writer calls a function when something is written.
type writer func()

func (w writer) Write(p []byte) (int, error) {
	w()
	return len(p), nil
}

func TestChildrenEndWithTheProgram(t *testing.T) {
	name, args := Shell("sleep 300 & echo $!")
	var out bytes.Buffer
	if _, err := Run(t.Context(), Cmd{Name: name, Args: args, Group: true, Stdout: &out}); err != nil {
		t.Fatal(err)
	}
	gone(t, out.String())
}

// A program ends with its parent, even if that is killed.
func TestProgramsEndWithAKilledParent(t *testing.T) {
	pids := filepath.Join(t.TempDir(), "pids")
	parent := exec.Command(os.Args[0])
	parent.Env = append(os.Environ(), fmt.Sprintf("PROC_TEST_RUN=sleep 300 & echo $! >%s; sleep 300", pids))
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	var pid []byte
	eventually(t, func() bool { pid, _ = os.ReadFile(pids); return strings.HasSuffix(string(pid), "\n") })
	if err := parent.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = parent.Wait()
	gone(t, string(pid))
}

// slow accepts the first write only after a while, as if this process had been suspended.
type slow struct {
	taken int
	woken bool
}

func (s *slow) Write(p []byte) (int, error) {
	if !s.woken {
		time.Sleep(drain + 200*time.Millisecond)
		s.woken = true
	}
	s.taken += len(p)
	return len(p), nil
}

// However long reading takes, all output of a program is read; a child that it left running, with its output
// open, is not waited for.
func TestNoWrittenOutputIsLost(t *testing.T) {
	const left = 300 * time.Second
	for _, line := range []string{
		"echo; sleep 0.1; head -c 60000 /dev/zero",
		fmt.Sprintf("echo; sleep 0.1; head -c 60000 /dev/zero; sleep %.0f &", left.Seconds()),
		"echo >&2; sleep 0.1; head -c 60000 /dev/zero >&2",
	} {
		name, args := Shell(line)
		var out slow
		exit, err := Run(t.Context(), Cmd{Name: name, Args: args, Group: true, Stdout: &out, Stderr: &out})
		if err != nil || !exit.OK() || out.taken != 60001 || exit.Duration >= left {
			t.Errorf("%s: %+v, %v: %d bytes", line, exit, err, out.taken)
		}
	}
}

// A writer that fails ends the program, and its error is reported.
func TestFailingWriterEndsTheProgram(t *testing.T) {
	reader, writer := io.Pipe()
	_ = reader.CloseWithError(errors.New("full"))
	name, args := Shell("yes")
	exit, err := Run(t.Context(), Cmd{Name: name, Args: args, Group: true, Stdout: writer, Timeout: time.Minute})
	if exit.OK() || exit.TimedOut {
		t.Errorf("%+v, %v", exit, err)
	}
}

// A child that left the group, and the session, is found by an inherited variable.
func TestChildrenOutsideTheGroupEndToo(t *testing.T) {
	if _, ok := Find("setsid"); !ok {
		t.Skip("no setsid here")
	}
	name, args := Shell("mkfifo up && { setsid sh -c 'echo $$ >up; exec sleep 300' & read -r pid <up; echo $pid; }")
	var out bytes.Buffer
	if _, err := Run(t.Context(), Cmd{Name: name, Args: args, Dir: t.TempDir(), Group: true, Stdout: &out,
		Env: append(os.Environ(), Mark("left"))}); err != nil {
		t.Fatal(err)
	}
	gone(t, out.String())
}

// macOS reports a process's arguments and environment together: here in the documented format, with a mark
// among the arguments that does not count.
func TestEnvironmentAfterTheArguments(t *testing.T) {
	args := "\x02\x00\x00\x00/bin/env\x00\x00\x00\x00\x00env\x00GIT_PLAN_SESSION=a\x00HOME=/h\x00GIT_PLAN_SESSION=b\x00\x00"
	for in, want := range map[string]string{args: "HOME=/h\x00GIT_PLAN_SESSION=b\x00\x00", args[:20]: "", "\x09": "", "\xff\xff\xff\xffx": ""} {
		if got := string(environmentAfterArguments([]byte(in))); got != want {
			t.Errorf("%q contains the environment %q; want %q", in, got, want)
		}
	}
}

func gone(t *testing.T, pid string) {
	t.Helper()
	n, err := strconv.Atoi(strings.TrimSpace(pid))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			_ = syscall.Kill(n, syscall.SIGKILL)
		}
	})
	eventually(t, func() bool { return syscall.Kill(n, 0) != nil })
}

// eventually waits, for as long as a loaded machine may need, until a condition holds.
func eventually(t *testing.T, so func() bool) {
	t.Helper()
	for range 6000 {
		if so() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("the condition never held")
}

// inTime runs c with longer and longer limits, until the program has created the file "ready" in its folder
// before it was ended.
func inTime(t *testing.T, c Cmd) Exit {
	t.Helper()
	ready := filepath.Join(c.Dir, "ready")
	for c.Timeout = time.Second / 4; ; c.Timeout *= 2 {
		exit, err := Run(t.Context(), c)
		if err != nil || c.Timeout > time.Minute {
			t.Fatalf("with %v it ended as %+v, %v", c.Timeout, exit, err)
		}
		if _, err := os.Stat(ready); err == nil {
			return exit
		}
	}
}

// A program that ignores signals is killed.
func TestProgramThatIgnoresSignalsIsKilled(t *testing.T) {
	name, args := Shell("trap '' TERM; : >ready; sleep 60")
	if exit := inTime(t, Cmd{Name: name, Args: args, Group: true, Dir: t.TempDir()}); !exit.TimedOut || exit.Code != 137 || exit.OK() {
		t.Errorf("it ended as %+v", exit)
	}
}

func TestTailKeepsHeadAndEnd(t *testing.T) {
	tail := &Tail{Size: 200}
	for i := range 10000 {
		fmt.Fprintf(tail, "line %d\n", i)
	}
	got := tail.String()
	if !strings.HasPrefix(got, "line 0\n") || !strings.HasSuffix(got, "line 9999\n") || len(got) > 300 {
		t.Errorf("the tail is %q", got)
	}
	if !strings.Contains(got, "bytes left out") {
		t.Error("the tail does not say that something is missing")
	}
}
