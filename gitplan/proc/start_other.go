//go:build !linux && !darwin

package proc

import (
	"errors"
	"os/exec"

	"github.com/git-plan/git-plan/gitplan/confine"
)

// holdTo refuses any bounds: what was asked for is never silently left out.
func holdTo(b *confine.Bounds, _ *exec.Cmd) error {
	switch {
	case b == nil || b.By == confine.Unconfined:
		return nil
	case b.By == confine.Seatbelt:
		return errors.New("only macOS has it")
	}
	return errors.New("only Linux has it")
}
