package proc

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

const getTermios, setTermios, setTermiosFlushing = unix.TCGETS, unix.TCSETS, unix.TCSETSF

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

// environ returns the environment a process began with, each variable ended by a NUL; empty if it is not
// ours. known is false while the process becomes another program (measured: a sweep meets that).
func environ(pid int) (env []byte, known bool) {
	dir := "/proc/" + strconv.Itoa(pid)
	env, err := os.ReadFile(dir + "/environ")
	if err != nil || len(env) > 0 {
		return env, true
	}
	_, err = os.Readlink(dir + "/exe")
	return nil, err != nil
}

// stat returns the fields of a process behind its name, from its state on; nil if the process does not exist.
func stat(pid int) []string {
	text, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
}

// StartTime returns when a process started, as the system counts; "" if the process does not exist.
func StartTime(pid int) string {
	if fields := stat(pid); len(fields) >= 20 && fields[0] != "Z" {
		return fields[19]
	}
	return ""
}

// Born returns when a file came into being, which stays as it is when it is moved; "" if the system does not say.
func Born(path string) string {
	var s unix.Statx_t
	if unix.Statx(unix.AT_FDCWD, path, 0, unix.STATX_BTIME, &s) != nil || s.Mask&unix.STATX_BTIME == 0 {
		return ""
	}
	return fmt.Sprintf("%d.%09d", s.Btime.Sec, s.Btime.Nsec)
}

// Changed returns when a file was last changed in any way: the kernel records that, and no program can set it back.
func Changed(info fs.FileInfo) time.Time {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return time.Unix(int64(st.Ctim.Sec), int64(st.Ctim.Nsec))
	}
	return info.ModTime()
}

// childrenOf returns the children of a process, by a file that some kernels lack, but faster than they fork.
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
