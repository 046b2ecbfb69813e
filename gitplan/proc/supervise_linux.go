package proc

import (
	"errors"
	"io"
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
	lifeline = 3 // a socket: it says whether the program was started; at its end all is ended
	rulesFD  = 4 // a Landlock ruleset, for what is restricted
)

// supervised is a program under a supervisor.
type supervised struct {
	cmd  *exec.Cmd
	line *os.File
}

// supervise starts cmd under a supervisor, as own says; files are what it needs for that.
func supervise(cmd *exec.Cmd, own string, files ...*os.File) (family, error) {
	if cmd.Err != nil {
		return nil, cmd.Err
	}
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	ours, theirs := os.NewFile(uintptr(pair[0]), "lifeline"), os.NewFile(uintptr(pair[1]), "lifeline")
	cmd.Args = append([]string{supervisor, own, cmd.Path}, cmd.Args...)
	cmd.Path, cmd.SysProcAttr = "/proc/self/exe", ownGroup() // this file, though another one took its name
	cmd.ExtraFiles = append([]*os.File{theirs}, files...)
	err = cmd.Start()
	theirs.Close()
	if err != nil {
		ours.Close()
		return nil, err
	}
	if why := began(ours); why != "" {
		ours.Close()
		_ = cmd.Wait()
		return nil, errors.New(why)
	}
	return &supervised{cmd, ours}, nil
}

// started is what a supervisor says first when its program has begun.
const started = "\n"

// began hears of a supervisor whether its program was started; else why not.
func began(line io.Reader) string {
	said := make([]byte, 4<<10)
	switch n, _ := line.Read(said); {
	case n == 0:
		return "its supervisor died"
	case string(said[:n]) == started:
		return ""
	default:
		return strings.ToValidUTF8(string(said[:n]), "?")
	}
}

func (s *supervised) interrupt() bool { return s.cmd.Process.Signal(syscall.SIGINT) == nil }

func (s *supervised) terminate() { terminate(s.cmd.Process) }

// kill has the supervisor kill, which an unconfined program may have stopped; when
// that was said before, it is killed itself.
func (s *supervised) kill() {
	if s.line.Close() != nil {
		_ = s.cmd.Process.Kill()
		return
	}
	_ = s.cmd.Process.Signal(syscall.SIGCONT)
}

// over looks for what a supervisor left that did not end by itself: an unconfined
// program may have killed it.
func (s *supervised) over(mark string) {
	s.line.Close()
	if state := s.cmd.ProcessState; state == nil || !state.Exited() {
		Sweep(mark)
	}
}
