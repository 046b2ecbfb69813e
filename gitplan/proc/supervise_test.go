//go:build linux

package proc

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// listener returns one end of the FIFO "life" in a folder: a process lives if it has the other end open.
func listener(t *testing.T, dir string) (alive func() bool) {
	path := filepath.Join(dir, "life")
	if err := unix.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Close(fd) })
	return func() bool {
		_, err := unix.Read(fd, make([]byte, 1))
		return errors.Is(err, unix.EAGAIN) // otherwise it has ended
	}
}

// A child that leaves its group, its session and its environment ends with the program all the same, in every
// sandbox, and so does one that keeps forking.
func TestNothingThatAProgramStartedOutlivesIt(t *testing.T) {
	for name, line := range map[string]string{
		"a double fork": `exec 9>life
			env -i /bin/sh -c '(setsid /bin/sh -c "(setsid sleep 300 &) ; : >up; sleep 300" &)' </dev/null >/dev/null 2>&1
			until test -e up; do sleep 0.01; done`,
		"forking endlessly": `exec 9>life
			echo ': >up; test $1 -gt 0 && (setsid env -i /bin/sh ./ahead $(($1 - 1)) &)' >ahead
			sh ./ahead 20000 </dev/null >/dev/null 2>&1 # a minute, should nobody end it
			until test -e up; do sleep 0.01; done`,
		"its supervisor stopped": `exec 9>life; (setsid sleep 300 &) >/dev/null 2>&1; kill -STOP $PPID; :`,
	} {
		for _, k := range append(kinds(t), Unconfined) {
			dir, rules := house(t, k)
			tree := filepath.Join(dir, "tree")
			alive := listener(t, tree)
			sh, args := Shell(line)
			c := Cmd{Name: sh, Args: args, Dir: tree, Group: true, Confine: rules, Timeout: 2 * time.Minute}
			if strings.Contains(name, "stopped") {
				if k != Unconfined {
					continue // it cannot
				}
				c.Timeout = time.Second
			}
			if exit, err := Run(t.Context(), c); err != nil || exit.Code != 0 && exit.TimedOut == (c.Timeout > time.Second) {
				t.Errorf("%s: %s: %+v, %v", name, k, exit, err)
			}
			if alive() {
				t.Errorf("%s: %s: something is left", name, k)
			}
		}
	}
}

// A program may stop its supervisor before that has sent anything: it is not waited for.
func TestStoppedSupervisorIsNotWaitedFor(t *testing.T) {
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() {
			sh, args := Shell("kill -STOP $PPID; :")
			exit, err := Run(t.Context(), Cmd{Name: sh, Args: args, Group: true, Timeout: 10 * time.Millisecond})
			if err != nil || !exit.TimedOut {
				t.Errorf("%+v, %v", exit, err)
			}
		})
	}
	all.Wait()
}

// Processes that others started meanwhile, such as a daemon of git's, keep running.
func TestProcessesOfOthersStay(t *testing.T) {
	dir, rules := house(t, Unconfined)
	tree := filepath.Join(dir, "tree")
	alive := listener(t, tree)
	// It ends when the file is removed, so that no process of this test stays.
	sh, args := Shell("echo 'until ! test -e stay; do sleep 0.05; done' >daemon; : >stay; exec 9>life; (setsid sh ./daemon &) >/dev/null 2>&1")
	t.Cleanup(func() { _ = os.Remove(filepath.Join(tree, "stay")) })
	if exit, err := Run(t.Context(), Cmd{Name: sh, Args: args, Dir: tree}); err != nil || !exit.OK() {
		t.Fatalf("%+v, %v", exit, err)
	}
	for range 3 {
		if may, said := confined(t, dir, rules, "(setsid sleep 300 &) >/dev/null 2>&1"); !may {
			t.Fatal(said)
		}
	}
	if !alive() {
		t.Error("the daemon was ended")
	}
}

// If an unconfined program killed its supervisor, leftover processes are found by their mark.
func TestKilledSupervisorLeavesNothing(t *testing.T) {
	tree := t.TempDir()
	alive := listener(t, tree)
	sh, args := Shell("exec 9>life; (setsid sleep 300 &) </dev/null >/dev/null 2>&1; kill -KILL $PPID")
	exit, err := Run(t.Context(), Cmd{Name: sh, Args: args, Dir: tree, Group: true, Env: append(os.Environ(), Mark("orphans"))})
	if err != nil || exit.OK() {
		t.Errorf("%+v, %v", exit, err)
	}
	if left, _ := markedProcesses(Mark("orphans")); alive() && len(left) > 0 {
		for _, pid := range left { // killed, and perhaps not yet dead
			gone(t, fmt.Sprint(pid))
		}
	}
}

// A program under a supervisor gets the same as without.
func TestSupervisedProgramIsUnaffected(t *testing.T) {
	for line, want := range map[string]int{
		"exit 3": 3, "kill -TERM $$": 143, "kill -KILL $$": 137, "read x; test $x = typed": 0,
		`test "$0" = sh && test "$UNUSUAL" = "a b"`: 0, "test -z \"$(ls /proc/self/fd | grep -v '[0-3]')\"": 0,
	} {
		sh, args := Shell(line)
		exit, err := Run(t.Context(), Cmd{Name: sh, Args: args, Group: true, Stdin: strings.NewReader("typed\n"), Env: append(os.Environ(), "UNUSUAL=a b")})
		if err != nil || exit.Code != want {
			t.Errorf("%q: %+v, %v", line, exit, err)
		}
	}
	file := filepath.Join(t.TempDir(), "no-program")
	if err := os.WriteFile(file, []byte("#!/no/such/interpreter\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := Run(t.Context(), Cmd{Name: file, Group: true}); err == nil || !strings.Contains(err.Error(), "no such file") {
		t.Errorf("what cannot be run: %v", err)
	}
}

// A confined program changes only its own limits and priorities: otherwise it could end other processes, or
// keep its supervisor from seeing leftovers.
func TestLimitsOfOthersCannotBeSet(t *testing.T) {
	const line = `! prlimit --pid $PPID --nofile=64:64 && ! renice -n 5 -p $PPID && ! renice -n 5 -u $(id -u) && ! chrt -i -p 0 $PPID &&
		prlimit --nofile=64:64 true && nice -n 5 chrt -i 0 true && ulimit -n 64`
	for _, k := range kinds(t) {
		dir, rules := house(t, k)
		if may, said := confined(t, dir, rules, line); !may {
			t.Errorf("%s: %s", k, said)
		}
	}
}

// A supervisor that an unconfined program blinded reports that, and leftover processes are found by their
// mark.
func TestBlindedSupervisorFails(t *testing.T) {
	tree := t.TempDir()
	alive := listener(t, tree)
	sh, args := Shell("exec 9>life; (setsid sleep 300 &) </dev/null >/dev/null 2>&1; prlimit --pid $PPID --nofile=0:0")
	exit, err := Run(t.Context(), Cmd{Name: sh, Args: args, Dir: tree, Group: true, Env: append(os.Environ(), Mark("unseen"))})
	if err == nil || !strings.Contains(err.Error(), "cannot be ended") {
		t.Errorf("%+v, %v", exit, err)
	}
	if left, _ := markedProcesses(Mark("unseen")); alive() && len(left) > 0 {
		for _, pid := range left { // killed, and perhaps not yet dead
			gone(t, fmt.Sprint(pid))
		}
	}
}
