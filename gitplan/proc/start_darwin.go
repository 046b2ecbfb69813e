package proc

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"

	"github.com/git-plan/git-plan/gitplan/confine"
)

// holdTo has sandbox-exec start a program, in a session of its own: nothing
// can be typed into the person's terminal.
func holdTo(b *confine.Bounds, cmd *exec.Cmd) error {
	switch {
	case b == nil || b.By == confine.Unconfined:
		return nil
	case b.By == confine.Bwrap, b.By == confine.Landlock:
		return errors.New("only Linux has it")
	case b.By != confine.Seatbelt:
		return fmt.Errorf("there is no sandbox %q", b.By)
	case cmd.Err != nil:
		return cmd.Err
	}
	if _, err := os.Stat(confine.SandboxExec); err != nil {
		return err
	}
	cmd.Args = append(append(b.Seatbelt(), cmd.Path), cmd.Args[1:]...)
	cmd.Path, cmd.SysProcAttr = confine.SandboxExec, &syscall.SysProcAttr{Setsid: true}
	return nil
}
