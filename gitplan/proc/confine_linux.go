package proc

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// start starts a program, confined if c says so.
func start(cmd *exec.Cmd, c *Confine) error {
	if c == nil || c.By == Unconfined {
		return cmd.Start()
	}
	// Without a terminal nothing can be typed into the person's.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	switch now := c.paths(); c.By {
	case Bwrap:
		if err := wrap(cmd, now); err != nil {
			return err
		}
		return cmd.Start()
	case Landlock:
		return startLandlocked(cmd, now)
	}
	return fmt.Errorf("there is no sandbox %q", c.By)
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
	bwrap, err := exec.LookPath("bwrap")
	if err != nil {
		return errors.New("bwrap is not installed (its package is bubblewrap)")
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
