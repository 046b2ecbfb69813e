package proc

import (
	"errors"
	"fmt"
	"os/exec"
)

// start starts a program, confined if c says so; a supervisor ends what comes of it or of a group.
func start(cmd *exec.Cmd, c Cmd) (processTree, error) {
	kind := Unconfined
	if c.Confine != nil {
		kind = c.Confine.By
	}
	switch kind {
	case Unconfined:
		if c.Group {
			return supervise(cmd, ownGroupOnly, nil)
		}
		return singleProcess{cmd}, cmd.Start()
	case Bwrap:
		if err := wrap(cmd, *c.Confine); err != nil {
			return nil, err
		}
		filter, err := callFilter()
		if err != nil {
			return nil, err
		}
		defer filter.Close()
		return supervise(cmd, wrapped, filter)
	case Landlock:
		rules, err := c.Confine.ruleset()
		if err != nil {
			return nil, err
		}
		defer rules.Close()
		return supervise(cmd, restricted, rules)
	case Seatbelt:
		return nil, errors.New("only macOS has it")
	}
	return nil, fmt.Errorf("there is no sandbox %q", kind)
}

// wrap puts bwrap in front of a program.
func wrap(cmd *exec.Cmd, b Bounds) error {
	if cmd.Err != nil {
		return cmd.Err
	}
	bwrap, err := outside("bwrap")
	if errors.Is(err, exec.ErrNotFound) {
		return errors.New("bwrap is not installed; its package is bubblewrap")
	}
	if err != nil {
		return err
	}
	cmd.Path, cmd.Args = bwrap, b.bwrap(bwrap, cmd.Path, cmd.Args[1:])
	return nil
}
