// Package disk resolves links, makes temporary folders that are removed after their process has died, recognises a full
// disk, and removes folders of programs, even read-only ones.
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

// Match is doublestar.Match for patterns whose braces have few alternatives: {a,b} thirty times would be a billion.
func Match(pattern, path string) (bool, error) {
	braces, commas := strings.Count(pattern, "{"), strings.Count(pattern, ",")
	if commas >= 256 || braces > 1 && (braces > 4 || commas > 12) {
		return false, doublestar.ErrBadPattern
	}
	return doublestar.Match(pattern, path)
}

// Link is a symbolic link: Path is its name in the real folder that has it, To the text that it contains.
type Link struct{ Path, To string }

const (
	maxLinks = 40        // the maximum number of links on the way to one path, as in Linux
	maxRead  = 256 << 20 // the maximum number of bytes that ReadRegular reads
)

// Links follows links and caches the answers; use one for many paths at one moment. The zero value is ready.
type Links struct{ seen map[string]Way }

// Way is where a path leads: the real path, and the links on the way; empty if nothing is there.
type Way struct {
	Real  string
	Links []Link
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
	l.seen[path] = Way{} // the answer for a link that leads to itself
	w := Way{Real: root, Found: true}
	if i := strings.LastIndex(path, root); strings.Trim(path, root) != "" {
		if w = l.Follow(path[:max(i, 1)]); w.Found {
			w = l.step(w, path[i+1:])
		}
	}
	l.seen[path] = w
	return w
}

// step returns where a name in a real folder leads.
func (l *Links) step(folder Way, name string) Way {
	path := filepath.Join(folder.Real, name)
	to, err := os.Readlink(path)
	target := to
	switch {
	case errors.Is(err, syscall.EINVAL): // it exists and is no link
		return Way{Real: path, Links: folder.Links, Found: true}
	case err != nil || len(folder.Links) >= maxLinks:
		return Way{}
	case !filepath.IsAbs(to):
		target = folder.Real + string(filepath.Separator) + to
	}
	w := l.Follow(target)
	if !w.Found || len(folder.Links)+len(w.Links) >= maxLinks {
		return Way{}
	}
	w.Links = slices.Concat(folder.Links, []Link{{path, to}}, w.Links)
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

// Existing returns the real paths of the paths that exist, sorted, without duplicates.
func (l *Links) Existing(paths []string) (out []string) {
	for _, p := range paths {
		if w := l.Follow(p); w.Found {
			out = append(out, w.Real)
		}
	}
	return slices.Compact(slices.Sorted(slices.Values(out)))
}

// ControlledFrom reports whether a link on the way lies in one of the folders, whose owner can change where it leads.
func (w Way) ControlledFrom(folders []string) bool {
	return slices.ContainsFunc(w.Links, func(l Link) bool {
		return slices.ContainsFunc(folders, func(f string) bool { return Within(f, l.Path) })
	})
}

// Glob returns the paths below a folder that match a pattern; the folder's own name is taken literally.
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

// OpenRegular opens a regular file. It follows no link, does not block at a pipe, and tries again if the file is
// replaced meanwhile. The error is fs.ErrNotExist if the path is something else.
func OpenRegular(path string) (*os.File, error) {
	for range 100 {
		info, err := os.Lstat(path)
		if errors.Is(err, fs.ErrPermission) {
			return nil, err
		}
		if err != nil || !info.Mode().IsRegular() {
			break
		}
		f, err := os.OpenFile(path, os.O_RDONLY|openNonblocking, 0)
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

// ReadRegular reads a file as OpenRegular opens it; one larger than maxRead is an error.
func ReadRegular(path string) ([]byte, error) {
	f, err := OpenRegular(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxRead+1))
	if err == nil && len(data) > maxRead {
		err = &fs.PathError{Op: "read", Path: path, Err: errors.New("it is too large")}
	}
	return data, err
}

// RemoveTree removes a folder, with its read-only parts, and follows no link in it.
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

// TempFolder makes a folder of mode 0700 for the files of this process. remove deletes it; if this process dies before,
// its lock is free, and the next TempFolder deletes it. Without locks it is an ordinary temporary folder.
func TempFolder(name string) (dir string, remove func(), err error) {
	return tempFolder(openTemps(), os.TempDir(), "git-plan-"+name, name)
}

// TempFolderIn is TempFolder in a folder of this program, which is created if necessary.
func TempFolderIn(parent, name string) (dir string, remove func(), err error) {
	if err := os.MkdirAll(parent, 0o700); err != nil {
		return "", nil, err
	}
	var root *os.Root
	if canLock {
		root, _ = os.OpenRoot(parent)
	}
	return tempFolder(root, parent, name, name)
}

// tempFolder makes a locked folder name-* in root or else an ordinary one, fallbackName-*, in fallback.
func tempFolder(root *os.Root, fallback, fallbackName, name string) (dir string, remove func(), err error) {
	if root != nil {
		defer root.Close()
		sweepTemps(root)
		for range 20 { // another process may sweep the folder away before it is locked
			if dir, err = os.MkdirTemp(root.Name(), name+"-"); err != nil {
				break
			}
			if lock := lockedFolder(root, filepath.Base(dir)); lock != nil {
				return dir, func() { _, _ = RemoveTree(dir), lock.Close() }, nil
			}
		}
	}
	dir, err = os.MkdirTemp(fallback, fallbackName+"-")
	return dir, func() { _ = RemoveTree(dir) }, err
}

// SweepTemps removes the folders of processes that died. It creates the user's folder, so that a sandbox can hide it.
func SweepTemps() {
	if root := openTemps(); root != nil {
		sweepTemps(root)
		root.Close()
	}
}

// Temps returns the folders of this user in the given temporary ones that exist and are private.
func Temps(temporary ...string) (out []string) {
	for _, tmp := range temporary {
		dir := tempsIn(tmp)
		if info, err := os.Lstat(dir); err == nil && isPrivateFolder(info) {
			out = append(out, dir)
		}
	}
	return out
}

func tempsIn(tmp string) string { return filepath.Join(tmp, fmt.Sprintf("git-plan-%d", os.Geteuid())) }

// openTemps opens the user's folder, creating it if necessary; nil if it is not private, or nothing can be locked.
// Another user could replace it meanwhile, so the opened folder is compared with the checked one.
func openTemps() *os.Root {
	if !canLock {
		return nil
	}
	dir := tempsIn(os.TempDir())
	_ = os.Mkdir(dir, 0o700) // Lstat reports a failure
	info, err := os.Lstat(dir)
	if err != nil || !isPrivateFolder(info) {
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
		if lock := lockedFolder(root, e.Name()); lock != nil {
			_, _ = RemoveIn(root, e.Name()), lock.Close()
		}
	}
}

// lockedFolder opens and locks a folder, even one that a session made unreadable; nil if it is locked, or gone.
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

// Full returns an error that wraps ENOSPC if a megabyte cannot be written to a folder; otherwise nil.
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
