package proc

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
)

// Sandboxes returns the kinds that this system may have, the strongest first.
func Sandboxes() []SandboxKind { return []SandboxKind{Seatbelt} }

// confine has a program started by sandbox-exec, in a session of its own: nothing
// can be typed into the person's terminal.
func confine(cmd *exec.Cmd, c *Confine) error {
	switch {
	case c == nil || c.By == Unconfined:
		return nil
	case c.By == Bwrap, c.By == Landlock:
		return errors.New("only Linux has it")
	case c.By != Seatbelt:
		return fmt.Errorf("there is no sandbox %q", c.By)
	case cmd.Err != nil:
		return cmd.Err
	}
	if _, err := os.Stat(sandboxExec); err != nil {
		return err
	}
	cmd.Args = append(append(seatbelt(c.paths()), cmd.Path), cmd.Args[1:]...)
	cmd.Path, cmd.SysProcAttr = sandboxExec, &syscall.SysProcAttr{Setsid: true}
	return nil
}
