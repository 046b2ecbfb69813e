package proc

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

const getTermios, setTermios, setTermiosFlushing = unix.TCGETS, unix.TCSETS, unix.TCSETSF

// start starts a program, confined if c says so. A supervisor ends the processes of a confined program or a group.
func start(cmd *exec.Cmd, c Cmd) (processTree, error) {
	kind := Unconfined
	if c.Confine != nil {
		kind = c.Confine.By
	}
	how, extra := wrapped, callFilterFile
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
	case Landlock:
		how, extra = restricted, c.Confine.ruleset
	default:
		return nil, fmt.Errorf("Linux has no sandbox %q", kind)
	}
	file, err := extra()
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return supervise(cmd, how, file)
}

// wrap puts bwrap in front of a program.
func wrap(cmd *exec.Cmd, b Confinement) error {
	if cmd.Err != nil {
		return cmd.Err
	}
	bwrap, err := findOutside("bwrap")
	if errors.Is(err, exec.ErrNotFound) {
		return errors.New("bwrap is not installed; its package is bubblewrap")
	}
	if err != nil {
		return err
	}
	cmd.Path, cmd.Args = bwrap, b.bwrap(bwrap, cmd.Path, cmd.Args[1:])
	return nil
}

// processes returns the numbers of all processes.
func processes() (pids []int) {
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		if pid, err := strconv.Atoi(e.Name()); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}

// environ returns the environment that a process began with, each variable ended by a NUL; empty for other users'
// processes. known is false while the process executes another program (measured: Sweep meets that).
func environ(pid int) (env []byte, known bool) {
	dir := "/proc/" + strconv.Itoa(pid)
	env, err := os.ReadFile(dir + "/environ")
	if err != nil || len(env) > 0 {
		return env, true
	}
	_, err = os.Readlink(dir + "/exe")
	return nil, err != nil
}

// stat returns the fields of /proc/PID/stat from the state on; nil if the process does not exist.
func stat(pid int) []string {
	text, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
}

// StartTime returns when a process started, in the system's own form; "" if the process does not exist.
func StartTime(pid int) string {
	if fields := stat(pid); len(fields) >= 20 && fields[0] != "Z" {
		return fields[19]
	}
	return ""
}

// Born returns when a file was created, which a move does not change; "" if the system does not record that.
func Born(path string) string {
	var s unix.Statx_t
	if unix.Statx(unix.AT_FDCWD, path, 0, unix.STATX_BTIME, &s) != nil || s.Mask&unix.STATX_BTIME == 0 {
		return ""
	}
	return fmt.Sprintf("%d.%09d", s.Btime.Sec, s.Btime.Nsec)
}

// Changed returns when a file or its attributes last changed: the kernel records that, and no program can set it back.
func Changed(info fs.FileInfo) time.Time {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return time.Unix(int64(st.Ctim.Sec), int64(st.Ctim.Nsec))
	}
	return info.ModTime()
}

// childrenOf returns the children of a process: from a file that some kernels lack, or else, slowly, from /proc.
func childrenOf(parent int) (out []int) {
	lists, _ := filepath.Glob("/proc/" + strconv.Itoa(parent) + "/task/*/children")
	for _, list := range lists {
		text, _ := os.ReadFile(list)
		for _, field := range bytes.Fields(text) {
			if pid, err := strconv.Atoi(string(field)); err == nil {
				out = append(out, pid)
			}
		}
	}
	if len(lists) > 0 {
		return out
	}
	for _, pid := range processes() {
		if fields := stat(pid); len(fields) > 1 && fields[1] == strconv.Itoa(parent) {
			out = append(out, pid)
		}
	}
	return out
}
