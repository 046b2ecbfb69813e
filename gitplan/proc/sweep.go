package proc

import (
	"bytes"
	"os"
	"strings"
)

// markOf is the mark that an environment gives to all processes that inherit
// it, whatever groups and sessions they make for themselves.
func markOf(env []string) string {
	mark := ""
	for _, kv := range env {
		if strings.HasPrefix(kv, EnvSession+"=") {
			mark = kv // the last one counts
		}
	}
	return mark
}

// Mark is the mark of a session's processes.
func Mark(session string) string { return EnvSession + "=" + session }

// Sweep kills every process that carries a mark in its environment: daemons
// leave their process group, and agents start their tools in sessions of their
// own, but what a process inherits it keeps. An empty mark is nobody's. On
// Windows nobody can be looked into; there what leaves stays.
func Sweep(mark string) {
	if mark == "" {
		return
	}
	for range 3 { // a process may start another one while we look
		found := carriers(mark)
		if len(found) == 0 {
			return
		}
		for _, pid := range found {
			if p, err := os.FindProcess(pid); err == nil {
				_ = p.Kill()
			}
		}
	}
}

// carriers are the other processes with this mark in their environment.
func carriers(mark string) (pids []int) {
	wanted := []byte("\x00" + mark + "\x00")
	for _, pid := range processes() {
		if pid != os.Getpid() && bytes.Contains(append([]byte{0}, environ(pid)...), wanted) {
			pids = append(pids, pid)
		}
	}
	return pids
}
