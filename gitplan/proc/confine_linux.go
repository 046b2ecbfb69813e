package proc

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// Sandboxes are the kinds that this system may have, the strongest first.
func Sandboxes() []SandboxKind { return []SandboxKind{Bwrap, Landlock} }

// start starts a program, confined if c says so. What is to be ended with all that
// it starts has a supervisor.
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
		return supervise(cmd, ownSession)
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

// rootCapabilities are what root keeps: what it needs for files and processes
// of its own. With the others it could undo the mounts, reach files around them,
// or read the environment of this process (Linux 6.18: CAP_PERFMON is enough).
var rootCapabilities = map[string]uintptr{
	"CAP_CHOWN": unix.CAP_CHOWN, "CAP_DAC_OVERRIDE": unix.CAP_DAC_OVERRIDE, "CAP_FOWNER": unix.CAP_FOWNER,
	"CAP_FSETID": unix.CAP_FSETID, "CAP_KILL": unix.CAP_KILL, "CAP_NET_BIND_SERVICE": unix.CAP_NET_BIND_SERVICE,
	"CAP_SETFCAP": unix.CAP_SETFCAP, "CAP_SETGID": unix.CAP_SETGID, "CAP_SETPCAP": unix.CAP_SETPCAP, "CAP_SETUID": unix.CAP_SETUID,
}

// wrap puts bwrap in front of a program. The network is shared. A later mount
// covers an earlier one, so what is hidden comes last. Nothing asks for death
// with the parent: that is tied to the thread that started it, which may end
// earlier, and the group is killed anyhow.
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
	args := []string{bwrap, "--unshare-pid", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"}
	if os.Geteuid() == 0 {
		args = append(args, "--cap-drop", "ALL")
		for capability := range rootCapabilities {
			args = append(args, "--cap-add", capability)
		}
	}
	for _, p := range kernelFiles() {
		args = append(args, "--ro-bind", p, p)
	}
	for _, p := range c.Writable {
		bind := "--bind"
		if strings.HasPrefix(p, "/dev/") { // a device that was named
			bind = "--dev-bind"
		}
		args = append(args, bind, p, p)
	}
	for _, p := range c.ReadOnly {
		args = append(args, "--ro-bind", p, p)
	}
	for _, m := range c.Mounts {
		bind := "--ro-bind"
		if m.Writable {
			bind = "--bind"
		}
		args = append(args, bind, m.From, m.To)
	}
	for _, p := range slices.Concat(c.Hidden, existing(kernelSecrets)) {
		if info, err := os.Stat(p); err == nil && info.IsDir() {
			args = append(args, "--tmpfs", p, "--remount-ro", p)
		} else {
			args = append(args, "--ro-bind", "/dev/null", p) // as a device of another mount it cannot be opened
		}
	}
	cmd.Path, cmd.Args = bwrap, append(append(args, "--", cmd.Path), cmd.Args[1:]...)
	return nil
}
