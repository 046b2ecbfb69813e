package worktree

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/disk"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/proc"
)

// CloneAt makes a clone in a new folder and checks out a commit: no branch, remote, hooks, or files of submodules.
func CloneAt(ctx context.Context, r *git.Repo, dir, commit string) error {
	if err := newClone(r, Private{Top: dir, Head: commit}); err != nil {
		return err
	}
	c := r.Submodule(dir, filepath.Join(dir, ".git"))
	// git-lfs needs a remote, and writes pointers instead of objects that only the server has.
	if err := c.Run(ctx,
		git.Command{Env: []string{"GIT_LFS_SKIP_DOWNLOAD_ERRORS=1"}, Args: []string{"-c", "remote.origin.url=" + r.CommonDir,
			"-c", "advice.detachedHead=false", "checkout", "--quiet", "--detach", commit}}); err != nil {
		return err
	}
	return os.RemoveAll(filepath.Join(c.GitDir, "lfs")) // git-lfs makes hard links there to the person's objects
}

// Private describes a clone that belongs to a session.
type Private struct {
	Top      string            // the folder of the files, which must not exist
	GitDir   string            // an empty folder for PrivateWorktree
	Branch   string            // the short name of the branch to check out; empty for a detached HEAD
	Head     string            // the commit to check out; empty if unborn
	Settings []string          // keys and values in turn
	Refs     map[string]string // the refs by git.Repo.RefValues, whose branches become those of the remote origin
}

// PrivateClone makes a clone of this repository without a remote, and returns its files as PrivateWorktree.
func PrivateClone(ctx context.Context, r *git.Repo, p Private) (*git.Repo, error) {
	if err := newClone(r, p); err != nil {
		return nil, err
	}
	e, err := PrivateWorktree(r, p.Top, p.GitDir, p.Head)
	err = errors.Join(err, os.CopyFS(filepath.Join(p.GitDir, "made"), os.DirFS(filepath.Join(p.Top, ".git"))))
	if err == nil && p.Head != "" {
		err = e.Run(ctx, git.Command{Args: []string{"read-tree", "--reset", "-u", p.Head}})
	}
	if err != nil {
		return nil, err
	}
	return e, WriteCloneIndex(ctx, e)
}

// Made is the state of a clone before a program worked in it, so that the next clone can reuse its files.
type Made struct {
	top, last fs.FileInfo // the clone's folder, and the last file that git plan wrote there
	index     *Index
}

// NewMade returns the state of a new clone; nil if its files cannot be reused.
func NewMade(ctx context.Context, e *git.Repo) *Made {
	top, err := os.Lstat(e.Top)
	last, unseen := os.Lstat(filepath.Join(e.Top, ".git", "index"))
	index, unread := OpenIndex(ctx, e)
	recorded := runtime.GOOS == "linux" || runtime.GOOS == "darwin" // proc.Changed is reliable there
	if errors.Join(err, unseen, unread) != nil || !recorded || len(index.hidden) > 0 || len(Submodules(e)) > 0 {
		return nil
	}
	return &Made{top, last, index}
}

// Again makes a clone in the place of m, in which no program runs any more, and returns its files and their status. It
// keeps files that git wrote there and no program has changed. The error is set if the result differs from a new clone.
func (m *Made) Again(ctx context.Context, r *git.Repo, p Private) (*git.Repo, *Status, error) {
	if top, err := os.Lstat(p.Top); err != nil || !os.SameFile(m.top, top) || p.Head == "" {
		return nil, nil, git.ErrMissing
	}
	if err := disk.RemoveTree(filepath.Join(p.Top, ".git")); err != nil {
		return nil, nil, err
	}
	var folders []string
	err := filepath.WalkDir(p.Top, func(path string, d fs.DirEntry, err error) error {
		info, gone := os.Lstat(path)
		switch err = errors.Join(err, gone); {
		case err != nil:
		case IsDotGit(d.Name()): // git status does not show such names
			err = fs.ErrExist
		case d.IsDir() && info.Mode()&0o700 != 0o700:
			err = fs.ErrPermission
		case d.IsDir():
			folders = append(folders, path)
		case !proc.Changed(info).Before(proc.Changed(m.last)):
			err = os.Remove(path)
		}
		return err
	})
	for _, dir := range slices.Backward(folders) {
		_ = os.Remove(dir) // fails unless it is empty
	}
	err = errors.Join(err, disk.RemoveTree(p.GitDir), os.MkdirAll(p.GitDir, 0o700), m.index.Restore())
	if err != nil {
		return nil, nil, err
	}
	e, err := PrivateClone(ctx, r, p)
	if err != nil {
		return nil, nil, err
	}
	s, err := ReadStatusIgnored(ctx, e)
	if err == nil && len(s.Changed)+len(s.Untracked)+len(s.Ignored)+len(s.Unread) > 0 {
		err = ErrConflict
	}
	return e, s, err
}

