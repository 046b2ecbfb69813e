package proc

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
)

// holdTo has sandbox-exec start a program, in a session of its own: nothing
// can be typed into the person's terminal.
func holdTo(b *Bounds, cmd *exec.Cmd) error {
	switch {
	case b == nil || b.By == Unconfined:
		return nil
	case b.By == Bwrap, b.By == Landlock:
		return errors.New("only Linux has it")
	case b.By != Seatbelt:
		return fmt.Errorf("there is no sandbox %q", b.By)
	case cmd.Err != nil:
		return cmd.Err
	}
	if _, err := os.Stat(SandboxExec); err != nil {
		return err
	}
	cmd.Args = append(append(b.Seatbelt(), cmd.Path), cmd.Args[1:]...)
	cmd.Path, cmd.SysProcAttr = SandboxExec, &syscall.SysProcAttr{Setsid: true}
	return nil
}
