package worktree

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/git-plan/git-plan/gitplan/git"
)

// RawFile is a file of the work tree as the file system has it. Its bytes are kept and put back
// unchanged by filters and line ends.
type RawFile struct {
	Path string
	Size int64
	Time time.Time
	Mode fs.FileMode
	// Changed is the time that the kernel records, which a program that writes the file cannot set back.
	Changed time.Time
}

// Same reports whether two are the same file with the same contents, as far as can be told without
// reading them.
func (f RawFile) Same(g RawFile) bool { return f.LooksSame(g) && f.Changed.Equal(g.Changed) }

// LooksSame is Same without the change time, the one thing that a writer cannot set.
func (f RawFile) LooksSame(g RawFile) bool {
	return f.Path == g.Path && f.Size == g.Size && f.Mode == g.Mode && f.Time.Equal(g.Time)
}

// RawFileOf returns a file as it is now; Time is zero if it does not exist.
func RawFileOf(r *git.Repo, path string) RawFile {
	f := RawFile{Path: path}
	if info, err := os.Lstat(filepath.Join(r.Top, path)); err == nil {
		f.Size, f.Time, f.Mode, f.Changed = info.Size(), info.ModTime(), info.Mode(), git.Changed(info)
	}
	return f
}

// HoldsRaw reports whether a file has the same bytes in the work tree as in a tree of KeepRaw.
func HoldsRaw(ctx context.Context, r *git.Repo, tree, path string) bool {
	root, err := os.OpenRoot(r.Top)
	if err != nil || tree == "" {
		return false
	}
	defer root.Close()
	o, err := r.Read(ctx, tree+":"+path)
	if err != nil {
		return false
	}
	if mode, ok := readable(root, path); !ok {
		return false
	} else if mode == modeLink {
		to, err := root.Readlink(path)
		return err == nil && to == string(o.Data)
	}
	data, err := root.ReadFile(path)
	return err == nil && bytes.Equal(data, o.Data)
}

// mostUnreadable is how many files may turn out to be unreadable to git, although they seemed
// readable, before hashRaw tries no more.
const mostUnreadable = 10

// KeepRaw returns a tree with nothing but the given files of the work tree, byte for byte, and
// the files that cannot be read, which it lacks. It takes three processes, however many files
// there are. The tree is "" if there is nothing to keep.
func KeepRaw(ctx context.Context, r *git.Repo, files []string) (tree string, unread []string, err error) {
	tree, err = inOwnIndex(r, func(index string) (string, error) {
		env := []string{"GIT_INDEX_FILE=" + index}
		var entries bytes.Buffer
		if unread, err = hashRaw(ctx, r, files, filepath.Dir(index), &entries); err != nil || entries.Len() == 0 {
			return "", err
		}
		if err := r.Run(ctx, git.Command{Args: []string{"update-index", "-z", "--index-info"}, Env: env, Stdin: &entries}); err != nil {
			return "", err
		}
		return writeTree(ctx, r, env)
	})
	return tree, unread, err
}

// WithRaw returns a tree to which files of the work tree are added, byte for byte.
func WithRaw(ctx context.Context, r *git.Repo, tree string, files []string) (string, error) {
	return inOwnIndex(r, func(index string) (string, error) {
		env := []string{"GIT_INDEX_FILE=" + index}
		var entries bytes.Buffer
		if _, err := hashRaw(ctx, r, files, filepath.Dir(index), &entries); err != nil {
			return "", err
		}
		err := r.Run(ctx, git.Command{Args: []string{"read-tree", tree}, Env: env})
		if err == nil {
			err = r.Run(ctx, git.Command{Args: []string{"update-index", "-z", "--index-info"}, Env: env, Stdin: &entries})
		}
		if err != nil {
			return "", err
		}
		return writeTree(ctx, r, env)
	})
}

