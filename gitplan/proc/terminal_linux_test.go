package proc

import (
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestForegroundTeller reports whether it may use the terminal that is its input.
func TestForegroundTeller(t *testing.T) {
	if os.Getenv("PROC_TEST_FOREGROUND") == "" {
		t.Skip("it is run by others")
	}
	if Foreground(0) {
		os.Stdout.WriteString("in front\n")
	} else {
		os.Stdout.WriteString("behind\n")
	}
	os.Exit(0)
}

// A shell that puts a program into the background keeps the terminal.
func TestBackgroundProgramHasNoTerminal(t *testing.T) {
	sh := exec.Command("sh", "-c", `set -m; "$0" -test.run=^TestForegroundTeller$ <&0 & wait; "$0" -test.run=^TestForegroundTeller$`, os.Args[0])
	sh.Env = append(os.Environ(), "PROC_TEST_FOREGROUND=1")
	sh.Stdin, sh.SysProcAttr = terminal(t), &syscall.SysProcAttr{Setsid: true, Setctty: true}
	out, err := sh.Output()
	if err != nil || string(out) != "behind\nin front\n" {
		t.Errorf("%v: %s", err, out)
	}
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	if !Foreground(int(null.Fd())) {
		t.Error("a file that is not a terminal is treated as one")
	}
}

// Typed input that was not read yet can be detected, and discarded: it does not answer a later question.
func TestTypedInputIsDiscarded(t *testing.T) {
	ours, name := master(t)
	theirs, err := os.OpenFile(name, os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer theirs.Close()
	fd := int(theirs.Fd())
	if Typed(fd, 0) {
		t.Error("something waits before anything was typed")
	}
	if _, err := ours.WriteString("y\n"); err != nil {
		t.Fatal(err)
	}
	if !Typed(fd, time.Minute) {
		t.Error("what was typed does not wait")
	}
	if Discard(fd); Typed(fd, 0) {
		t.Error("it still waits")
	}
	raw, err := unix.IoctlGetTermios(fd, getTermios)
	if err != nil {
		t.Fatal(err)
	}
	raw.Lflag &^= unix.ICANON | unix.ECHO // as a killed run leaves it
	if err := unix.IoctlSetTermios(fd, setTermios, raw); err != nil {
		t.Fatal(err)
	}
	Discard(fd)
	if now, err := unix.IoctlGetTermios(fd, getTermios); err != nil || now.Lflag&unix.ICANON == 0 || now.Lflag&unix.ECHO == 0 {
		t.Errorf("a question takes one key, unseen: %v %+v", err, now)
	}
	Discard(-1) // nothing is discarded from a file that is not a terminal
}

// A single key press is read at once, a paste is not; the terminal is restored after a question, and at the end.
func TestKeysOfATerminal(t *testing.T) {
	ours, name := master(t)
	theirs, err := os.OpenFile(name, os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer theirs.Close()
	fd := int(theirs.Fd())
	typed := func(text string, want byte) {
		t.Helper()
		if _, err := ours.WriteString(text); err != nil {
			t.Fatal(err)
		}
		if got := Key(); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	echoes := func(want bool) {
		t.Helper()
		if now, err := unix.IoctlGetTermios(fd, getTermios); err != nil || (now.Lflag&unix.ECHO != 0) != want || (now.Lflag&unix.ICANON != 0) != want {
			t.Errorf("%v %+v, want echo: %t", err, now, want)
		}
	}
	OpenKeyboard(fd, func() (back func()) { return func() {} })
	defer CloseKeyboard()
	typed("", 0)
	echoes(false)
	typed("s", 's')
	typed("some text\n", 0)
	back := LendKeyboard()
	echoes(true)
	typed("d", 0)
	back()
	typed("", 0) // text typed meanwhile is not a key
	typed("l", 'l')
	CloseKeyboard()
	echoes(true)
	typed("l", 0)
}
