package proc

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// supervisor is the name under which this very program is started a second time, to start
// another program and to end everything that comes of it: it adopts every descendant whose
// parent ends (PR_SET_CHILD_SUBREAPER), so that none can leave, whatever groups,
// sessions and environments they make for themselves. It has no other children, so
// everything it ends came of that program.
const supervisor = "git-plan-supervisor"

// The files that a supervisor is given after the first three.
const (
	lifeline = 3 // a socket: the supervisor writes why the program was not started, and ends all when it closes
	rulesFD  = 4 // a Landlock ruleset, for a program that is restricted
)

// supervised is a program under a supervisor.
type supervised struct {
	cmd   *exec.Cmd
	line  int  // our end of the lifeline
	ended bool // the supervisor was asked to end all
}

// supervise starts cmd under a supervisor. own says what the program is besides its child, and
// files are what the supervisor needs for that. It waits for no answer: a program that runs
// unconfined may stop its supervisor before that has said a word.
func supervise(cmd *exec.Cmd, own string, files ...*os.File) (family, error) {
	if cmd.Err != nil {
		return nil, cmd.Err
	}
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	theirs := os.NewFile(uintptr(pair[1]), "lifeline")
	cmd.Args = append([]string{supervisor, own, cmd.Path}, cmd.Args...)
	cmd.Path, cmd.SysProcAttr = "/proc/self/exe", ownGroup() // this program, even if its file was replaced
	cmd.ExtraFiles = append([]*os.File{theirs}, files...)
	err = cmd.Start()
	theirs.Close()
	if err != nil {
		unix.Close(pair[0])
		return nil, err
	}
	return &supervised{cmd: cmd, line: pair[0]}, nil
}

func (s *supervised) interrupt() bool { return s.cmd.Process.Signal(syscall.SIGINT) == nil }

func (s *supervised) terminate() { terminate(s.cmd.Process) }

// kill has the supervisor kill everything, and wakes it, as an unconfined program may have
// stopped it. Called a second time, it kills the supervisor.
func (s *supervised) kill() {
	if s.ended {
		_ = s.cmd.Process.Kill()
		return
	}
	s.ended = true
	_ = unix.Shutdown(s.line, unix.SHUT_WR)
	_ = s.cmd.Process.Signal(syscall.SIGCONT)
}

// over looks for what is left if the supervisor did not end by itself: an unconfined
// program may have killed it.
func (s *supervised) over(mark string) error {
	defer unix.Close(s.line)
	if state := s.cmd.ProcessState; state == nil || !state.Exited() {
		Sweep(mark)
	}
	why := make([]byte, 4<<10)
	if n, _, err := unix.Recvfrom(s.line, why, unix.MSG_DONTWAIT); err == nil && n > 0 {
		return errors.New(strings.ToValidUTF8(string(why[:n]), "?"))
	}
	return nil
}