// hashRaw stores files, and writes an entry of an index for each, in the form of git update-index
// --index-info. temp is a folder for its own use. It returns the files that cannot be read.
func hashRaw(ctx context.Context, r *git.Repo, files []string, temp string, entries *bytes.Buffer) (unread []string, err error) {
	root, err := os.OpenRoot(r.Top)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	var at, modes, from []string // of each readable file: its path, its mode, the file with its bytes
	for _, path := range files {
		mode, ok := readable(root, path)
		source := path
		if mode == modeLink {
			source = filepath.Join(temp, fmt.Sprint("link", len(at)))
			target, _ := root.Readlink(path)
			ok = os.WriteFile(source, []byte(target), 0o600) == nil
		}
		if !ok {
			unread = append(unread, path)
			continue
		}
		at, modes, from = append(at, path), append(modes, mode), append(from, source)
	}
	for failed := 0; len(at) > 0; failed++ {
		var out bytes.Buffer
		var names strings.Builder
		for _, name := range from {
			names.WriteString(quoted(name) + "\n")
		}
		err := r.Run(ctx, git.Command{Args: []string{"hash-object", "-w", "--no-filters", "--stdin-paths"}, Stdin: strings.NewReader(names.String()), Stdout: &out})
		oids := strings.Fields(out.String())
		for i, oid := range oids {
			fmt.Fprintf(entries, "%s %s\t%s\x00", modes[i], oid, at[i])
		}
		n := len(oids)
		switch {
		case err == nil:
			return unread, nil
		case git.Code(err) < 0 || n >= len(at):
			return unread, err
		case failed == mostUnreadable:
			return append(unread, at[n:]...), nil
		}
		unread = append(unread, at[n]) // it has just been removed or closed
		at, modes, from = at[n+1:], modes[n+1:], from[n+1:]
	}
	return unread, nil
}

// modeLink is the mode of a symbolic link in a tree.
const modeLink = "120000"

// readable returns the mode that a file has in a tree, and whether it can be read.
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

// quoted returns a path in the form in which git reads one from a line.
func quoted(path string) string {
	if !strings.ContainsAny(path, "\n\"\\\r") {
		return path
	}
	return `"` + strings.NewReplacer("\\", "\\\\", "\"", "\\\"", "\n", "\\n", "\r", "\\r").Replace(path) + `"`
}

// PutRaw restores files from a tree of KeepRaw, with mode and time, if nothing is in their place.
// It returns the paths of those that it could not write.
func PutRaw(ctx context.Context, r *git.Repo, tree string, files []RawFile) (failed []string) {
	root, err := os.OpenRoot(r.Top)
	if err != nil {
		return pathsOf(files)
	}
	defer root.Close()
	for _, f := range files {
		if mayPut(r, root, f.Path) != nil {
			failed = append(failed, f.Path)
		} else if o, err := r.Read(ctx, tree+":"+f.Path); err != nil || putRaw(root, f, o.Data) != nil {
			failed = append(failed, f.Path)
		}
	}
	return failed
}

// PutAsRaw gives files the bytes and modes that they have in a tree of WithRaw, after a stash with
// the same files was brought back. A file that was changed by a commit since the stash was made
// stays as it is. Files that were staged are staged again, since git takes a file for changed if
// its size differs from the index.
func PutAsRaw(ctx context.Context, r *git.Repo, tree, stash string, files []RawFile, staged []string) error {
	root, err := os.OpenRoot(r.Top)
	if err != nil {
		return err
	}
	defer root.Close()
	var again []string
	for _, f := range files {
		if err := mayPut(r, root, f.Path); err != nil {
			return fmt.Errorf("%s: %w", f.Path, err)
		}
		was, _ := r.Resolve(ctx, stash+"^:"+f.Path)
		if now, _ := r.Resolve(ctx, "HEAD:"+f.Path); now != was {
			continue
		}
		o, err := r.Read(ctx, tree+":"+f.Path)
		if err == nil && int64(len(o.Data)) == f.Size { // else it changed, or could not be read, while it was kept
			err = replaceRaw(root, f, o.Data)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", f.Path, err)
		}
		if slices.Contains(staged, f.Path) {
			again = append(again, f.Path)
		}
	}
	if len(again) == 0 {
		return nil
	}
	return r.Run(ctx, git.Command{Args: []string{"-c", "core.safecrlf=false", "update-index", "-z", "--stdin"},
		Stdin: nulEnded(again), Writes: true})
}

