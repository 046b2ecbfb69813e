package worktree

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/git-plan/git-plan/gitplan/disk"
	"github.com/git-plan/git-plan/gitplan/git"
)

// Index is the index as it was at a moment. It holds the bytes, since others than git may write
// into the file, which git only replaces.
type Index struct {
	repo *git.Repo
	data []byte
	info fs.FileInfo // nil: there was no index
}

// OpenIndex returns the index as it is now.
func OpenIndex(r *git.Repo) (*Index, error) {
	i := &Index{repo: r}
	info, err := os.Stat(r.IndexFile())
	if err == nil {
		i.info = info
		i.data, err = os.ReadFile(r.IndexFile())
	}
	if errors.Is(err, fs.ErrNotExist) {
		return &Index{repo: r}, nil
	}
	return i, err
}

// Restore makes i the index again, in the place of one that git cannot read.
func (i *Index) Restore() error {
	at := i.repo.IndexFile()
	if info, err := os.Lstat(at); err == nil && info.IsDir() {
		err = os.Rename(at, at+".unread")
		if err != nil {
			return err
		}
	}
	if i.info == nil {
		return os.Remove(at)
	}
	_, err := inOwnIndex(i.repo, func(index string) (string, error) {
		if err := i.write(index); err != nil {
			return "", err
		}
		return "", LoadIndex(i.repo, index)
	})
	return err
}

func (i *Index) write(file string) error {
	if err := os.WriteFile(file, i.data, 0o600); err != nil {
		return err
	}
	return os.Chtimes(file, i.info.ModTime(), i.info.ModTime())
}

// ErrIndex says that git cannot read the index.
var ErrIndex = errors.New("git cannot read the index")

// BadIndex is ErrIndex with the path of the index.
type BadIndex struct {
	Path  string
	cause error
}

func (b *BadIndex) Error() string { return b.cause.Error() }
func (b *BadIndex) Unwrap() error { return b.cause }

// Is reports whether target is ErrIndex.
func (b *BadIndex) Is(target error) bool { return target == ErrIndex }

// orBadIndex returns the error of a git, or a *BadIndex if the index is the reason for it.
func orBadIndex(ctx context.Context, r *git.Repo, err error) error {
	var died *git.Error
	if !errors.As(err, &died) || died.Code != 128 || died.Lock != "" {
		return err
	}
	reads := func(args ...string) bool {
		return git.Code(r.Run(ctx, git.Command{Args: args, Stdout: io.Discard})) != 128
	}
	if reads("ls-files") || !reads("rev-parse", "--git-dir") { // the latter reads all but the index
		return err
	}
	return &BadIndex{r.IndexFile(), died}
}

// SaveIndex copies the index to a file; LoadIndex makes that the index again. If there is no
// index the file does not exist afterwards.
func SaveIndex(r *git.Repo, file string) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return CopyIndex(r.IndexFile(), file)
}

// LoadIndex makes a file of SaveIndex the index. The error is git.ErrLocked if git works there.
func LoadIndex(r *git.Repo, file string) error {
	index := r.IndexFile()
	lock, err := os.OpenFile(index+".lock", os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600) // as git does
	if errors.Is(err, fs.ErrExist) {
		return &git.Error{Args: []string{"update-index"}, Lock: index + ".lock"}
	}
	if err != nil {
		return err
	}
	_ = lock.Close()
	mode := fs.FileMode(0o644)
	if info, err := os.Stat(index); err == nil {
		mode = info.Mode().Perm()
	}
	err = CopyIndex(file, lock.Name())
	if _, gone := os.Stat(file); errors.Is(gone, fs.ErrNotExist) {
		_ = os.Remove(lock.Name())
		return os.Remove(index)
	}
	if err = errors.Join(err, os.Chmod(lock.Name(), mode)); err == nil {
		err = os.Rename(lock.Name(), index)
	}
	if err != nil {
		_ = os.Remove(lock.Name())
	}
	return err
}

// StagedTree writes the tree that a commit of the index would have, and returns its name.
func StagedTree(ctx context.Context, r *git.Repo) (string, error) {
	return writeTree(ctx, r, nil)
}

// writeTree is StagedTree of the index that env names.
func writeTree(ctx context.Context, r *git.Repo, env []string) (string, error) {
	var out bytes.Buffer
	err := r.Run(ctx, git.Command{Args: []string{"write-tree"}, Env: env, Stdout: &out})
	return strings.TrimSpace(out.String()), err
}

// nulEnded returns paths in the form in which git reads them with -z.
func nulEnded(paths []string) io.Reader {
	return strings.NewReader(strings.Join(paths, "\x00") + "\x00")
}

// Hidden returns the paths that are hidden from git (assume-unchanged, skip-worktree)
// since the index was opened. It starts no process if the index was not written since.
func (i *Index) Hidden(ctx context.Context) ([]string, error) {
	if i.isCurrent() {
		return nil, nil
	}
	now, err := hiddenPaths(ctx, i.repo)
	if err != nil || len(now) == 0 || i.info == nil {
		return now, err
	}
	was := map[string]bool{} // those that the person hid
	_, err = inOwnIndex(i.repo, func(index string) (string, error) {
		if err := i.write(index); err != nil {
			return "", err
		}
		before, err := hiddenPaths(ctx, i.repo, "GIT_INDEX_FILE="+index)
		for _, p := range before {
			was[p] = true
		}
		return "", err
	})
	var out []string
	for _, p := range now {
		if !was[p] {
			out = append(out, p)
		}
	}
	return out, err
}

// isCurrent reports whether the index was not written since.
func (i *Index) isCurrent() bool {
	now, err := os.Stat(i.repo.IndexFile())
	if i.info == nil {
		return errors.Is(err, fs.ErrNotExist)
	}
	return err == nil && git.SameFile(i.info, now)
}

// hiddenPaths returns the paths in an index that git does not look at.
func hiddenPaths(ctx context.Context, r *git.Repo, env ...string) (out []string, err error) {
	// A tag in lower case means assume-unchanged, S means skip-worktree.
	return taggedEntries(ctx, r, func(tag string) bool { return tag == "S" || tag != strings.ToUpper(tag) }, env...)
}

// Unhide makes git look at paths again that were hidden from it.
func Unhide(ctx context.Context, r *git.Repo, paths []string) error {
	for _, flag := range []string{"--no-assume-unchanged", "--no-skip-worktree"} {
		if err := markEntries(ctx, r, flag, paths); err != nil {
			return err
		}
	}
	return nil
}

// inOwnIndex calls do with the path of an index that does not exist yet, in a folder of its own
// that is removed afterwards.
func inOwnIndex(r *git.Repo, do func(index string) (string, error)) (string, error) {
	dir, remove, err := ownIndexFolder(r)
	if err != nil {
		return "", err
	}
	defer remove()
	return do(filepath.Join(dir, "index"))
}

// ownIndexFolder makes a folder for indexes of this program's own. It also removes the folders
// of processes that died.
func ownIndexFolder(r *git.Repo) (dir string, remove func(), err error) {
	return disk.TempFolderIn(filepath.Join(r.GitDir, "plan", "indexes"), "own")
}

// CopyIndex copies an index with its time, which git compares with the times of files to know
// which of them may have changed at the moment when the index was written.
func CopyIndex(from, to string) error {
	data, err := os.ReadFile(from)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	info, err := os.Stat(from)
	if err != nil {
		return err
	}
	if err := os.WriteFile(to, data, 0o600); err != nil {
		return err
	}
	return os.Chtimes(to, info.ModTime(), info.ModTime())
}
