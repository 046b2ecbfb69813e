package worktree

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha1"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/disk"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/proc"
)

// Index is a copy of the index at one moment, with its bytes, since other programs than git can write the file.
type Index struct {
	repo    *git.Repo
	data    []byte
	info    fs.FileInfo // the state of the file; nil if there was no index
	hidden  []string    // the paths that the user had hidden from git
	written fs.FileInfo // the state of the file when it last was known to be written by git
}

// OpenIndex returns the current index.
func OpenIndex(ctx context.Context, r *git.Repo) (*Index, error) {
	i, err := readIndex(r, r.IndexFile())
	if err != nil || i.info == nil {
		return i, err
	}
	i.hidden, err = hiddenFiles(ctx, r)
	return i, err
}

// readIndex reads the index in a file; hidden stays empty.
func readIndex(r *git.Repo, file string) (*Index, error) {
	i := &Index{repo: r}
	info, err := os.Stat(file)
	if errors.Is(err, fs.ErrNotExist) {
		return i, nil
	}
	data, unread := os.ReadFile(file)
	i.info, i.written, i.data = info, info, data
	return i, errors.Join(err, unread)
}

// Hidden returns the paths that have been hidden from git since the index was opened.
func (i *Index) Hidden(ctx context.Context) ([]string, error) {
	hidden, err := hiddenFiles(ctx, i.repo)
	was := SetOf(i.hidden)
	return slices.DeleteFunc(hidden, func(p string) bool { return was[p] }), err
}

// Distrust makes git compare each file with its entry again if the index was written since it was opened: forged times,
// sizes and extensions can hide a change. Staged changes stay.
func (i *Index) Distrust(ctx context.Context) error {
	index, oid := i.repo.IndexFile(), len(i.repo.Zero())/2
	if info, err := os.Stat(index); err == nil && i.written != nil && git.SameFile(i.written, info) {
		return nil
	}
	now, err := readIndex(i.repo, index)
	if err != nil || now.info == nil {
		return err
	}
	end, folders := headerBytes, false
	if !eachEntry(string(now.data), oid, func(e indexEntry) {
		clear(now.data[e.at : e.at+entryMode])             // times, device and inode
		clear(now.data[e.at+entryMode+4 : e.at+entryName]) // owner and size
		end, folders = e.end, folders || e.mode&fileKind == folder
	}) || folders || oid != sha1.Size {
		return i.Restore() // it is split, sparse, damaged or of SHA-256
	}
	sum := sha1.Sum(now.data[:end])
	now.data = append(now.data[:end], sum[:]...)
	if err := now.Restore(); err != nil {
		return err
	}
	refresh := git.Command{Args: []string{"update-index", "-q", "--refresh"}, Writes: true}
	if err = git.Allow(1, i.repo.Run(ctx, refresh)); err == nil { // exit code 1: some file differs
		i.written, err = os.Stat(index)
	}
	return err
}

// Restore writes i back as the index, even over one that git cannot read. The error is git.ErrLocked if a git works there.
func (i *Index) Restore() error {
	index, mode := i.repo.IndexFile(), fs.FileMode(0o644)
	if info, err := os.Stat(index); err == nil && info.Mode().IsRegular() {
		mode = info.Mode().Perm()
	} else if there, err := os.Lstat(index); err == nil && there.IsDir() {
		if err := os.Rename(index, index+".unread"); err != nil {
			return err
		}
	}
	if i.repo.OnWrite != nil { // after a kill, the lock is known to be ours
		i.repo.OnWrite(os.Getpid())
		defer i.repo.OnWrite(0)
	}
	lock, err := os.OpenFile(index+".lock", os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return &git.Error{Args: []string{"update-index"}, Lock: index + ".lock"}
	}
	if err != nil {
		return err
	}
	defer func() { _ = errors.Join(lock.Close(), os.Remove(lock.Name())) }()
	if i.info == nil {
		return os.Remove(index)
	}
	dir, remove, err := tempFolder(i.repo)
	if err != nil {
		return err
	}
	defer remove()
	next := filepath.Join(dir, "index")
	if err := errors.Join(os.WriteFile(next, i.data, 0o600), os.Chmod(next, mode),
		os.Chtimes(next, i.info.ModTime(), i.info.ModTime())); err != nil {
		return err
	}
	if os.Rename(next, index) == nil {
		return nil
	}
	return errors.Join(CopyIndex(next, index), os.Chmod(index, mode)) // GIT_INDEX_FILE may be on another disk
}

