package proc

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// supervisor is the name under which this very program is started again to start
// another one and to end all that comes of it: it adopts every descendant whose
// parent ends (PR_SET_CHILD_SUBREAPER), so that none can leave, whatever groups,
// sessions and environments they make for themselves. Since it is no parent of
// anything else, what it ends is nobody else's.
const supervisor = "git-plan-supervisor"

// The files that a supervisor is given behind the first three.
const (
	lifeline = 3 // a socket: it says why the program was not started; at its end all is ended
	rulesFD  = 4 // a Landlock ruleset, for what is restricted
)

// supervised is a program under a supervisor.
type supervised struct {
	cmd   *exec.Cmd
	line  int  // our end of the lifeline
	ended bool // it was said that all is to end
}

// supervise starts cmd under a supervisor, as own says; files are what it needs for that.
// Nothing is waited for: a program that runs unconfined may stop its supervisor before that
// has said a word.
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
	cmd.Path, cmd.SysProcAttr = "/proc/self/exe", ownGroup() // this file, though another one took its name
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

// kill has the supervisor kill, which an unconfined program may have stopped; when
// that was said before, it is killed itself.
func (s *supervised) kill() {
	if s.ended {
		_ = s.cmd.Process.Kill()
		return
	}
	s.ended = true
	_ = unix.Shutdown(s.line, unix.SHUT_WR)
	_ = s.cmd.Process.Signal(syscall.SIGCONT)
}

// over looks for what a supervisor left that did not end by itself: an unconfined
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
