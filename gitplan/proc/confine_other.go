//go:build !linux && !darwin

package proc

import (
	"errors"
	"os/exec"
)

// Sandboxes returns the kinds that this system may have: none.
func Sandboxes() []SandboxKind { return nil }

// confine refuses to: what was asked for is never silently left out.
func confine(_ *exec.Cmd, c *Confine) error {
	switch {
	case c == nil || c.By == Unconfined:
		return nil
	case c.By == Seatbelt:
		return errors.New("only macOS has it")
	}
	return errors.New("only Linux has it")
}
