package git

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/git-plan/git-plan/testdata/repository"
)

// A link or a pipe that was put into a folder where git writes is found, whatever its timestamps.
func TestPlanted(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need a privilege here")
	}
	r := opened(t)
	repository.Commit(t, "one")
	before := SpecialFiles(r)
	if found := Planted(r, before); len(found) != 0 {
		t.Fatalf("nothing was planted, but %q", found)
	}
	at := filepath.Join(r.GitDir, "refs", "heads", "planted")
	if err := os.Symlink("/etc/passwd", at); err != nil {
		t.Fatal(err)
	}
	if found := Planted(r, before); len(found) != 1 || filepath.Base(found[0]) != "planted" {
		t.Errorf("planted are %q", found)
	}
}
