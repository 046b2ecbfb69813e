//go:build !linux

package proc

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
)

// confineBy has sandbox-exec start a program on macOS, and fails elsewhere.
func confineBy(b *Confinement, cmd *exec.Cmd) error {
	switch {
	case b == nil || b.By == Unconfined:
		return nil
	case b.By == Bwrap, b.By == Landlock:
		return errors.New("only Linux has it")
	case b.By != Seatbelt:
		return fmt.Errorf("there is no sandbox %q", b.By)
	case runtime.GOOS != "darwin":
		return errors.New("only macOS has it")
	case cmd.Err != nil:
		return cmd.Err
	}
	if _, err := os.Stat(SandboxExec); err != nil {
		return err
	}
	cmd.Args = append(append(b.Seatbelt(), cmd.Path), cmd.Args[1:]...)
	cmd.Path, cmd.SysProcAttr = SandboxExec, ownSession()
	return nil
}

// StartTime returns when a process started, as the system says; "" if the process does not exist.
func StartTime(pid int) string {
	out, err := exec.Command("ps", "-o", "lstart=", "-p", strconv.Itoa(pid)).Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}

// Born returns "": other systems say it each in another way, or not.
func Born(string) string { return "" }
