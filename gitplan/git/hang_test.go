package git

import (
	"os"
	"runtime"
	"testing"

	"github.com/git-plan/git-plan/testdata/repository"
)

// A folder whose permissions a session removed is opened again, and a pipe that would block git is removed.
func TestUnbar(t *testing.T) {
	if runtime.GOOS == "windows" || os.Geteuid() == 0 && runtime.GOOS != "linux" {
		t.Skip("nothing can be closed here")
	}
	r := opened(t)
	repository.Write(t, "closed/a", "1")
	repository.Commit(t, "one")
	if err := os.Chmod("closed", 0); err != nil {
		t.Fatal(err)
	}
	r.MakeReadable(t.Context(), nil)
	if _, err := os.ReadFile("closed/a"); err != nil {
		t.Errorf("it is still closed: %v", err)
	}
	if err := os.Chmod("closed", 0o755); err != nil {
		t.Fatal(err)
	}
	r.MakeTopAccessible()
}
