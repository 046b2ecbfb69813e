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
	if err := disk.RemoveTree(dir); err != nil {
		return nil, err
	}
	for _, sub := range []string{"objects/info", "refs", "info", "hooks", borrowedObjects} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o700); err != nil {
			return nil, err
		}
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
	for from, to := range map[string]string{
		filepath.Join(r.GitDir, "HEAD"): "HEAD", filepath.Join(r.GitDir, "config.worktree"): "config.worktree",
		filepath.Join(r.GitDir, "info", "sparse-checkout"): "info/sparse-checkout", filepath.Join(r.CommonDir, "shallow"): "shallow",
		filepath.Join(r.CommonDir, "info", "exclude"): "info/exclude", filepath.Join(r.CommonDir, "info", "attributes"): "info/attributes",
	} {
		if err := copyFile(from, filepath.Join(dir, to)); err != nil {
			return nil, err
		}
	}
	var refs bytes.Buffer
	err = r.Run(ctx, git.Command{Args: []string{"for-each-ref", "--format=%(objectname) %(refname)"}, Stdout: &refs})
	return s, errors.Join(err,
		os.WriteFile(filepath.Join(dir, "packed-refs"), refs.Bytes(), 0o600),
		os.WriteFile(filepath.Join(dir, "config"), settings, 0o600),
		os.WriteFile(filepath.Join(dir, "objects", "info", "alternates"), []byte(filepath.Join(s.Inside, borrowedObjects)+"\n"), 0o600),
		CopyIndex(r.IndexFile(), filepath.Join(dir, "index")))
}

// AddedInScratch returns the files in the index of a Scratch that a tree has not; their names are a program's.
func AddedInScratch(ctx context.Context, r *git.Repo, s *Scratch, tree string) ([]string, error) {
	var out bytes.Buffer
	err := r.Run(ctx, git.Command{
		Args: []string{"diff-index", "--cached", "--name-only", "-z", "--no-renames", "--diff-filter=A", "--ignore-submodules=dirty", tree},
		Env:  []string{"GIT_INDEX_FILE=" + filepath.Join(s.dir, "index")}, Stdout: &out,
	})
	return strings.FieldsFunc(out.String(), func(c rune) bool { return c == 0 }), err
}
