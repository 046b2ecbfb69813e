package proc

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
)

// processes returns the numbers of all processes.
func processes() (pids []int) {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1)
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}

// environ returns the environment a process began with, each variable ended by a NUL;
// empty if we may not see it. It is also empty while the process becomes
// another program (measured: a sweep right after a start meets that now and then);
// then known is false. Processes of the kernel, and dead ones, have no program.
func environ(pid int) (env []byte, known bool) {
	dir := "/proc/" + strconv.Itoa(pid)
	env, err := os.ReadFile(dir + "/environ")
	if err != nil || len(env) > 0 {
		return env, true
	}
	_, err = os.Readlink(dir + "/exe")
	return nil, err != nil
}

// StartTime returns when a process started, in a form that distinguishes it from a later
// process of the same number. It is empty if there is no such process.
func StartTime(pid int) string {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return ""
	}
	// The name, in parentheses, may hold anything; the start is the 20th field behind it.
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 20 || fields[0][0] == 'Z' {
		return ""
	}
	return string(fields[19])
}

// childrenOf returns the children of a process: those of each of its threads, by a file
// that some kernels lack. Reading it takes much less time than a program needs to
// start another one and to end, so that no chain of programs stays ahead for long.
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
		if parentOf(pid) == parent {
			out = append(out, pid)
		}
	}
	return out
}

// parentOf returns a process's parent; 0 if it is not known.
func parentOf(pid int) int {
	stat, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	// The name, in parentheses, may hold anything; behind it are the state and the parent.
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 2 {
		return 0
	}
	parent, _ := strconv.Atoi(string(fields[1]))
	return parent
}
