package worktree

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/git-plan/git-plan/gitplan/disk"
	"github.com/git-plan/git-plan/gitplan/git"
)

// cloneTo clones this repository into dir, which must not exist, without a checkout, and returns a git that
// runs in the folder above it. Objects are borrowed, or copied if the repository is shallow.
func cloneTo(ctx context.Context, r *git.Repo, dir string, options ...string) (outer *git.Repo, err error) {
	args := append([]string{"clone", "--quiet", "--no-checkout", "--template=", "--origin=origin"}, options...)
	if !strings.Contains(r.CommonDir, "\n") { // git cannot borrow objects from such a folder
		args = append(args, "--shared")
	}
	outer = r.Unbound(filepath.Dir(dir))
	local := []string{"GIT_ALLOW_PROTOCOL=file"} // whatever protocol.file.allow says of other repositories
	return outer, outer.Run(ctx, git.Command{Env: local, Args: append(args, "--", r.CommonDir, dir)})
}

// CloneAt makes a clone in dir, which must not exist, with a commit checked out, no branch, no remote and no hooks. The
// folders of submodules are empty.
func CloneAt(ctx context.Context, r *git.Repo, dir, commit string) error {
	if _, err := cloneTo(ctx, r, dir, "--no-tags"); err != nil {
		return err
	}
	c := r.Submodule(dir, filepath.Join(dir, ".git"))
	pointers := []string{"GIT_LFS_SKIP_DOWNLOAD_ERRORS=1"} // in place of objects that only the server has: there is no remote
	if err := c.Run(ctx, git.Command{Env: pointers, Args: []string{"-c", "advice.detachedHead=false",
		"checkout", "--quiet", "--detach", commit}}); err != nil {
		return err
	}
	if err := os.RemoveAll(filepath.Join(c.GitDir, "lfs")); err != nil { // git-lfs links objects of the person's there
		return err
	}
	return c.Run(ctx, git.Command{Args: []string{"remote", "remove", "origin"}})
}

// Private describes a clone that belongs to a session.
type Private struct {
	Top      string   // which must not exist
	GitDir   string   // for PrivateWorktree; an empty folder
	Branch   string   // checked out
	Head     string   // its commit; empty: unborn
	Settings []string // keys and values in turn
}

// PrivateClone makes a clone of this repository without a remote, and returns its files as PrivateWorktree.
func PrivateClone(ctx context.Context, r *git.Repo, p Private) (*git.Repo, error) {
	var options []string
	for i := 0; i < len(p.Settings); i += 2 {
		options = append(options, "--config", p.Settings[i]+"="+p.Settings[i+1])
	}
	if p.Head != "" && p.Branch != "" {
		options = append(options, "--branch", p.Branch)
	}
	outer, err := cloneTo(ctx, r, p.Top, options...)
	if err != nil {
		return nil, err
	}
	config := filepath.Join(p.Top, ".git", "config")
	if err := outer.Run(ctx, git.Command{Args: []string{"config", "--file", config, "--remove-section", "remote.origin"}}); err != nil {
		return nil, err
	}
	for _, name := range []string{"info/exclude", "info/attributes"} {
		if err := copyFile(filepath.Join(r.CommonDir, name), filepath.Join(p.Top, ".git", name)); err != nil {
			return nil, err
		}
	}
	e, err := PrivateWorktree(r, p.Top, p.GitDir, p.Head)
	err = errors.Join(err, os.CopyFS(filepath.Join(p.GitDir, "made"), os.DirFS(filepath.Join(p.Top, ".git"))))
	if err == nil && p.Head != "" {
		err = e.Run(ctx, git.Command{Args: []string{"read-tree", "-m", "-u", p.Head}})
	}
	if err != nil {
		return nil, err
	}
	return e, WriteCloneIndex(ctx, e)
}

// inOwnDotGit calls do while the .git of a clone is as it was made, with the index of e; then the session's is back.
func inOwnDotGit(ctx context.Context, e *git.Repo, do func() error) error {
	if !e.PrivateWorktree {
		return do()
	}
	own, fresh, aside := filepath.Join(e.Top, ".git"), e.Top+".fresh", e.Top+".aside"
	if err := errors.Join(os.RemoveAll(fresh), disk.RemoveTree(aside), os.CopyFS(fresh, os.DirFS(filepath.Join(e.GitDir, "made")))); err != nil {
		return err
	}
	_ = os.Rename(own, aside) // it may be gone
	defer func() { _, _ = disk.RemoveTree(own), os.Rename(aside, own) }()
	if err := errors.Join(os.Rename(fresh, own), WriteCloneIndex(ctx, e)); err != nil {
		return err
	}
	return do()
}

// WriteCloneIndex gives the .git of a clone the index of its files.
func WriteCloneIndex(ctx context.Context, e *git.Repo) error {
	if _, err := pinSubmodules(ctx, e, nil); err != nil {
		return err
	}
	return CopyIndex(e.IndexFile(), filepath.Join(e.Top, ".git", "index"))
}

// PrivateWorktree returns this repository with another work tree, top, whose HEAD and index are in gitDir.
// HEAD is detached at head (empty: unborn); objects, configuration, filters and sparse patterns are shared.
// Its gits read no .git in top, so a program that writes there cannot make them execute anything. Close it.
func PrivateWorktree(r *git.Repo, top, gitDir, head string) (*git.Repo, error) {
	head = cmp.Or(head, "ref: refs/plan-unborn")
	_ = os.Remove(filepath.Join(gitDir, "HEAD"))
	if err := os.WriteFile(filepath.Join(gitDir, "HEAD"), []byte(head+"\n"), 0o600); err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(gitDir, "commondir"), []byte(r.CommonDir+"\n"), 0o600); err != nil { // for git-lfs
		return nil, err
	}
	for _, name := range []string{"config.worktree", "info/sparse-checkout"} {
		if err := copyFile(filepath.Join(r.GitDir, name), filepath.Join(gitDir, name)); err != nil {
			return nil, err
		}
	}
	return r.WithFiles(top, gitDir,
		"core.untrackedCache", "false", // it is about the other work tree
		"core.trustCTime", "true", "core.checkStat", "default",
		"core.splitIndex", "false", "index.sparse", "false", // the index is copied, whole
		"sparse.expectFilesOutsideOfPatterns", "true", // see pinSubmodules
	), nil
}

// copyFile copies a file. If from does not exist, to does not exist afterwards.
func copyFile(from, to string) error {
	_ = os.Remove(to)
	data, err := os.ReadFile(from)
	if os.IsNotExist(err) {
		return nil
	}
	if err == nil {
		err = os.MkdirAll(filepath.Dir(to), 0o700)
	}
	if err != nil {
		return err
	}
	return os.WriteFile(to, data, 0o600)
}
