//go:build linux

package proc

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// kinds returns the sandboxes that work here.
func kinds(t testing.TB) []SandboxKind {
	var out []SandboxKind
	for _, k := range []SandboxKind{Bwrap, Landlock} {
		if err := Works(t.Context(), k); err != nil {
			t.Logf("NOT TESTED: %s does not work here: %v", k, err)
			continue
		}
		out = append(out, k)
	}
	return out
}

// holdsSignals reports whether Landlock here blocks signals to other programs, and abstract sockets of
// others: from Linux 6.12.
func holdsSignals() bool {
	version, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	return errno == 0 && version >= 6
}

// house returns a writable tree with a read-only .git, and a home with a secret, beside files of others.
func house(t testing.TB, by SandboxKind) (dir string, c *Confinement) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for file, text := range map[string]string{
		"tree/.git/config": "git's", "tree/file": "tree", "home/.ssh/id": "SECRET", "home/.netrc": "SECRET",
		"home/.ssh2": "plain", "home/.cache/go/entry": "cached", "outside": "others'",
	} {
		path := filepath.Join(dir, file)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for from, to := range map[string]string{"tree/link": "../home/.ssh/id", "home/keys": ".ssh"} {
		if err := os.Symlink(to, filepath.Join(dir, from)); err != nil {
			t.Fatal(err)
		}
	}
	in := func(p string) string { return filepath.Join(dir, p) }
	return dir, &Confinement{By: by, Writable: []string{in("tree"), in("home/.cache"), in("missing")},
		ReadOnly: []string{in("tree/.git")}, Hidden: []string{in("home/keys"), in("home/.netrc"), in("home/.aws")}}
}

func confined(t testing.TB, dir string, c *Confinement, line string) (bool, string) {
	var out bytes.Buffer
	name, args := Shell(line)
	exit, err := Run(t.Context(), Cmd{Name: name, Args: args, Dir: filepath.Join(dir, "tree"), Group: true,
		Stdout: &out, Stderr: &out, Confine: c})
	if err != nil {
		t.Fatalf("%q: %v", line, err)
	}
	return exit.OK(), out.String()
}

func TestConfinedProgramWritesAndReadsOnlyWhatItMay(t *testing.T) {
	for _, k := range kinds(t) {
		for _, c := range []struct {
			line string
			may  bool
		}{
			{"echo x >new && mkdir -p a/b && mv new a/b && rm -r a && grep -q tree file", true},
			{"echo x >../home/.cache/go/entry && cat ../home/.cache/go/entry", true},
			{"cat ../outside ../home/.ssh2 /etc/passwd", true},
			{"echo x >/dev/null && echo x >/dev/stderr && cat /dev/null", true},
			{"cat /proc/self/status && ls -l /proc/self/fd", true},
			{"sleep 60 & kill $!", true},

			{"echo x >../outside", false},
			{"echo x >>../outside", false},
			{"echo x >../new", false},
			{": >../outside", false},
			{"truncate -s 0 ../outside", false},
			{"rm -f ../outside", false},
			{"mv ../outside .", false},
			{"chmod 700 ../outside && touch -d 2001-01-01 ../outside", k == Landlock},
			{"ln ../outside hard && echo x >hard", false},
			{"ln -s ../outside soft && echo x >soft", false},
			{"cd .. && cd home && echo x >.profile", false},
			{`echo x >/proc/self/root"$(realpath ..)"/outside`, false},
			{"mkdir ../home/.config", false},
			{"mknod disk b 8 0", false},
			{"cat ../home/.ssh/id", false},
			{"cat ../home/keys/id", false},
			{"cat link", false},
			{"cat ../home/.netrc", false},
			{"ln ../home/.ssh/id hard && cat hard", false},
			{"cp -r ../home/.ssh . && cat .ssh/id", false},
			{`cat /proc/self/root"$(realpath ..)"/home/.ssh/id`, false},
			{"cd ../home/.ssh && cat id", false},
			{fmt.Sprintf("cat /proc/%d/environ", os.Getpid()), false},
			{fmt.Sprintf("kill -CONT %d", os.Getpid()), k == Landlock && !holdsSignals()},
			{fmt.Sprintf("cat /proc/%d/root/etc/passwd", os.Getpid()), false},
			{"umount ../home/.ssh && cat ../home/.ssh/id", false},
			{"mount -o remount,rw / && echo x >../outside", false},
		} {
			dir, rules := house(t, k)
			may, said := confined(t, dir, rules, c.line)
			outside, _ := os.ReadFile(filepath.Join(dir, "outside"))
			if may != c.may || string(outside) != "others'" || strings.Contains(said, "SECRET") {
				t.Errorf("%s: %q allowed: %v, want %v; outside contains %q; output %q", k, c.line, may, c.may, outside, said)
			}
		}
		dir, rules := house(t, k)
		if may, said := confined(t, dir, rules, "echo x >.git/config"); may != (k == Landlock) {
			t.Errorf("%s: writing the git folder may: %v: %s", k, may, said)
		}
	}
}

