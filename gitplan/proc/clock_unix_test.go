//go:build unix

package proc

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// A program that works on while its git plan is stopped (Ctrl-Z) is not late when that goes on.
func TestNoTimePassesWhileWeAreStopped(t *testing.T) {
	dir := t.TempDir()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "PROC_TEST_TIMEOUT=2s", "PROC_TEST_RUN=cd "+dir+"; until test -e end; do echo x; echo x >>said; sleep 0.1; done")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	says := func(n int) { // or it ended
		for said, began := 0, time.Now(); said < n && time.Since(began) < 20*time.Second; time.Sleep(10 * time.Millisecond) {
			text, _ := os.ReadFile(filepath.Join(dir, "said"))
			said = bytes.Count(text, []byte("x"))
		}
	}
	says(1)
	_ = cmd.Process.Signal(syscall.SIGSTOP)
	says(30)
	_ = cmd.Process.Signal(syscall.SIGCONT)
	says(32)
	if err := os.WriteFile(filepath.Join(dir, "end"), nil, 0o600); err != nil {
		t.Error(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("the program was ended: %v", err)
	}
}
