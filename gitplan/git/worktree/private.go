package worktree

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/git-plan/git-plan/gitplan/git"
)

// PrivateWorktree returns this repository with another work tree, top, whose HEAD and index are in
// gitDir. HEAD is at head (empty: unborn) and on no branch; everything in gitDir but the index
// is written. The new one shares objects, configuration and filters with r, and has the same
// sparse patterns. To it the files in top are nothing but files: none of its gits reads a .git
// there, so a program that writes to top cannot make git execute anything. Close it.
func PrivateWorktree(r *git.Repo, top, gitDir, head string) (*git.Repo, error) {
	if head == "" {
		head = "ref: refs/plan-unborn"
	}
	_ = os.Remove(filepath.Join(gitDir, "HEAD"))
	if err := os.WriteFile(filepath.Join(gitDir, "HEAD"), []byte(head+"\n"), 0o600); err != nil {
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
		"sparse.expectFilesOutsideOfPatterns", "true", // see PinSubmodules
	), nil
}

// copyFile copies a file. If from does not exist, to does not exist afterwards.
func copyFile(from, to string) error {
	_ = os.Remove(to)
	data, err := os.ReadFile(from)
	if errors.Is(err, fs.ErrNotExist) {
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
