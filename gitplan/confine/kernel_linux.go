package confine

import (
	"os"
	"path/filepath"
	"strconv"
)

// kernelFiles returns the entries of /proc through which the kernel of the whole
// machine is set, such as /proc/sys: all that belong to no process and that somebody
// could write, or that hold what could be written. A new /proc in its own namespace
// does not make them private, and root may write them without a capability; nobody else
// may, so for others there are none.
func kernelFiles() (out []string) {
	if os.Geteuid() != 0 {
		return nil
	}
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		if _, err := strconv.Atoi(e.Name()); err == nil {
			continue
		}
		info, err := e.Info()
		if err == nil && (info.IsDir() || info.Mode().IsRegular() && info.Mode().Perm()&0o222 != 0) {
			out = append(out, filepath.Join("/proc", e.Name()))
		}
	}
	return out
}

// kernelSecrets describe the machine and what runs on it. No build needs them, but root
// could read them. Container runtimes mask the same files.
var kernelSecrets = []string{"/proc/acpi", "/proc/asound", "/proc/kcore", "/proc/keys", "/proc/latency_stats", "/proc/sched_debug",
	"/proc/scsi", "/proc/timer_list", "/proc/timer_stats", "/sys/firmware", "/sys/devices/virtual/powercap"}
