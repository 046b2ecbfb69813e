package proc

import (
	"bytes"
	"encoding/binary"
	"os"
	"strings"
	"time"
)

// markOf returns the mark of all processes that inherit an environment, whatever groups
// and sessions they make for themselves; "" if it has no mark.
func markOf(env []string) string {
	mark := ""
	for _, kv := range env {
		if strings.HasPrefix(kv, EnvSession+"=") {
			mark = kv // the last one counts
		}
	}
	return mark
}

// Mark returns the variable that marks a session's processes, as name=value.
func Mark(session string) string { return EnvSession + "=" + session }

// Sweep kills every process that has a mark in its environment: daemons leave their
// process group, and agents start their tools in sessions of their own, but what a
// process inherits it keeps. An empty mark matches no process. On Windows environments cannot be
// read: what leaves its group stays there.
func Sweep(mark string) {
	if mark == "" {
		return
	}
	for range 5 { // a process may start another one while we look, or become another
		found, unsure := carriers(mark)
		if len(found) == 0 && !unsure {
			return
		}
		for _, pid := range found {
			if p, err := os.FindProcess(pid); err == nil {
				_ = p.Kill()
			}
		}
		if len(found) == 0 {
			time.Sleep(time.Millisecond)
		}
	}
}

// carriers returns the other processes with this mark in their environment; unsure
// says that some environments cannot be read at this moment.
func carriers(mark string) (pids []int, unsure bool) {
	wanted := []byte("\x00" + mark + "\x00")
	for _, pid := range processes() {
		if pid == os.Getpid() {
			continue
		}
		env, known := environ(pid)
		unsure = unsure || !known
		if bytes.Contains(append([]byte{0}, env...), wanted) {
			pids = append(pids, pid)
		}
	}
	return pids, unsure
}

// behindArguments returns the environment from what macOS reports of a process
// (KERN_PROCARGS2): the number of arguments, the program's path, NULs up to the
// next boundary, the arguments, the environment, each string ended by a NUL.
func behindArguments(b []byte) []byte {
	if len(b) < 4 {
		return nil
	}
	n := int(int32(binary.NativeEndian.Uint32(b)))
	_, b, found := bytes.Cut(b[4:], []byte{0})
	b = bytes.TrimLeft(b, "\x00")
	for ; n > 0 && found; n-- {
		_, b, found = bytes.Cut(b, []byte{0})
	}
	if !found {
		return nil
	}
	return b
}
