package proc

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// Sandboxes returns the kinds that this system may have, the strongest first.
func Sandboxes() []SandboxKind { return []SandboxKind{Bwrap, Landlock} }

// start starts a program, confined if c says so. What is to be ended with all that
// it starts has a supervisor, if it has no process numbers of its own.
func start(cmd *exec.Cmd, c Cmd) (family, error) {
	switch {
	case c.Confine != nil && c.Confine.By != Unconfined:
		return startConfined(cmd, *c.Confine)
	case c.Group:
		return supervise(cmd, ownGroupOnly)
	}
	return alone{cmd}, cmd.Start()
}

// startConfined starts a program without a terminal: nothing can be typed into the person's.
func startConfined(cmd *exec.Cmd, c Confine) (family, error) {
	switch now := c.paths(); c.By {
	case Bwrap:
		if err := wrap(cmd, now); err != nil {
			return nil, err
		}
		return startWrapped(cmd)
	case Landlock:
		rules, err := newRuleset(now)
		if err != nil {
			return nil, err
		}
		file := os.NewFile(uintptr(rules.fd), "rules")
		defer file.Close()
		return supervise(cmd, restricted, file)
	case Seatbelt:
		return nil, errors.New("only macOS has it")
	}
	return nil, fmt.Errorf("there is no sandbox %q", c.By)
}

// wrap puts bwrap in front of a program. The network is shared.
func wrap(cmd *exec.Cmd, c Confine) error {
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
	args := []string{bwrap, "--unshare-pid", "--unshare-ipc", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"}
	if os.Geteuid() == 0 {
		args = append(args, "--cap-drop", "ALL")
		for capability := range rootCapabilities {
			args = append(args, "--cap-add", capability)
		}
	}
	for _, p := range kernelFiles() {
		args = append(args, "--ro-bind", p, p)
	}
	args = append(args, binds(c, isDir)...)
	for _, p := range new(Links).existing(kernelSecrets) {
		args = hide(args, p, isDir(p))
		if isDir(p) {
			args = append(args, "--remount-ro", p)
		}
	}
	cmd.Path, cmd.Args = bwrap, append(append(args, "--", cmd.Path), cmd.Args[1:]...)
	return nil
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// binds returns the arguments of bwrap for a Confine. A later mount covers an earlier one,
// so a folder comes before what lies in it. What is empty becomes read-only last, when
// all that is visible in it has its place there.
func binds(c Confine, isDir func(string) bool) (args []string) {
	places := c.places()
	var sealed []string
	for _, p := range places {
		switch {
		case p.may == mayReadAndWrite && strings.HasPrefix(p.path, "/dev/"): // a device that was named
			args = append(args, "--dev-bind", p.path, p.path)
		case p.may == mayReadAndWrite:
			args = append(args, "--bind", cmp.Or(p.from, p.path), p.path)
		case p.may == mayOnlyRead:
			args = append(args, "--ro-bind", p.path, p.path)
		default:
			args = hide(args, p.path, isDir(p.path))
			if isDir(p.path) {
				sealed = append(sealed, p.path)
			}
		}
	}
	for _, l := range c.links {
		if at, ok := deepest(places, l.path); ok && at.may == nothing && at.path != l.path {
			args = append(args, "--symlink", l.to, l.path)
		}
	}
	for _, m := range c.Mounts {
		bind := "--ro-bind"
		if m.Writable {
			bind = "--bind"
		}
		args = append(args, bind, m.From, m.To)
	}
	for _, p := range sealed {
		args = append(args, "--remount-ro", p)
	}
	return args
}

// hide covers a path with nothing: a folder with an empty one, anything else with a
// device that, of another mount, cannot be opened.
func hide(args []string, path string, dir bool) []string {
	if dir {
		return append(args, "--tmpfs", path)
	}
	return append(args, "--ro-bind", "/dev/null", path)
}
