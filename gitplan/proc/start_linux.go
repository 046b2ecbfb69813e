package proc

import (
	"errors"
	"fmt"
	"os"
	"os/exec"

	"github.com/git-plan/git-plan/gitplan/confine"
)

// start starts a program, confined if c says so. A supervisor ends everything the program
// starts, unless the program has its own process numbers, with which the kernel does so.
func start(cmd *exec.Cmd, c Cmd) (family, error) {
	switch {
	case c.Confine != nil && c.Confine.By != confine.Unconfined:
		return startConfined(cmd, *c.Confine)
	case c.Group:
		return supervise(cmd, ownGroupOnly)
	}
	return alone{cmd}, cmd.Start()
}

// startConfined starts a program without a terminal: nothing can be typed into the person's.
func startConfined(cmd *exec.Cmd, b confine.Bounds) (family, error) {
	switch b.By {
	case confine.Bwrap:
		if err := wrap(cmd, b); err != nil {
			return nil, err
		}
		return startWrapped(cmd)
	case confine.Landlock:
		rules, err := b.Ruleset()
		if err != nil {
			return nil, err
		}
		defer rules.Close()
		return supervise(cmd, restricted, rules)
	case confine.Seatbelt:
		return nil, errors.New("only macOS has it")
	}
	return nil, fmt.Errorf("there is no sandbox %q", b.By)
}

// wrap puts bwrap in front of a program.
func wrap(cmd *exec.Cmd, b confine.Bounds) error {
	if cmd.Err != nil {
		return cmd.Err
	}
	bwrap, err := outside("bwrap")
	if errors.Is(err, exec.ErrNotFound) {
		return errors.New("bwrap is not installed (its package is bubblewrap)")
	}
	if err != nil {
		return err
	}
	cmd.Path, cmd.Args = bwrap, b.Bwrap(bwrap, cmd.Path, cmd.Args[1:])
	return nil
}

// gainsPrivileges reports whether a program may have more rights than whoever starts it.
func gainsPrivileges(name string) bool {
	path, err := outside(name)
	if err != nil {
		return true
	}
	info, err := os.Stat(path)
	return err != nil || info.Mode()&os.ModeSetuid != 0
}
