package proc

import (
	"os"
	"path/filepath"
	"strconv"
)

// kernelFiles returns the entries of /proc through which the kernel of the whole
// machine is set, such as /proc/sys: all that are no process's and that somebody
// could write, or that hold what could be written. A new /proc in a namespace of
// its own does not make them private, and root may write them without a capability.
// Nobody else may.
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

// kernelSecrets tell of the machine and of what runs on it what no build needs;
// root could read them. The container runtimes mask the same.
var kernelSecrets = []string{"/proc/acpi", "/proc/asound", "/proc/kcore", "/proc/keys", "/proc/latency_stats", "/proc/sched_debug",
	"/proc/scsi", "/proc/timer_list", "/proc/timer_stats", "/sys/firmware", "/sys/devices/virtual/powercap"}
