package worktree

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/git-plan/git-plan/gitplan/disk"
	"github.com/git-plan/git-plan/gitplan/git"
)

// Index is the index as it was at a moment, with its bytes, since not only git may write into the file.
type Index struct {
	repo   *git.Repo
	data   []byte
	info   fs.FileInfo // nil: there was no index
	hidden PathSet     // what the user had hidden from git
}

// OpenIndex returns the current index.
func OpenIndex(ctx context.Context, r *git.Repo) (*Index, error) {
	i := &Index{repo: r, hidden: PathSet{}}
	info, err := os.Stat(r.IndexFile())
	if errors.Is(err, fs.ErrNotExist) {
		return i, nil
	}
	data, unread := os.ReadFile(r.IndexFile())
	if err = errors.Join(err, unread); err != nil {
		return nil, err
	}
	i.info, i.data = info, data
	hidden, err := hiddenFiles(ctx, r)
	for _, f := range hidden {
		i.hidden[f.Path] = true
	}
	return i, err
}

// Hidden returns the paths that were hidden from git since the index was opened; if it was not written, by no process.
func (i *Index) Hidden(ctx context.Context) ([]string, error) {
	now, err := os.Stat(i.repo.IndexFile())
	if i.info == nil && errors.Is(err, fs.ErrNotExist) || i.info != nil && err == nil && git.SameFile(i.info, now) {
		return nil, nil
	}
	hidden, err := hiddenPaths(ctx, i.repo)
	return slices.DeleteFunc(hidden, func(p string) bool { return i.hidden[p] }), err
}

// Restore makes i the index again, in the place of one that git cannot read.
func (i *Index) Restore() error {
	at := i.repo.IndexFile()
	if info, err := os.Lstat(at); err == nil && info.IsDir() {
		if err := os.Rename(at, at+".unread"); err != nil {
			return err
		}
	}
	if i.info == nil {
		return replaceIndex(i.repo, nil, time.Time{})
	}
	return replaceIndex(i.repo, i.data, i.info.ModTime())
}

// replaceIndex makes data the index, with a time; nil removes it. The error is git.ErrLocked if git works there.
func replaceIndex(r *git.Repo, data []byte, at time.Time) (err error) {
	index := r.IndexFile()
	lock, err := os.OpenFile(index+".lock", os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600) // as git does
	if errors.Is(err, fs.ErrExist) {
		return &git.Error{Args: []string{"update-index"}, Lock: index + ".lock"}
	}
	if err != nil {
		return err
	}
	defer func() {
		if err != nil || data == nil {
			_ = os.Remove(lock.Name())
		}
	}()
	if data == nil {
		_ = lock.Close()
		return os.Remove(index)
	}
	mode := fs.FileMode(0o644)
	if info, err := os.Stat(index); err == nil {
		mode = info.Mode().Perm()
	}
	_, err = lock.Write(data)
	if err = errors.Join(err, lock.Chmod(mode), lock.Close(), os.Chtimes(lock.Name(), at, at)); err != nil {
		return err
	}
	return os.Rename(lock.Name(), index)
}

// WithAdded calls do while the index also has new files, whose contents git looks up in the tree, and makes the index
// what it was, whatever do wrote there, unless HEAD has moved since. In a clone, .git is as it was made meanwhile.
func WithAdded(ctx context.Context, r *git.Repo, paths []string, do func() error) error {
	if len(paths) == 0 {
		return inOwnDotGit(ctx, r, do)
	}
	was, err := OpenIndex(ctx, r)
	if err != nil {
		return err
	}
	head, _ := r.Resolve(ctx, "HEAD")
	if err = r.Run(ctx, git.Command{Args: []string{"-c", "core.sparseCheckout=false", "--literal-pathspecs", "add", "--intent-to-add", "--force",
		"--pathspec-from-file=-", "--pathspec-file-nul"}, Stdin: nulEnded(paths), Writes: true}); err == nil {
		err = inOwnDotGit(ctx, r, do)
	}
	if now, _ := r.Resolve(context.WithoutCancel(ctx), "HEAD"); now == head {
		err = errors.Join(err, was.Restore())
	}
	return err
}

// LoadIndex makes a copy of it the index. The error is git.ErrLocked if git works there.
func LoadIndex(r *git.Repo, file string) error {
	info, err := os.Stat(file)
	if errors.Is(err, fs.ErrNotExist) {
		return replaceIndex(r, nil, time.Time{})
	}
	data, unread := os.ReadFile(file)
	if err = errors.Join(err, unread); err != nil {
		return err
	}
	return replaceIndex(r, data, info.ModTime())
}

// CopyIndex copies an index with its modification time: git compares it with the times of files to know which of
// them may have changed while the index was written. Without an index, to does not exist afterwards.
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

// StagedTree writes the tree that a commit of the index would have, or of the one that env names, and returns its name.
func StagedTree(ctx context.Context, r *git.Repo, env ...string) (string, error) {
	var out bytes.Buffer
	err := r.Run(ctx, git.Command{Args: []string{"write-tree"}, Env: env, Stdout: &out})
	return strings.TrimSpace(out.String()), err
}

// nulEnded returns paths in the form that git reads with -z.
func nulEnded(paths []string) io.Reader {
	return strings.NewReader(strings.Join(paths, "\x00") + "\x00")
}

// inOwnIndex calls do with the path of an index that does not exist yet, in a private folder that is removed
// afterwards, together with those of processes that died.
func inOwnIndex(r *git.Repo, do func(index string) (string, error)) (string, error) {
	dir, remove, err := disk.TempFolderIn(filepath.Join(r.GitDir, "plan", "indexes"), "own")
	if err != nil {
		return "", err
	}
	defer remove()
	return do(filepath.Join(dir, "index"))
}
