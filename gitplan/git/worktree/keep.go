package worktree

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/git-plan/git-plan/gitplan/disk"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/proc"
)

// RawFile is the state of a file in the work tree, without filters and conversions of git.
type RawFile struct {
	Path string
	Size int64
	Time time.Time // zero if the file does not exist
	Mode fs.FileMode
	// Changed is the time of the last change by the kernel's record, which no program can set back.
	Changed time.Time
}

// Same reports whether two states are those of an unchanged file, as far as this is known without reading it.
func (f RawFile) Same(g RawFile) bool {
	return f.Path == g.Path && f.Size == g.Size && f.Mode == g.Mode && f.Time.Equal(g.Time) && f.Changed.Equal(g.Changed)
}

// RawFileOf returns the current state of a file.
func RawFileOf(r *git.Repo, path string) RawFile {
	f := RawFile{Path: path}
	if info, err := os.Lstat(filepath.Join(r.Top, path)); err == nil {
		f.Size, f.Time, f.Mode, f.Changed = info.Size(), info.ModTime(), info.Mode(), proc.Changed(info)
	}
	return f
}

// KeepRaw stores files of the work tree, byte for byte, in a tree ("" without any). unread are the unreadable files.
func KeepRaw(ctx context.Context, r *git.Repo, files []string) (tree string, unread []string, err error) {
	entries, unread, err := rawEntries(ctx, r, files)
	if err != nil || len(entries) == 0 {
		return "", unread, err
	}
	tree, err = WithEntries(ctx, r, "", entries)
	return tree, unread, err
}

const (
	maxUnreadable = 10       // the number of files that git fails to read after which rawEntries gives up
	modeLink      = "120000" // the mode of a symbolic link in a tree
)

// rawEntries stores files byte for byte, by one process, and returns their entries, and the files that cannot be read.
func rawEntries(ctx context.Context, r *git.Repo, files []string) (entries []Entry, unread []string, err error) {
	root, err := os.OpenRoot(r.Top)
	if err != nil {
		return nil, nil, err
	}
	defer root.Close()
	var left []Entry // regular files whose blob is to be stored
	for _, path := range files {
		mode, ok := readable(root, path)
		if ok && mode != modeLink {
			left = append(left, Entry{Path: path, Mode: mode})
			continue
		}
		target, linkErr := root.Readlink(path)
		if !ok || linkErr != nil {
			unread = append(unread, path)
			continue
		}
		oid, err := r.WriteBlob(ctx, []byte(target))
		if err != nil {
			return nil, nil, err
		}
		entries = append(entries, Entry{path, mode, oid})
	}
	for failed := 0; len(left) > 0 && failed <= maxUnreadable; failed++ {
		var out bytes.Buffer
		var names strings.Builder
		for _, e := range left {
			names.WriteString(quoted(e.Path) + "\n")
		}
		err := r.Run(ctx, git.Command{Args: []string{"hash-object", "-w", "--no-filters", "--stdin-paths"},
			Stdin: strings.NewReader(names.String()), Stdout: &out})
		oids := strings.Fields(out.String())
		for i, oid := range oids[:min(len(oids), len(left))] {
			entries = append(entries, Entry{left[i].Path, left[i].Mode, oid})
		}
		left = left[min(len(oids), len(left)):]
		if err == nil || git.Code(err) < 0 || len(left) == 0 {
			return entries, unread, err
		}
		unread = append(unread, left[0].Path) // it was removed or made unreadable meanwhile
		left = left[1:]
	}
	for _, e := range left {
		unread = append(unread, e.Path)
	}
	return entries, unread, nil
}

// readable returns the mode of a file in a tree, and whether it can be read.
func readable(root *os.Root, path string) (mode string, ok bool) {
	info, err := root.Lstat(path)
	if err != nil {
		return "", false
	}
	switch mode = "100644"; {
	case info.Mode()&fs.ModeSymlink != 0:
		return modeLink, true
	case !info.Mode().IsRegular():
		return "", false
	case info.Mode()&0o111 != 0:
		mode = "100755"
	}
	f, err := root.Open(path)
	if err != nil {
		return "", false
	}
	return mode, f.Close() == nil
}

// quoted returns a path in the form that git reads from a line.
func quoted(path string) string {
	if !strings.ContainsAny(path, "\n\"\\\r") {
		return path
	}
	return `"` + strings.NewReplacer("\\", "\\\\", "\"", "\\\"", "\n", "\\n", "\r", "\\r").Replace(path) + `"`
}

// PutRaw restores files of KeepRaw, with mode and time, if nothing is in their place, and returns the other paths.
func PutRaw(ctx context.Context, r *git.Repo, tree string, files []RawFile) (failed []string) {
	entries := Entries(ctx, r, tree)
	root, err := os.OpenRoot(r.Top)
	if err == nil {
		defer root.Close()
	}
	for _, f := range files {
		if err != nil || entries[f.Path].OID == "" || !mayPut(r, f.Path) {
			failed = append(failed, f.Path)
		} else if o, err := r.Read(ctx, entries[f.Path].OID); err != nil || putRaw(root, f, o.Data) != nil {
			failed = append(failed, f.Path)
		}
	}
	return failed
}

// putRaw creates a file with mode and time, completely or not at all, if nothing is at its path.
func putRaw(root *os.Root, f RawFile, data []byte) error {
	if err := root.MkdirAll(filepath.Dir(f.Path), 0o777); err != nil {
		return err
	}
	if f.Mode&fs.ModeSymlink != 0 {
		return root.Symlink(string(data), f.Path)
	}
	// The hash keeps the name short: the user's may have the maximum length.
	half := fmt.Sprintf("%s/.git-plan-%.8x", filepath.Dir(f.Path), sha256.Sum256([]byte(f.Path)))
	_ = root.Remove(half)
	defer root.Remove(half)
	if err := errors.Join(root.WriteFile(half, data, 0o600), root.Chmod(half, f.Mode.Perm()),
		root.Chtimes(half, time.Time{}, f.Time)); err != nil {
		return err
	}
	if err := root.Link(half, f.Path); err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	if _, err := root.Lstat(f.Path); !errors.Is(err, fs.ErrNotExist) {
		return fs.ErrExist
	}
	return root.Rename(half, f.Path) // some file systems have no links
}

