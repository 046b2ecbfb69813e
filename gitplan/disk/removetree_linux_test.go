package disk

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/git-plan/git-plan/testdata/repository"
)

// Read-only folders of programs are removed too, but not the target of a link.
func TestReadOnlyTreeIsRemoved(t *testing.T) {
	repository.AsUser(t)
	dir := house(t, []string{"tree/mod/a/go.mod", "tree/closed/b/file", "kept/file"}, map[string]string{"tree/mod/link": "../../kept", "tree/closed/b/link": "../../../kept/file"})
	for _, d := range []string{"tree/mod/a", "tree/mod", "tree/closed/b"} {
		must(t, os.Chmod(filepath.Join(dir, d), 0o500))
	}
	must(t, os.Chmod(filepath.Join(dir, "kept"), 0o500))
	must(t, os.Chmod(filepath.Join(dir, "tree/closed"), 0))
	must(t, RemoveTree(filepath.Join(dir, "tree")))
	if _, err := os.Lstat(filepath.Join(dir, "tree")); !os.IsNotExist(err) {
		t.Errorf("the tree is still there: %v", err)
	}
	if info, err := os.Stat(filepath.Join(dir, "kept")); err != nil || info.Mode().Perm() != 0o500 || len(names(t, filepath.Join(dir, "kept"))) != 1 {
		t.Errorf("where links led: %v, %v", info, err)
	}
	must(t, RemoveTree(filepath.Join(dir, "tree"))) // a missing tree counts as removed
	must(t, os.Chmod(filepath.Join(dir, "kept"), 0o700))
}

// A file that cannot be removed is an error: here the folder above is read-only.
func TestFailedRemovalIsAnError(t *testing.T) {
	repository.AsUser(t)
	dir := house(t, []string{"above/tree/file"}, nil)
	must(t, os.Chmod(filepath.Join(dir, "above"), 0o500))
	t.Cleanup(func() { _ = os.Chmod(filepath.Join(dir, "above"), 0o700) })
	if err := RemoveTree(filepath.Join(dir, "above/tree")); err == nil {
		t.Error("no error")
	}
}
