package proc

import (
	"bytes"
	"os"
	"strconv"
	"syscall"
)

// Sweep kills every process that carries a mark in its environment: daemons
// leave their process group, and agents start their tools in sessions of their
// own, but what a process inherits it keeps. An empty mark is nobody's.
func Sweep(mark string) {
	if mark == "" {
		return
	}
	wanted := append([]byte(mark), 0)
	for range 3 { // a process may start another one while we look
		if kill(wanted) == 0 {
			return
		}
	}
}

func kill(wanted []byte) (found int) {
	dir, err := os.Open("/proc")
	if err != nil {
		return 0
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1)
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil || pid == os.Getpid() {
			continue
		}
		env, err := os.ReadFile("/proc/" + name + "/environ")
		if err != nil || !bytes.Contains(append([]byte{0}, env...), append([]byte{0}, wanted...)) {
			continue
		}
		if syscall.Kill(pid, syscall.SIGKILL) == nil {
			found++
		}
	}
	return found
}

// StartTime tells a process from a later one of the same number. It is empty
// where there is no such process.
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
