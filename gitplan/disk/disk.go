// Package disk answers where a path leads, makes folders that end with the process that made them, says when a disk is
// full, and removes what programs made, writable or not.
package disk

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/bmatcuk/doublestar/v4"
)

// Match is doublestar's. Braces must stand for few texts: {a,b} thirty times is a billion, which is a bad pattern here.
func Match(pattern, path string) (bool, error) {
	if b, commas := strings.Count(pattern, "{"), strings.Count(pattern, ","); commas >= 256 || b > 1 && (b > 4 || commas > 12) {
		return false, doublestar.ErrBadPattern
	}
	return doublestar.Match(pattern, path)
}

// Link is a symbolic link: Path is the real path of the folder it lies in, with its name; To is its text.
type Link struct{ Path, To string }

const (
	mostLinks = 40        // that are followed on the way to one path, as in Linux
	mostRead  = 256 << 20 // bytes that ReadRegular reads: sessions write many such files
)

// Links follows links and remembers what it saw: use it for many paths at one moment. The zero value is ready.
type Links struct{ seen map[string]Way }

// Way is where a path leads: the real path, and the links on the way; empty if nothing is there.
type Way struct {
	Real  string
	On    []Link
	Found bool
}

// Follow returns where an absolute path leads. A relative one leads nowhere.
func (l *Links) Follow(path string) Way {
	const root = string(filepath.Separator)
	if !filepath.IsAbs(path) {
		return Way{}
	}
	if w, ok := l.seen[path]; ok {
		return w
	}
	if l.seen == nil {
		l.seen = map[string]Way{}
	}
	l.seen[path] = Way{} // what leads to itself leads nowhere
	w := Way{Real: root, Found: true}
	if i := strings.LastIndex(path, root); strings.Trim(path, root) != "" {
		if w = l.Follow(path[:max(i, 1)]); w.Found {
			w = l.step(w, path[i+1:])
		}
	}
	l.seen[path] = w
	return w
}

// step returns where a name in a real folder leads; its .. is the folder above it.
func (l *Links) step(in Way, name string) Way {
	at := filepath.Join(in.Real, name)
	to, err := os.Readlink(at)
	whole := to
	switch {
	case errors.Is(err, syscall.EINVAL): // not a link
		return Way{Real: at, On: in.On, Found: true}
	case err != nil || len(in.On) >= mostLinks:
		return Way{}
	case !filepath.IsAbs(to):
		whole = in.Real + string(filepath.Separator) + to
	}
	w := l.Follow(whole)
	if !w.Found || len(in.On)+len(w.On) >= mostLinks {
		return Way{}
	}
	w.On = slices.Concat(in.On, []Link{{at, to}}, w.On)
	return w
}

// Real returns a path with its links followed, or the cleaned path if nothing is there.
func (l *Links) Real(path string) string {
	if w := l.Follow(path); w.Found {
		return w.Real
	}
	return filepath.Clean(path)
}

// Real is Links.Real for one path.
func Real(path string) string { return new(Links).Real(path) }

// Exists reports whether something is at a path.
func (l *Links) Exists(path string) bool { return l.Follow(path).Found }

// Existing returns the real paths of those paths that lead to something, sorted, each once.
func (l *Links) Existing(paths []string) (out []string) {
	for _, p := range paths {
		if w := l.Follow(p); w.Found {
			out = append(out, w.Real)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// ControlledFrom reports whether a link on the way lies in one of the folders.
func (w Way) ControlledFrom(folders []string) bool {
	return slices.ContainsFunc(w.On, func(l Link) bool {
		return slices.ContainsFunc(folders, func(f string) bool { return Within(f, l.Path) })
	})
}

// Glob returns the paths below a folder, whose own name is no pattern, that match one.
func Glob(dir, pattern string) []string {
	found, _ := fs.Glob(os.DirFS(dir), pattern)
	for i, name := range found {
		found[i] = filepath.Join(dir, name)
	}
	return found
}

// Within reports whether path is dir or lies below it. Both are clean.
func Within(dir, path string) bool {
	rest, ok := strings.CutPrefix(path, dir)
	return ok && (rest == "" || rest[0] == filepath.Separator) || dir == "/"
}

// Direct reports whether every folder above a path in top is a real folder or missing: no link leads elsewhere.
func Direct(top, path string) bool {
	if !filepath.IsLocal(path) {
		return false
	}
	for dir := filepath.Dir(path); dir != "."; dir = filepath.Dir(dir) {
		info, err := os.Lstat(filepath.Join(top, dir))
		if err == nil && !info.IsDir() || err != nil && !errors.Is(err, fs.ErrNotExist) {
			return false
		}
	}
	return true
}

// OpenRegular opens a regular file, or what takes its place meanwhile; it follows no link, and waits for no pipe.
func OpenRegular(path string) (*os.File, error) {
	for range 100 {
		info, err := os.Lstat(path)
		if errors.Is(err, fs.ErrPermission) {
			return nil, err
		}
		if err != nil || !info.Mode().IsRegular() {
			break
		}
		f, err := os.OpenFile(path, os.O_RDONLY|withoutWaiting, 0)
		if err != nil {
			return nil, err
		}
		if opened, err := f.Stat(); err == nil && os.SameFile(info, opened) {
			return f, nil
		}
		_ = f.Close()
	}
	return nil, fs.ErrNotExist
}

// ReadRegular reads what OpenRegular opens.
func ReadRegular(path string) ([]byte, error) {
	f, err := OpenRegular(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, mostRead+1))
	if err == nil && len(data) > mostRead {
		err = &fs.PathError{Op: "read", Path: path, Err: errors.New("it is too large")}
	}
	return data, err
}

// RemoveTree removes a folder that programs worked in, with its read-only parts, and follows no link in it.
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
	return RemoveIn(root, filepath.Base(dir))
}

// RemoveIn removes a name in root, and nothing outside root.
func RemoveIn(root *os.Root, name string) error {
	if root.RemoveAll(name) == nil {
		return nil
	}
	makeWritable(root, name)
	return root.RemoveAll(name)
}

// makeWritable makes a folder, and all folders below it, writable.
func makeWritable(root *os.Root, dir string) {
	_ = root.Chmod(dir, 0o700)
	entries, _ := fs.ReadDir(root.FS(), filepath.ToSlash(dir))
	for _, e := range entries {
		if e.IsDir() {
			makeWritable(root, filepath.Join(dir, e.Name()))
		}
	}
}

// Temporary folders lie in one folder of the user's, locked by their process: one whose lock is free is not needed.

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
