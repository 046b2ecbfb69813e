package proc

import (
	"bytes"
	"encoding/binary"
	"os"
	"time"
)

// Mark returns the variable that marks a session's processes, as name=value.
func Mark(session string) string { return EnvSession + "=" + session }

// Sweep kills every process with a mark, unless it names no session, in its environment, which even a daemon keeps.
func Sweep(mark string) {
	if mark == "" || mark == Mark("") {
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

// carriers returns the other processes with a mark; unsure says that some cannot be read at this moment.
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

// behindArguments returns the environment from macOS's KERN_PROCARGS2: the number of arguments, the
// program's path, NULs up to the next boundary, the arguments, the environment, each ended by a NUL.
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
