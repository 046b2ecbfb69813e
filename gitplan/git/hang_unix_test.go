//go:build unix

package git

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/visible"
	"github.com/git-plan/git-plan/testdata/repository"
)

func pipe(t *testing.T, name string) {
	t.Helper()
	if err := syscall.Mkfifo(name, 0o600); err != nil {
		t.Skip("pipes are not supported here:", err)
	}
}

// A git that blocks on a pipe is ended, and the error names the pipe; once it is removed git continues.
func TestGitBlockedByAPipeIsEnded(t *testing.T) {
	r := opened(t)
	repository.Write(t, "dir/a", "1")
	pipe(t, "dir/.gitignore")
	err := r.Run(t.Context(), Command{Args: []string{"status", "--porcelain"}})
	var hang *fault.Fault
	if !errors.Is(err, ErrWouldHang) || !errors.As(err, &hang) || hang.Path != visible.Shell(filepath.Join(r.Top, "dir/.gitignore")) {
		t.Fatalf("the error is %v", err)
	}
	if !strings.Contains(err.Error(), "dir/.gitignore") {
		t.Errorf("the error does not name the pipe: %v", err)
	}
	if err := os.Remove("dir/.gitignore"); err != nil {
		t.Fatal(err)
	}
	if err := r.Run(t.Context(), Command{Args: []string{"status", "--porcelain"}}); err != nil {
		t.Error(err)
	}
}

// git follows a link only for .gitmodules, so a link to a pipe blocks nothing elsewhere.
func TestLinkToAPipeBlocksOnlyGitmodules(t *testing.T) {
	r := opened(t)
	pipe(t, "pipe")
	for _, name := range []string{".gitignore", ".gitmodules"} {
		if err := os.Symlink("pipe", name); err != nil {
			t.Fatal(err)
		}
	}
	if found := pipesIn(t.Context(), r.Top); !slices.Equal(found, []string{filepath.Join(r.Top, ".gitmodules")}) {
		t.Errorf("in the way are %q", found)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if found := pipesIn(ended, r.Top); len(found) != 0 {
		t.Errorf("after its end it still found %q", found)
	}
}

// A top folder without permissions can be entered again.
func TestTopFolderWithoutPermissionsIsOpened(t *testing.T) {
	r := opened(t)
	if err := os.Chmod(r.Top, 0o500); err != nil {
		t.Fatal(err)
	}
	r.MakeTopAccessible()
	if info, err := os.Stat(r.Top); err != nil || info.Mode().Perm()&0o700 != 0o700 {
		t.Errorf("it is %v, %v", info.Mode(), err)
	}
}