// A program with the person's terminal could type commands into it, which the shell would run later.
func TestConfinedProgramIsWithoutATerminal(t *testing.T) {
	const line = "echo seen >/dev/tty"
	for _, k := range kinds(t) {
		dir, rules := house(t, k)
		if !inATerminal(t, line, nil) {
			t.Fatal("the program of the test is without a terminal too")
		}
		rules.Writable = append(rules.Writable, "/dev")
		if inATerminal(t, line, rules) {
			t.Errorf("%s: a program in %s has the terminal", k, dir)
		}
	}
}

// inATerminal runs a line with a new terminal, and reports whether it succeeded: this test binary, started
// again, leads the terminal's session.
func inATerminal(t *testing.T, line string, c *Confinement) bool {
	t.Helper()
	theirs := terminal(t)
	rules, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "PROC_TEST_RUN="+line, "PROC_TEST_CONFINE="+string(rules))
	cmd.Stdin = theirs
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	return cmd.Run() == nil
}

// terminal returns a new terminal.
func terminal(t *testing.T) *os.File {
	t.Helper()
	_, name := master(t)
	theirs, err := os.OpenFile(name, os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { theirs.Close() })
	return theirs
}

// master returns the test's side of a terminal, and the name of the other one.
func master(t *testing.T) (ours *os.File, name string) {
	t.Helper()
	ours, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ours.Close() })
	if err := unix.IoctlSetPointerInt(int(ours.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(int(ours.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	return ours, fmt.Sprintf("/dev/pts/%d", n)
}

// Another terminal would show what is written to it, and read what is typed there; a disk contains all files.
func TestConfinedProgramHasNoDevicesOfOthers(t *testing.T) {
	pty := terminal(t).Name()
	for _, k := range kinds(t) {
		dir, rules := house(t, k)
		rules.Hidden = nil // also if nothing is
		for _, line := range []string{"true >" + pty, "true <" + pty, `for f in /dev/*; do test -b "$f" && true <"$f" && exit; done; false`} {
			if may, said := confined(t, dir, rules, line); may {
				t.Errorf("%s: %q may: %s", k, line, said)
			}
		}
		if may, said := confined(t, dir, rules, "head -c 1 </dev/urandom >/dev/null && echo x >/dev/shm/git-plan-$$ && rm /dev/shm/git-plan-$$"); !may {
			t.Errorf("%s: %s", k, said)
		}
	}
}

// A child that leaves its group, and its session, ends with the program.
func TestNothingOutlivesAConfinedProgram(t *testing.T) {
	for _, k := range kinds(t) {
		dir, rules := house(t, k)
		name, args := Shell("mkfifo up && { setsid sh -c 'echo >up; exec sleep 300' </dev/null >/dev/null 2>&1 & read -r line <up; }")
		if exit, err := Run(t.Context(), Cmd{Name: name, Args: args, Dir: filepath.Join(dir, "tree"), Group: true, Confine: rules,
			Env: append(os.Environ(), Mark("outlive-"+string(k)))}); err != nil || !exit.OK() {
			t.Fatalf("%s: %+v, %v: nothing was left running to be ended", k, exit, err)
		}
		left, _ := markedProcesses(Mark("outlive-" + string(k)))
		for _, pid := range left { // killed, and perhaps not yet dead
			gone(t, fmt.Sprint(pid))
		}
	}
}

// Confining programs, many at once, confines none of this process's own threads.
func TestOwnThreadsStayUnconfined(t *testing.T) {
	for _, k := range kinds(t) {
		dir, rules := house(t, k)
		var all sync.WaitGroup
		for i := range 100 {
			all.Go(func() {
				if may, said := confined(t, dir, rules, fmt.Sprintf("echo x >n%d && ! echo x >../outside", i)); !may {
					t.Errorf("%s: %s", k, said)
				}
			})
			all.Go(func() { free(t, dir, fmt.Sprint("free", i)) })
		}
		all.Wait()
		for i := range 100 { // and afterwards, on as many threads as there are
			all.Go(func() { free(t, dir, fmt.Sprint("later", i)) })
		}
		all.Wait()
		if out, err := exec.Command("grep", "-L", "NoNewPrivs:\t0", "-r", "/proc/self/status").CombinedOutput(); len(out) > 0 {
			t.Errorf("%s: an unconfined program cannot gain privileges any more: %s, %v", k, out, err)
		}
	}
}

func free(t *testing.T, dir, name string) {
	if err := os.WriteFile(filepath.Join(dir, name), []byte(name), 0o644); err != nil {
		t.Error(err)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "home/.ssh/id")); err != nil || string(text) != "SECRET" {
		t.Errorf("we cannot read any more: %q, %v", text, err)
	}
}

func TestUnconfinableProgramsAreNotStarted(t *testing.T) {
	dir, rules := house(t, "jail")
	name, args := Shell("echo x >ran")
	if _, err := Run(t.Context(), Cmd{Name: name, Args: args, Dir: dir, Confine: rules}); err == nil {
		t.Error("it was started")
	}
	if err := os.Symlink("/bin/sh", filepath.Join(dir, "sh")); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir) // without bwrap
	rules.By = Bwrap
	if _, err := Run(t.Context(), Cmd{Name: name, Args: args, Dir: dir, Confine: rules}); err == nil {
		t.Error("it was started without bwrap")
	}
	if _, err := os.Stat(filepath.Join(dir, "ran")); err == nil {
		t.Error("it ran")
	}
	if err := Works(t.Context(), Bwrap); err == nil || !strings.Contains(err.Error(), "not installed") {
		t.Errorf("bwrap is said to work: %v", err)
	}
}

// BenchmarkConfined prints what a sandbox costs one command: the time, and the ratio to the same command
// without.
func BenchmarkConfined(b *testing.B) {
	var plain float64
	for _, k := range append([]SandboxKind{Unconfined}, kinds(b)...) {
		b.Run(string(k), func(b *testing.B) {
			dir, rules := house(b, k)
			for b.Loop() {
				confined(b, dir, rules, "cat file >copy")
			}
			each := float64(b.Elapsed().Microseconds()) / float64(b.N)
			if k == Unconfined {
				plain = each
			}
			b.ReportMetric(each/plain, "ratio")
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(each/1000, "ms/command")
		})
	}
}

// A file that git plan inherited open is not passed on to the programs that it starts.
func TestNoOpenFileIsPassedOn(t *testing.T) {
	for _, k := range append(kinds(t), "") {
		dir, rules := house(t, k)
		if k == "" {
			rules = nil
		}
		fd, err := unix.Open(filepath.Join(dir, "home"), unix.O_RDONLY|unix.O_DIRECTORY, 0) // passed on
		if err != nil {
			t.Fatal(err)
		}
		if _, said := confined(t, dir, rules, fmt.Sprintf("cat /proc/self/fd/%d/.ssh/id; echo x >/proc/self/fd/%d/new", fd, fd)); strings.Contains(said, "SECRET") {
			t.Errorf("%q: it reads what was open: %s", k, said)
		}
		if _, err := os.Lstat(filepath.Join(dir, "home/new")); err == nil {
			t.Errorf("%q: it writes where a folder was open", k)
		}
		_ = unix.Close(fd)
	}
}

// Shared memory of the person's other programs is not reachable in bwrap.
func TestNoSharedMemoryInBwrap(t *testing.T) {
	if err := Works(t.Context(), Bwrap); err != nil {
		t.Skip(err)
	}
	ours, err := os.Readlink("/proc/self/ns/ipc")
	if err != nil {
		t.Skip(err)
	}
	dir, rules := house(t, Bwrap)
	if _, theirs := confined(t, dir, rules, "readlink /proc/self/ns/ipc"); !strings.HasPrefix(theirs, "ipc:") || strings.TrimSpace(theirs) == ours {
		t.Errorf("it has %s, and we %s", theirs, ours)
	}
}
