package proc

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The files by which root could configure the kernel are found, as far as this machine has them.
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