// Fits returns the paths of the smallest files, sorted: at most count, of size bytes in all; and the other files.
func Fits(files []RawFile, size int64, count int) (fits []string, tooBig []RawFile) {
	bySize := slices.Clone(files)
	slices.SortStableFunc(bySize, func(a, b RawFile) int { return int(min(max(a.Size-b.Size, -1), 1)) })
	for i, f := range bySize {
		if size -= f.Size; size < 0 || len(fits) == count {
			tooBig = bySize[i:]
			break
		}
		fits = append(fits, f.Path)
	}
	slices.Sort(fits)
	return fits, tooBig
}

// mayPut reports whether git would check a file out at a path of unknown origin: not outside of the work tree, behind a
// symbolic link, in the repository, or with a .git in the spelling of any file system.
func mayPut(r *git.Repo, path string) bool {
	path = filepath.FromSlash(path)
	parts := strings.FieldsFunc(path, func(c rune) bool { return c == '/' || c == '\\' })
	return disk.Direct(r.Top, path) && !slices.ContainsFunc(parts, IsDotGit) &&
		!slices.ContainsFunc([]string{r.GitDir, r.CommonDir}, func(dir string) bool {
			rel, err := filepath.Rel(dir, filepath.Join(r.Top, path))
			return err == nil && filepath.IsLocal(rel)
		})
}

// IsDotGit reports whether a file system takes a name for .git, like core.protectNTFS and core.protectHFS: NTFS ignores
// case, dots and spaces at the end, and knows streams and short names; HFS+ ignores letters without a width.
func IsDotGit(name string) bool {
	name, _, _ = strings.Cut(strings.Map(func(c rune) rune {
		switch {
		case c >= 0x200c && c <= 0x200f, c >= 0x202a && c <= 0x202e, c >= 0x206a && c <= 0x206f, c == 0xfeff:
			return -1
		}
		return c
	}, name), ":")
	name = strings.TrimRight(name, " .")
	return strings.EqualFold(name, ".git") || strings.EqualFold(name, "git~1")
}

// Unstashable returns the changes that git stash would not restore exactly: in submodules, of files that are only meant
// to be added (git add -N), staged but deleted, or hidden from git, and untracked files in the place of tracked ones. s
// is from ReadStatusIgnored.
func Unstashable(ctx context.Context, r *git.Repo, s *Status) (paths []string, err error) {
	hidden, err := hiddenFiles(ctx, r)
	if err != nil {
		return nil, err
	}
	var deleted []string
	for _, c := range s.Changed {
		switch {
		case c.Submodule, c.XY == ".A", c.XY == "AD", slices.Contains(hidden, c.Path):
			paths = append(paths, c.Path)
		case strings.Contains(c.XY, "D"):
			deleted = append(deleted, c.Path)
		}
	}
	return append(paths, s.InTheWay(r.Top, deleted)...), nil
}

// Stash removes the changes, none of which may be Unstashable, from work tree and index; Unstash restores them. note is
// called with the commit of the stash before anything changes, so that it is known even if this process is killed.
func Stash(ctx context.Context, r *git.Repo, note func(stash string) error) error {
	// core.safecrlf could refuse line ends.
	stash, err := r.Output(ctx, "-c", "core.safecrlf=false", "stash", "create", "git plan --autostash")
	if err != nil || stash == "" {
		return err
	}
	if err := note(stash); err != nil {
		return err
	}
	return putAwayStash(ctx, r, stash)
}

// putAwayStash resets index and work tree to HEAD. If they no longer equal the stash git refuses.
func putAwayStash(ctx context.Context, r *git.Repo, stash string) (err error) {
	saved, err := OpenIndex(ctx, r)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, saved.Restore())
		}
	}()
	for _, args := range [][]string{
		{"read-tree", "-m", "-i", stash}, {"update-index", "-q", "--refresh"}, {"read-tree", "-m", "-u", stash, "HEAD"},
	} {
		if err := r.Run(ctx, git.Command{Args: args, Writes: true}); err != nil && args[0] == "read-tree" {
			return err
		}
	}
	return nil
}

// PutAwayStash completes a Stash that was killed before it changed anything, if index and files still equal the stash.
func PutAwayStash(ctx context.Context, r *git.Repo, stash string) error {
	s, err := ReadStatus(ctx, r)
	if err != nil || s.Clean() || len(s.Unmerged()) > 0 {
		return err
	}
	staged, err := StagedTree(ctx, r)
	all, unread := Snapshot(ctx, r, s.Unstaged())
	if err = errors.Join(err, unread); err != nil {
		return err
	}
	wasStaged, _ := r.Resolve(ctx, stash+"^2^{tree}")
	was, _ := r.Resolve(ctx, stash+"^{tree}")
	if staged != wasStaged || all != was {
		return nil
	}
	return putAwayStash(ctx, r, stash)
}

// Unstash restores a stash; see Stash. If it conflicts the error is ErrConflict, and files may have both sides. After
// any other error the work tree is unchanged, and the caller may try again.
func Unstash(ctx context.Context, r *git.Repo, stash string) error {
	return orConflict(r.Run(ctx, git.Command{Args: []string{"stash", "apply", "--quiet", "--index", stash}, Writes: true}))
}
