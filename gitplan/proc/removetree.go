package proc

import (
	"io/fs"
	"os"
	"path/filepath"
)

// RemoveTree removes a folder that programs worked in. They may have made parts of
// it that cannot be written, as Go's cache of modules is.
func RemoveTree(dir string) error {
	err := os.RemoveAll(dir)
	if err == nil {
		return nil
	}
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if d != nil && d.IsDir() {
			_ = os.Chmod(path, 0o700)
		}
		return nil
	})
	return os.RemoveAll(dir)
}
