package disk

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

// asUser has the test respect the modes of files, as root need not.
func asUser(t *testing.T) {
	runtime.LockOSThread()
	t.Cleanup(runtime.UnlockOSThread)
	head := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var caps [2]unix.CapUserData
	must(t, unix.Capget(&head, &caps[0]))
	without := caps
	for _, c := range []int{unix.CAP_DAC_OVERRIDE, unix.CAP_DAC_READ_SEARCH, unix.CAP_FOWNER} {
		without[c/32].Effective &^= 1 << (c % 32)
	}
	must(t, unix.Capset(&head, &without[0]))
	t.Cleanup(func() { must(t, unix.Capset(&head, &caps[0])) })
}

// What programs made read-only goes too, and nothing that a link leads to.
func TestATreeThatCannotBeWrittenIsRemoved(t *testing.T) {
	asUser(t)
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
	must(t, RemoveTree(filepath.Join(dir, "tree"))) // what is not there is removed
	must(t, os.Chmod(filepath.Join(dir, "kept"), 0o700))
}

// What cannot be removed is an error: here the folder above may not be written.
func TestWhatCannotBeRemovedIsAnError(t *testing.T) {
	asUser(t)
	dir := house(t, []string{"above/tree/file"}, nil)
	must(t, os.Chmod(filepath.Join(dir, "above"), 0o500))
	t.Cleanup(func() { _ = os.Chmod(filepath.Join(dir, "above"), 0o700) })
	if err := RemoveTree(filepath.Join(dir, "above/tree")); err == nil {
		t.Error("no error")
	}
}
