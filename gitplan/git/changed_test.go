package git

import (
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/testdata/repository"
)

// A changed file is detected even if a program resets its modification time.
func TestResetTimeIsDetected(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no such time is kept here")
	}
	t.Chdir(t.TempDir())
	repository.Write(t, "f", "before")
	was, err := os.Lstat("f")
	if err != nil {
		t.Fatal(err)
	}
	if is, err := os.Lstat("f"); err != nil || !SameFile(was, is) {
		t.Error("an untouched file has changed", err)
	}
	time.Sleep(20 * time.Millisecond)
	repository.Write(t, "f", "after!")
	if err := os.Chtimes("f", was.ModTime(), was.ModTime()); err != nil {
		t.Fatal(err)
	}
	is, err := os.Lstat("f")
	if err != nil || SameFile(was, is) || !proc.Changed(is).After(was.ModTime()) {
		t.Error("a change with a reset time was missed", err)
	}
}
