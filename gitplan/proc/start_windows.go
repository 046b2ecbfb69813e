package proc

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
)

// start starts a program. Windows ends no group without a job object: only the program itself is ended.
func start(cmd *exec.Cmd, c Cmd) (processTree, error) {
	if err := confineBy(c.Confine, cmd); err != nil {
		return nil, err
	}
	return singleProcess{cmd}, cmd.Start()
}

func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

func ownSession() *syscall.SysProcAttr { return ownGroup() }

// Interrupt fails: Windows has no signal for it.
func Interrupt(int) error { return errors.New("Windows has no signal for it: press Ctrl-C there") }

// readNow reads nothing: a pipe has no deadline there, and so was read to its end.
func readNow(*os.File, []byte) int { return 0 }

func terminate(p *os.Process) { _ = p.Kill() }

func exitCode(s *os.ProcessState) int {
	if s == nil {
		return -1
	}
	return s.ExitCode()
}