// WithAdded calls do while the index also has the new files at paths, with the contents in the work tree. Afterwards it
// restores the index, whatever do wrote there, unless HEAD has moved. In a clone, the .git is the original one during
// the call. of is the index at the beginning of the session; nil without one.
func WithAdded(ctx context.Context, r *git.Repo, of *Index, paths []string, do func() error) error {
	if len(paths) == 0 {
		return inOwnDotGit(ctx, r, do)
	}
	how := "add --intent-to-add --force --pathspec-from-file=- --pathspec-file-nul"
	if len(paths) > 1000 { // git add compares each path with all patterns
		how = "update-index --add -z --stdin"
	}
	was, err := readIndex(r, r.IndexFile())
	if err != nil {
		return err
	}
	head, _ := r.Resolve(ctx, "HEAD")
	if err = r.Run(ctx,
		git.Command{Args: append([]string{"-c", "core.sparseCheckout=false", "--literal-pathspecs"}, strings.Fields(how)...),
			Stdin: nulTerminated(paths), Writes: true}); err == nil {
		err = inOwnDotGit(ctx, r, do)
	}
	if now, _ := r.Resolve(context.WithoutCancel(ctx), "HEAD"); now == head {
		restored := was.Restore()
		if err = errors.Join(err, restored); restored == nil && of != nil && of.written != nil && was.info != nil &&
			git.SameFile(of.written, was.info) {
			of.written, _ = os.Stat(r.IndexFile())
		}
	}
	return err
}

// LoadIndex replaces the index by a copy in a file. The error is git.ErrLocked if a git works there.
func LoadIndex(r *git.Repo, file string) error {
	i, err := readIndex(r, file)
	if err != nil {
		return err
	}
	return i.Restore()
}

// CopyIndex copies an index with its modification time, by which git knows which files may have changed while the index
// was written. If from does not exist, to does not exist afterwards.
func CopyIndex(from, to string) error {
	info, err := os.Stat(from)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := copyFile(from, to); err != nil || info == nil {
		return err
	}
	return os.Chtimes(to, info.ModTime(), info.ModTime())
}

// StagedTree writes the tree of the index, or of the one that env names, and returns its object name.
func StagedTree(ctx context.Context, r *git.Repo, env ...string) (string, error) {
	out, err := r.Capture(ctx, git.Command{Args: []string{"write-tree"}, Env: env})
	return strings.TrimSpace(out), err
}

// nulTerminated returns paths in the form that git reads with -z.
func nulTerminated(paths []string) io.Reader {
	return strings.NewReader(strings.Join(paths, "\x00") + "\x00")
}

// inOwnIndex calls do with an environment that names another index: of tree, or a copy of the index if tree is empty. It
// lies in a temporary folder that is removed afterwards.
func inOwnIndex(ctx context.Context, r *git.Repo, tree string, do func(env []string) (string, error)) (string, error) {
	dir, remove, err := tempFolder(r)
	if err != nil {
		return "", err
	}
	defer remove()
	index := filepath.Join(dir, "index")
	env := []string{"GIT_INDEX_FILE=" + index}
	switch tree {
	case "":
		err = CopyIndex(r.IndexFile(), index)
	case r.EmptyTree(): // a missing index is empty
	default:
		err = r.Run(ctx, git.Command{Args: []string{"read-tree", tree}, Env: env})
	}
	if err != nil {
		return "", err
	}
	return do(env)
}

// tempFolder makes a temporary folder on the disk of the index.
func tempFolder(r *git.Repo) (dir string, remove func(), err error) {
	return disk.TempFolderIn(filepath.Join(r.GitDir, "plan", "indexes"), "own")
}

// Entry is a file of a tree; without a mode it is a missing one.
type Entry struct{ Path, Mode, OID string }

// WithEntries returns tree ("" for the empty tree) with some entries replaced or removed.
func WithEntries(ctx context.Context, r *git.Repo, tree string, entries []Entry) (string, error) {
	return inOwnIndex(ctx, r, cmp.Or(tree, r.EmptyTree()), func(env []string) (string, error) {
		if err := updateEntries(ctx, r, env, entries); err != nil {
			return "", err
		}
		return StagedTree(ctx, r, env...)
	})
}

// Entries returns the files of a tree by path, by one git process; none if git cannot read it.
func Entries(ctx context.Context, r *git.Repo, tree string) map[string]Entry {
	out := map[string]Entry{}
	list, _ := r.Output(ctx, "ls-tree", "-r", "-z", "--full-tree", "--end-of-options", tree)
	for line := range strings.SplitSeq(list, "\x00") {
		about, name, _ := strings.Cut(line, "\t")
		if f := strings.Fields(about); len(f) == 3 {
			out[name] = Entry{Path: name, Mode: f[0], OID: f[2]}
		}
	}
	return out
}

