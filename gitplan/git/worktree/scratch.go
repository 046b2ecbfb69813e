package worktree

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"github.com/git-plan/git-plan/gitplan/disk"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/proc"
	"os"
	"path/filepath"
	"strings"
)

// Scratch is a repository that a program may write to instead of the real one. It has the same
// HEAD, refs, index and settings, the objects of the real one, and new objects of its own. Mounts
// put it over the .git of the work tree. Nothing that is written there is trusted.
type Scratch struct {
	dir    string // of the repository
	Inside string // where the program finds it
	Mounts []proc.Mount
}

// borrowed is the folder in a Scratch for the objects of the real repository.
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
	} else { // a file with the path of the repository
		names := filepath.Join(dir, "names")
		settings = fmt.Appendf(settings, "\n[core]\n\tbare = false\n\tworktree = %q\n", r.Top)
		if err := os.WriteFile(names, []byte("gitdir: "+dir+"\n"), 0o600); err != nil {
			return nil, err
		}
		s.Inside, s.Mounts = dir, []proc.Mount{{From: dir, To: dir, Writable: true}, {From: names, To: at}}
	}
	s.Mounts = append(s.Mounts, proc.Mount{From: filepath.Join(r.CommonDir, "objects"), To: filepath.Join(s.Inside, borrowedObjects)})
	refs, err := newRepository(ctx, r, dir, filepath.Join(s.Inside, borrowedObjects), []string{"refs/"})
	for _, name := range []string{"HEAD", "config.worktree", "info/sparse-checkout"} {
		err = errors.Join(err, copyFile(filepath.Join(r.GitDir, name), filepath.Join(dir, name)))
	}
	return s, errors.Join(err,
		os.WriteFile(filepath.Join(dir, "packed-refs"), refs, 0o600),
		os.WriteFile(filepath.Join(dir, "config"), settings, 0o600),
		CopyIndex(r.IndexFile(), filepath.Join(dir, "index")))
}

// newRepository begins a repository in dir that has the objects of a folder, and returns lines for its packed-refs: the
// refs of r with some prefixes, by one git process.
func newRepository(ctx context.Context, r *git.Repo, dir, objects string, prefixes []string) (refs []byte, err error) {
	for _, sub := range []string{"objects/info", "refs", "info", "hooks", "logs"} {
		err = errors.Join(err, os.MkdirAll(filepath.Join(dir, sub), 0o700))
	}
	for _, name := range []string{"shallow", "info/exclude", "info/attributes"} {
		err = errors.Join(err, copyFile(filepath.Join(r.CommonDir, name), filepath.Join(dir, name)))
	}
	err = errors.Join(err, os.WriteFile(filepath.Join(dir, "objects/info/alternates"), []byte(quoted(objects)+"\n"), 0o600))
	if err != nil || len(prefixes) == 0 {
		return nil, err
	}
	return r.Bytes(ctx, append([]string{"for-each-ref", "--format=%(objectname) %(refname)"}, prefixes...)...)
}

// StagedInScratch returns the paths at which the index of a Scratch differs from a tree; they are a program's words.
func StagedInScratch(ctx context.Context, r *git.Repo, s *Scratch, tree string) ([]string, error) {
	var out bytes.Buffer
	err := r.Run(ctx, git.Command{
		Args: []string{"diff-index", "--cached", "--name-only", "-z", "--no-renames", "--ignore-submodules=dirty", tree},
		Env:  []string{"GIT_INDEX_FILE=" + filepath.Join(s.dir, "index")}, Stdout: &out,
	})
	return strings.FieldsFunc(out.String(), func(c rune) bool { return c == 0 }), err
}
