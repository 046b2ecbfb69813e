//go:build unix

package proc

import (
	"context"
	"os"
	"path/filepath"
	"testing"
)

// A program that is asked to end does so in its own time, with its own exit code.
func TestProgramIsAskedToEnd(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	ready, kept := filepath.Join(t.TempDir(), "ready"), filepath.Join(t.TempDir(), "kept")
	go func() {
		for {
			if _, err := os.Stat(ready); err == nil {
				cancel()
				return
			}
		}
	}()
	exit, err := RunGracefully(ctx, Cmd{Name: "sh", Args: []string{"-c", `trap 'sleep 0.1; echo all >"$1"; exit 7' INT; : >"$0"; while :; do sleep 0.01; done`, ready, kept}})
	if _, lost := os.Stat(kept); err != nil || exit.Code != 7 || lost != nil {
		t.Errorf("%+v, %v, %v", exit, err, lost)
	}
	if _, err := RunGracefully(ctx, Cmd{Name: "sh", Args: []string{"-c", "exit 0"}}); err == nil {
		t.Error("it began after the end")
	}
}
