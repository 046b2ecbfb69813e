package disk

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// Temporary folders that end with this process lie in one folder of the user's, and are locked by this process: if the
// lock of one can be taken, it is no longer needed.

// TempFolder makes a folder of mode 0700 for the files of this process. remove deletes it; if we die before
// that, the next TempFolder does. Where nothing can be locked it is an ordinary temporary folder.
func TempFolder(name string) (dir string, remove func(), err error) {
	return tempFolder(openTemps(), os.TempDir(), "git-plan-"+name, name)
}

// TempFolderIn is TempFolder in a folder of this program's own, which is made if need be.
func TempFolderIn(parent, name string) (dir string, remove func(), err error) {
	if err := os.MkdirAll(parent, 0o700); err != nil {
		return "", nil, err
	}
	var root *os.Root
	if canHold {
		root, _ = os.OpenRoot(parent)
	}
	return tempFolder(root, parent, name, name)
}

// tempFolder makes a locked folder in root, or else an ordinary one in otherwise.
func tempFolder(root *os.Root, otherwise, ordinary, name string) (dir string, remove func(), err error) {
	if root != nil {
		defer root.Close()
		sweepTemps(root)
		for range 20 { // a sweep may remove one before it is locked
			if dir, err = os.MkdirTemp(root.Name(), name+"-"); err != nil {
				break
			}
			if held := lockedFolder(root, filepath.Base(dir)); held != nil {
				return dir, func() { _, _ = RemoveTree(dir), held.Close() }, nil
			}
		}
	}
	dir, err = os.MkdirTemp(otherwise, ordinary+"-")
	return dir, func() { _ = RemoveTree(dir) }, err
}

// SweepTemps removes the folders of processes that died, and makes the user's folder, which a sandbox can hide.
func SweepTemps() {
	if root := openTemps(); root != nil {
		sweepTemps(root)
		root.Close()
	}
}

// Temps returns the user's folders in some temporary ones, if they are there and safe.
func Temps(temporary ...string) (out []string) {
	for _, tmp := range temporary {
		dir := tempsIn(tmp)
		if info, err := os.Lstat(dir); err == nil && onlyOurs(info) {
			out = append(out, dir)
		}
	}
	return out
}

func tempsIn(tmp string) string { return filepath.Join(tmp, fmt.Sprintf("git-plan-%d", os.Geteuid())) }

// openTemps opens the user's folder, creating it if necessary; nil if it is not the user's alone, or nothing can be
// locked. Other users could put something in its place, so what was opened is compared with what was checked.
func openTemps() *os.Root {
	if !canHold {
		return nil
	}
	dir := tempsIn(os.TempDir())
	_ = os.Mkdir(dir, 0o700) // or it is there
	info, err := os.Lstat(dir)
	if err != nil || !onlyOurs(info) {
		return nil
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil
	}
	if now, err := root.Stat("."); err != nil || !os.SameFile(now, info) {
		root.Close()
		return nil
	}
	return root
}

// sweepTemps removes the folders that no process holds.
func sweepTemps(root *os.Root) {
	entries, _ := fs.ReadDir(root.FS(), ".")
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		if held := lockedFolder(root, e.Name()); held != nil {
			_, _ = RemoveIn(root, e.Name()), held.Close()
		}
	}
}

// lockedFolder opens a folder, also one that a session closed, and locks it; nil if a process holds it, or it is gone.
func lockedFolder(root *os.Root, name string) *os.File {
	folder, err := root.Open(name)
	if errors.Is(err, fs.ErrPermission) && root.Chmod(name, 0o700) == nil {
		folder, err = root.Open(name)
	}
	if err != nil {
		return nil
	}
	opened, err := folder.Stat()
	if err == nil && lockFile(folder) {
		if now, err := root.Lstat(name); err == nil && os.SameFile(now, opened) {
			return folder
		}
	}
	_ = folder.Close()
	return nil
}

// Full returns an error that is ENOSPC if no megabyte can be written to a folder any more.
func Full(dir string) error {
	f, err := os.CreateTemp(dir, "git-plan-room-")
	if err == nil {
		_, err = f.Write(make([]byte, 1<<20))
		_, _ = f.Close(), os.Remove(f.Name())
	}
	if errors.Is(err, syscall.ENOSPC) {
		return fmt.Errorf("the disk of %s is full: %w", dir, syscall.ENOSPC)
	}
	return nil
}