// replaceRaw replaces a regular file as a whole, with mode and time.
func replaceRaw(root *os.Root, f RawFile, data []byte) error {
	if info, err := root.Lstat(f.Path); err != nil || !info.Mode().IsRegular() {
		return err
	}
	half, err := writeHalf(root, f, data)
	if err == nil {
		err = root.Rename(half, f.Path)
	}
	_ = root.Remove(half)
	return err
}

// writeHalf writes a file, with mode and time, beside the path that it is to have: if this process is
// killed, no part of it is at that path. The caller removes what is left of it.
func writeHalf(root *os.Root, f RawFile, data []byte) (half string, err error) {
	half = f.Path + ".plan-half"
	_ = root.Remove(half)
	if err := root.WriteFile(half, data, 0o600); err != nil {
		return half, err
	}
	if err := root.Chmod(half, f.Mode.Perm()); err != nil {
		return half, err
	}
	return half, root.Chtimes(half, time.Time{}, f.Time)
}

// pathsOf returns the paths of files.
func pathsOf(files []RawFile) (out []string) {
	for _, f := range files {
		out = append(out, f.Path)
	}
	return out
}

// putRaw creates a file as a whole, with mode and time, if nothing is at its path.
func putRaw(root *os.Root, f RawFile, data []byte) error {
	if err := root.MkdirAll(filepath.Dir(f.Path), 0o777); err != nil {
		return err
	}
	if f.Mode&fs.ModeSymlink != 0 {
		return root.Symlink(string(data), f.Path)
	}
	half, err := writeHalf(root, f, data)
	defer root.Remove(half)
	if err != nil {
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

// Fits returns the paths of the smallest files, at most count of them with at most most bytes in
// all, sorted; and the other files.
func Fits(files []RawFile, most int64, count int) (fits []string, tooBig []RawFile) {
	bySize := slices.Clone(files)
	slices.SortStableFunc(bySize, func(a, b RawFile) int { return int(min(max(a.Size-b.Size, -1), 1)) })
	size := int64(0)
	for _, f := range bySize {
		if size += f.Size; size > most || len(fits) == count {
			tooBig = append(tooBig, f)
			size = most // the others are bigger
			continue
		}
		fits = append(fits, f.Path)
	}
	slices.Sort(fits)
	return fits, tooBig
}

// errNotCheckedOut says that git itself would never write a file at a path.
var errNotCheckedOut = &fs.PathError{Op: "write", Path: ".git", Err: fs.ErrPermission}

// mayPut returns an error for paths at which git would never check anything out: those that lead
// out of the work tree, those with a .git in them in any spelling of any file system, those
// behind a symbolic link, and those in the repository, wherever that is. Paths come from notes
// and trees, which others may have written.
func mayPut(r *git.Repo, root *os.Root, path string) error {
	path = filepath.FromSlash(path)
	if !filepath.IsLocal(path) {
		return errNotCheckedOut
	}
	for part := range strings.FieldsFuncSeq(path, func(c rune) bool { return c == '/' || c == '\\' }) {
		if isDotGit(part) {
			return errNotCheckedOut
		}
	}
	for dir := filepath.Dir(path); dir != "."; dir = filepath.Dir(dir) {
		if info, err := root.Lstat(dir); err == nil && !info.IsDir() {
			return errNotCheckedOut
		}
	}
	for _, dir := range []string{r.GitDir, r.CommonDir} {
		if rel, err := filepath.Rel(dir, filepath.Join(r.Top, path)); err == nil && filepath.IsLocal(rel) {
			return errNotCheckedOut
		}
	}
	return nil
}

// isDotGit reports whether any file system takes a name for .git, like git's core.protectNTFS and
// core.protectHFS, whichever file system this is. NTFS ignores case, dots and spaces at the end,
// and knows streams and short names; HFS+ ignores letters without a width.
func isDotGit(name string) bool {
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
