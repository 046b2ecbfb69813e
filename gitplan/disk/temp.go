package disk

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// Temporary folders that end with this process lie in one folder of the user's. Beside each lies a file locked by
// this process: if the lock can be taken, the folder is no longer needed.

// lockSuffix ends the name of a folder's lock file.
const lockSuffix = ".lock"

// errNotOurs says that something else has the name of the user's folder.
var errNotOurs = errors.New("it is not a folder that only its user can enter")

// TempFolder makes a folder of mode 0700 for the files of this process. remove deletes it; if we die before
// that, the next TempFolder does. Where nothing can be locked it is an ordinary temporary folder.
func TempFolder(name string) (dir string, remove func(), err error) {
	root, _ := openTemps()
	return tempFolder(root, os.TempDir(), "git-plan-"+name, name)
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
		if dir, remove, err = heldFolder(root, name); err == nil {
			return dir, remove, nil
		}
	}
	dir, err = os.MkdirTemp(otherwise, ordinary+"-")
	return dir, func() { _ = RemoveTree(dir) }, err
}

// SweepTemps removes the folders of processes that died, and makes the user's folder, which a sandbox can hide.
func SweepTemps() {
	if root, err := openTemps(); err == nil {
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

// openTemps opens the user's folder, creating it if necessary. Other users could put something in its place, so what
// was opened is compared with what was checked.
func openTemps() (*os.Root, error) {
	if !canHold {
		return nil, errors.ErrUnsupported
	}
	dir := tempsIn(os.TempDir())
	info, err := os.Lstat(dir)
	if errors.Is(err, fs.ErrNotExist) {
		_ = os.Mkdir(dir, 0o700)
		info, err = os.Lstat(dir)
	}
	if err != nil {
		return nil, err
	}
	if !onlyOurs(info) {
		return nil, errNotOurs
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	if now, err := root.Stat("."); err != nil || !os.SameFile(now, info) {
		root.Close()
		return nil, errNotOurs
	}
	return root, nil
}

// heldFolder makes a folder and holds its lock, unless a sweep removes the lock file before it is locked.
func heldFolder(root *os.Root, name string) (dir string, remove func(), err error) {
	for range 20 {
		own := fmt.Sprintf("%s-%08x", name, rand.Uint32())
		lock, err := root.OpenFile(own+lockSuffix, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return "", nil, err
		}
		if !lockFile(lock) || !isStill(root, own+lockSuffix, lock) {
			lock.Close()
			continue
		}
		if err := root.Mkdir(own, 0o700); err != nil {
			_ = root.Remove(own + lockSuffix)
			lock.Close()
			return "", nil, err
		}
		dir = filepath.Join(root.Name(), own)
		return dir, func() {
			defer lock.Close()
			if RemoveTree(dir) == nil {
				_ = os.Remove(dir + lockSuffix)
			}
		}, nil
	}
	return "", nil, errors.New("no folder can be locked there")
}

func sweepTemps(root *os.Root) {
	all, err := root.Open(".")
	if err != nil {
		return
	}
	defer all.Close()
	entries, _ := all.ReadDir(-1)
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), lockSuffix); ok && name != "" && e.Type().IsRegular() {
			sweepTemp(root, name)
		}
	}
}

// sweepTemp removes one folder, and then its lock file, if no process holds that.
func sweepTemp(root *os.Root, name string) {
	lock, err := root.OpenFile(name+lockSuffix, os.O_RDWR|withoutWaiting, 0)
	if err != nil {
		return
	}
	defer lock.Close()
	if lockFile(lock) && isStill(root, name+lockSuffix, lock) && RemoveIn(root, name) == nil {
		_ = root.Remove(name + lockSuffix)
	}
}

// isStill reports whether an opened file is still the one of that name.
func isStill(root *os.Root, name string, file *os.File) bool {
	opened, err := file.Stat()
	if err != nil {
		return false
	}
	now, err := root.Lstat(name)
	return err == nil && now.Mode().IsRegular() && os.SameFile(now, opened)
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
