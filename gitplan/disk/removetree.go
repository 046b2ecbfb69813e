package disk

import (
	"os"
	"path/filepath"
)

// RemoveTree removes a folder that programs worked in, and follows no link in it. Programs may
// have made parts of it read-only, as Go's module cache is, and may still be at work.
func RemoveTree(dir string) error {
	err := os.RemoveAll(dir)
	if err == nil {
		return nil
	}
	root, rerr := os.OpenRoot(filepath.Dir(dir))
	if rerr != nil {
		return err
	}
	defer root.Close()
	return removeIn(root, filepath.Base(dir))
}

// removeIn removes what has a name in root, and nothing outside of root.
func removeIn(root *os.Root, name string) error {
	if root.RemoveAll(name) == nil {
		return nil
	}
	makeWritable(root, name)
	return root.RemoveAll(name)
}

// makeWritable makes a folder, and all folders below it, writable, so that what lies in them
// can be removed.
func makeWritable(root *os.Root, dir string) {
	_ = root.Chmod(dir, 0o700)
	f, err := root.Open(dir)
	if err != nil {
		return
	}
	entries, _ := f.ReadDir(-1)
	f.Close()
	for _, e := range entries {
		if e.IsDir() {
			makeWritable(root, filepath.Join(dir, e.Name()))
		}
	}
}
