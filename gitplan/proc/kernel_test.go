//go:build linux

package proc

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Through /proc and /sys root sets the kernel of the whole machine. Each file there
// is opened for writing, and nothing is written.
func TestTheKernelCannotBeSet(t *testing.T) {
	const try = `find /proc /sys -path '/proc/[0-9]*' -prune -o -type f -perm /222 -print 2>/dev/null |
		while read -r f; do true 2>/dev/null <>"$f" && echo "$f"; done; test -d /proc/sys/kernel && test -r /proc/cpuinfo`
	for _, k := range kinds(t) {
		dir, rules := house(t, k)
		may, said := confined(t, dir, rules, try)
		if !may || strings.Contains(said, "/") {
			t.Errorf("%s: all can be read: %v; these can be written: %.2000s", k, may, said)
		}
	}
}

// What it is about is there, however the machine calls it: a kernel without /proc/sys
// would make the test above pass for nothing.
func TestKernelFilesAreFound(t *testing.T) {
	found := strings.Join(kernelFiles(), " ")
	for _, p := range []string{"/proc/sys", "/proc/irq", "/proc/bus", "/proc/sysrq-trigger", "/proc/fs"} {
		if _, err := os.Stat(p); err == nil && !strings.Contains(found, p) {
			t.Errorf("%s is missing in %s", p, found)
		}
	}
	for _, p := range kernelFiles() {
		if info, err := os.Lstat(p); err != nil || info.Mode()&os.ModeSymlink != 0 || filepath.Dir(p) != "/proc" {
			t.Errorf("%s: %v, %v", p, info, err)
		}
	}
}
