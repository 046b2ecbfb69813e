package git

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/git-plan/git-plan/testdata/repository"
)

// A link or a pipe that came into a folder where git writes is found, however old it looks.
func TestPlanted(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need a right here")
	}
	r := opened(t)
	repository.Commit(t, "one")
	began, folders := time.Now(), Folders(r)
	if found := Planted(r, began, folders); len(found) != 0 {
		t.Fatalf("nothing was planted, and yet %q", found)
	}
	time.Sleep(20 * time.Millisecond)
	at := filepath.Join(r.GitDir, "refs", "heads", "planted")
	if err := os.Symlink("/etc/passwd", at); err != nil {
		t.Fatal(err)
	}
	if found := Planted(r, began, folders); len(found) != 1 || filepath.Base(found[0]) != "planted" {
		t.Errorf("planted are %q", found)
	}
}