// newClone makes the .git of a clone without a remote. A move of the branch meanwhile does no harm.
func newClone(r *git.Repo, p Private) error {
	dir, head := filepath.Join(p.Top, ".git"), p.Head
	if err := newRepository(r, dir, filepath.Join(r.CommonDir, "objects")); err != nil {
		return err
	}
	var refs []byte
	for ref, oid := range p.Refs {
		if to, ok := strings.CutPrefix(oid, "ref: "); ok {
			oid = p.Refs[to]
		}
		branch, ok := strings.CutPrefix(ref, "refs/heads/")
		if ok && branch == p.Branch {
			oid = p.Head
		}
		if oid != "" && (ok || strings.HasPrefix(ref, "refs/tags/")) {
			refs = fmt.Appendf(refs, "%s %s\n", oid, ref)
		}
	}
	refs = bytes.ReplaceAll(refs, []byte(" refs/heads/"), []byte(" refs/remotes/origin/"))
	if p.Branch != "" {
		head = "ref: refs/heads/" + p.Branch
	}
	if p.Branch != "" && p.Head != "" {
		refs = fmt.Appendf(refs, "%s refs/heads/%s\n", p.Head, p.Branch)
	}
	settings := append([]string{"core.repositoryFormatVersion", "0", "core.bare", "false",
		"core.logAllRefUpdates", "true"}, p.Settings...)
	if r.Format != "sha1" {
		settings = append(settings, "core.repositoryFormatVersion", "1", "extensions.objectFormat", r.Format)
	}
	var config []byte
	quote := strings.NewReplacer("\\", `\\`, `"`, `\"`, "\n", `\n`).Replace
	for i := 0; i < len(settings); i += 2 {
		dot := strings.LastIndexByte(settings[i], '.')
		section, name := settings[i][:dot], settings[i][dot+1:]
		if at, part, ok := strings.Cut(section, "."); ok {
			section = at + ` "` + quote(part) + `"`
		}
		config = fmt.Appendf(config, "[%s]\n\t%s = \"%s\"\n", section, name, quote(settings[i+1]))
	}
	return errors.Join(os.WriteFile(filepath.Join(dir, "HEAD"), []byte(head+"\n"), 0o600),
		os.WriteFile(filepath.Join(dir, "packed-refs"), refs, 0o600),
		os.WriteFile(filepath.Join(dir, "config"), config, 0o600))
}

// inOwnDotGit calls do while the clone e has its original .git, with the index of e, instead of the session's.
func inOwnDotGit(ctx context.Context, e *git.Repo, do func() error) error {
	if !e.PrivateWorktree {
		return do()
	}
	own, fresh, aside := filepath.Join(e.Top, ".git"), e.Top+".fresh", e.Top+".aside"
	if err := errors.Join(os.RemoveAll(fresh), disk.RemoveTree(aside),
		os.CopyFS(fresh, os.DirFS(filepath.Join(e.GitDir, "made")))); err != nil {
		return err
	}
	_ = os.Rename(own, aside) // the session may have removed it
	defer func() { _, _ = disk.RemoveTree(own), os.Rename(aside, own) }()
	if err := errors.Join(os.Rename(fresh, own), WriteCloneIndex(ctx, e)); err != nil {
		return err
	}
	return do()
}

// WriteCloneIndex copies the index of the clone e into the .git of its work tree.
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
	err := errors.Join(os.WriteFile(filepath.Join(gitDir, "HEAD"), []byte(head+"\n"), 0o600),
		os.WriteFile(filepath.Join(gitDir, "commondir"), []byte(r.CommonDir+"\n"), 0o600)) // git-lfs reads it
	for _, name := range []string{"config.worktree", "info/sparse-checkout"} {
		err = errors.Join(err, copyFile(filepath.Join(r.GitDir, name), filepath.Join(gitDir, name)))
	}
	if err != nil {
		return nil, err
	}
	return r.WithFiles(top, gitDir,
		"core.untrackedCache", "false", // the cache describes the other work tree
		"core.trustCTime", "true", "core.checkStat", "default",
		"core.splitIndex", "false", "index.sparse", "false", // the copied index is one complete file
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
	if err != nil {
		return err
	}
	return errors.Join(os.MkdirAll(filepath.Dir(to), 0o700), os.WriteFile(to, data, 0o600))
}