// updateEntries replaces or removes entries of the index that env names.
func updateEntries(ctx context.Context, r *git.Repo, env []string, entries []Entry) error {
	var lines bytes.Buffer
	for _, gone := range []bool{true, false} { // removals first: a file may replace a folder
		for _, e := range entries {
			switch {
			case gone && e.Mode == "":
				fmt.Fprintf(&lines, "0 %s\t%s\x00", r.Zero(), e.Path)
			case !gone && e.Mode != "":
				fmt.Fprintf(&lines, "%s %s\t%s\x00", e.Mode, e.OID, e.Path)
			}
		}
	}
	return r.Run(ctx, git.Command{Args: []string{"update-index", "--replace", "-z", "--index-info"}, Env: env,
		Stdin: &lines})
}

// Scratch is a repository that a program may write instead of the real one. It has the same HEAD, refs, index and
// settings, borrows the real one's objects, and stores new ones itself. Nothing that is written there is trusted.
type Scratch struct {
	dir    string       // the repository's folder
	Inside string       // the path at which the program finds it
	Mounts []proc.Mount // the mounts that put it over the .git of the work tree
}

// borrowedObjects is the folder in a Scratch for the objects of the real repository.
const borrowedObjects = "borrowed"

// NewScratch makes a Scratch of a repository in dir, which is replaced, by one git process.
func NewScratch(ctx context.Context, r *git.Repo, dir string) (*Scratch, error) {
	if err := errors.Join(disk.RemoveTree(dir), os.MkdirAll(filepath.Join(dir, borrowedObjects), 0o700)); err != nil {
		return nil, err
	}
	settings, err := os.ReadFile(filepath.Join(r.CommonDir, "config"))
	if err != nil {
		return nil, err
	}
	s := &Scratch{dir: dir}
	at := filepath.Join(r.Top, ".git")
	if info, err := os.Lstat(at); err != nil {
		return nil, err
	} else if info.IsDir() {
		s.Inside, s.Mounts = at, []proc.Mount{{From: dir, To: at, Writable: true}}
		if rel, err := filepath.Rel(at, r.HooksDir); err == nil && filepath.IsLocal(rel) { // the mount hides them
			s.Mounts = append(s.Mounts, proc.Mount{From: r.HooksDir, To: r.HooksDir})
		}
	} else { // .git is a file with the path of the repository
		names := filepath.Join(dir, "names")
		settings = fmt.Appendf(settings, "\n[core]\n\tbare = false\n\tworktree = %q\n", r.Top)
		if err := os.WriteFile(names, []byte("gitdir: "+dir+"\n"), 0o600); err != nil {
			return nil, err
		}
		s.Inside, s.Mounts = dir, []proc.Mount{{From: dir, To: dir, Writable: true}, {From: names, To: at}}
	}
	s.Mounts = append(s.Mounts,
		proc.Mount{From: filepath.Join(r.CommonDir, "objects"), To: filepath.Join(s.Inside, borrowedObjects)})
	err = newRepository(r, dir, filepath.Join(s.Inside, borrowedObjects))
	listRefs := git.Command{Args: []string{"for-each-ref", "--format=%(objectname) %(refname)", "refs/"}}
	refs, unread := r.Capture(ctx, listRefs)
	for _, name := range []string{"HEAD", "config.worktree", "info/sparse-checkout"} {
		err = errors.Join(err, copyFile(filepath.Join(r.GitDir, name), filepath.Join(dir, name)))
	}
	return s, errors.Join(err, unread,
		os.WriteFile(filepath.Join(dir, "packed-refs"), []byte(refs), 0o600),
		os.WriteFile(filepath.Join(dir, "config"), settings, 0o600),
		CopyIndex(r.IndexFile(), filepath.Join(dir, "index")))
}

// newRepository creates a repository in dir without refs, which borrows the objects of a folder.
func newRepository(r *git.Repo, dir, objects string) (err error) {
	for _, sub := range []string{"objects/info", "refs", "info", "hooks", "logs"} {
		err = errors.Join(err, os.MkdirAll(filepath.Join(dir, sub), 0o700))
	}
	for _, name := range []string{"shallow", "info/exclude", "info/attributes"} {
		err = errors.Join(err, copyFile(filepath.Join(r.CommonDir, name), filepath.Join(dir, name)))
	}
	alternates := filepath.Join(dir, "objects/info/alternates")
	return errors.Join(err, os.WriteFile(alternates, []byte(quoted(objects)+"\n"), 0o600))
}

// StagedInScratch returns the paths at which the index of a Scratch differs from a tree; a program may have forged them.
func StagedInScratch(ctx context.Context, r *git.Repo, s *Scratch, tree string) ([]string, error) {
	out, err := r.Capture(ctx, git.Command{
		Args: []string{"diff-index", "--cached", "--name-only", "-z", "--no-renames", "--ignore-submodules=dirty", tree},
		Env:  []string{"GIT_INDEX_FILE=" + filepath.Join(s.dir, "index")},
	})
	return git.Names(out), err
}
