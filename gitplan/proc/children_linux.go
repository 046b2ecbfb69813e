package proc

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
)

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
