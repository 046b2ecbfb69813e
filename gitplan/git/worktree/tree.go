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

	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/proc"
)

// Stage adds new and changed files to the index, removes those that are gone, and returns the
// tree that a commit would now have. Paths are those that a Status calls Unstaged, and new
// files.
//
// It does not run git add --update, which runs git in each submodule to find what changed.
func Stage(ctx context.Context, r *git.Repo, paths []string) (tree string, err error) {
	return stageIn(ctx, r, nil, paths)
}

// stageIn is Stage, in the index that env names (empty: in the one of the work tree).
func stageIn(ctx context.Context, r *git.Repo, env, paths []string) (tree string, err error) {
	own := len(env) == 0 // the index of the work tree
	if r.PrivateWorktree {
		if err := pinSubmodules(ctx, r, env); err != nil {
			return "", err
		}
	}
	there, gone := beyondLinks(r, paths)
	for _, update := range []struct {
		how   []string
		paths []string
	}{{[]string{"--force-remove"}, gone}, {[]string{"--add", "--remove", "--replace"}, there}} {
		if len(update.paths) == 0 {
			continue
		}
		err := r.Run(ctx, git.Command{
			Args:  append(append([]string{"update-index"}, update.how...), "-z", "--stdin"),
			Stdin: nulEnded(update.paths), Env: env, Writes: own,
		})
		if git.Code(err) > 0 && !own {
			err = stageRaw(ctx, r, env, update.paths)
		}
		if err != nil {
			return "", err
		}
	}
	return writeTree(ctx, r, env)
}

// stageRaw adds paths byte for byte to an index of this program's own: what is only kept must be
// kept even if git refuses its line ends, or a filter fails.
func stageRaw(ctx context.Context, r *git.Repo, env, paths []string) error {
	temp, remove, err := ownIndexFolder(r)
	if err != nil {
		return err
	}
	defer remove()
	var entries bytes.Buffer
	unread, err := hashRaw(ctx, r, paths, temp, &entries)
	if err != nil {
		return err
	}
	for _, p := range unread {
		if _, err := os.Lstat(filepath.Join(r.Top, p)); errors.Is(err, fs.ErrNotExist) {
			fmt.Fprintf(&entries, "0 %s\t%s\x00", r.Zero(), p)
		}
	}
	return r.Run(ctx, git.Command{Args: []string{"update-index", "--replace", "-z", "--index-info"}, Env: env, Stdin: &entries})
}

// beyondLinks separates the paths that are gone because a folder above them is now a symbolic
// link, which git update-index refuses to look behind.
func beyondLinks(r *git.Repo, paths []string) (there, gone []string) {
	link := map[string]bool{".": false}
	var linked func(dir string) bool
	linked = func(dir string) bool {
		known, ok := link[dir]
		if !ok {
			info, err := os.Lstat(filepath.Join(r.Top, dir))
			known = linked(filepath.Dir(dir)) || err == nil && info.Mode()&os.ModeSymlink != 0
			link[dir] = known
		}
		return known
	}
	for _, p := range paths {
		if linked(filepath.Dir(filepath.FromSlash(p))) {
			gone = append(gone, p)
		} else {
			there = append(there, p)
		}
	}
	return there, gone
}

// Unstage removes paths from the index and leaves the files alone.
func Unstage(ctx context.Context, r *git.Repo, paths []string) error {
	return r.Run(ctx, git.Command{
		Args: []string{"--literal-pathspecs", "rm", "--cached", "--force", "--quiet", "--ignore-unmatch",
			"--pathspec-from-file=-", "--pathspec-file-nul"},
		Stdin: nulEnded(paths), Writes: true,
	})
}

// Snapshot returns the tree that Stage would return, without touching the index. If git refuses
// to stage the paths, the tree has them byte for byte.
func Snapshot(ctx context.Context, r *git.Repo, paths []string) (tree string, err error) {
	return inOwnIndex(r, func(index string) (string, error) {
		if err := CopyIndex(r.IndexFile(), index); err != nil {
			return "", err
		}
		return stageIn(ctx, r, []string{"GIT_INDEX_FILE=" + index}, paths)
	})
}

// ReadTree makes the index hold a tree, and leaves HEAD and the files alone.
func ReadTree(ctx context.Context, r *git.Repo, tree string) error {
	return r.Run(ctx, git.Command{Args: []string{"read-tree", "--reset", tree}, Writes: true})
}

// utf8Messages declares the encoding of messages that this program writes, whatever the
// person's editor writes.
const utf8Messages = "i18n.commitEncoding=UTF-8"

// CommitIndex commits the index with the person's identity and signature and, if hooks is true,
// with their hooks. said receives what git and the hooks print. mark is a variable, NAME=value,
// in the environment of git: if the context ends, all processes that have it are ended.
func CommitIndex(ctx context.Context, r *git.Repo, message, mark string, hooks bool, said *proc.Tail, env ...string) error {
	args := []string{"-c", utf8Messages, "commit", "--quiet", "--cleanup=whitespace", "--file=-"}
	if !hooks {
		args = append(args, "--no-verify")
	}
	err := r.Run(ctx, git.Command{
		Args:  args,
		Env:   append([]string{proc.EnvDepth + "=1", mark}, env...), // so that the hooks of this program do nothing
		Stdin: strings.NewReader(message), Stdout: said, Stderr: said, Localised: true, Writes: true, Hooks: hooks,
	})
	if ctx.Err() != nil {
		proc.Sweep(mark)
	}
	return err
}

// ResetSoft moves the branch to commit and leaves index and tree alone.
func ResetSoft(ctx context.Context, r *git.Repo, commit string) error {
	return r.Run(ctx, git.Command{Args: []string{"reset", "--soft", "--quiet", commit}, Writes: true})
}

// Restore makes index and tracked files those of commit (empty: none), and removes the given
// new files. Keep what that would lose before.
func Restore(ctx context.Context, r *git.Repo, commit string, added []string) error {
	args := []string{"reset", "--hard", "--quiet", commit}
	if commit == "" {
		args = []string{"read-tree", "--reset", "-u", r.EmptyTree()}
	}
	if err := overwrite(ctx, r, args...); err != nil {
		return err
	}
	return removeFiles(r, slices.DeleteFunc(slices.Clone(added), func(path string) bool {
		_, err := r.Resolve(ctx, commit+":"+path)
		return commit != "" && err == nil // it was just restored
	}))
}

// PutTree takes index and work tree from one tree, from (empty: no files), to another. It
// overwrites files that are ignored; if it would overwrite an untracked one the error is
// ErrConflict.
func PutTree(ctx context.Context, r *git.Repo, from, tree string) error {
	if from == "" {
		from = r.EmptyTree()
	}
	err := runRefreshed(ctx, r, "read-tree", "-m", "-u", from, tree)
	if git.Code(err) > 0 && !errors.Is(err, git.ErrLocked) {
		return ErrConflict
	}
	return err
}

// Become makes the files of r those of a tree, whatever is in their way, and leaves HEAD and index
// alone. paths are those whose files differ from the index, as for Snapshot; other untracked files
// stay.
func Become(ctx context.Context, r *git.Repo, paths []string, tree string) error {
	_, err := inOwnIndex(r, func(index string) (string, error) {
		if err := CopyIndex(r.IndexFile(), index); err != nil {
			return "", err
		}
		env := []string{"GIT_INDEX_FILE=" + index}
		if _, err := stageIn(ctx, r, env, paths); err != nil {
			return "", err
		}
		return "", r.Run(ctx, git.Command{Args: []string{"read-tree", "--reset", "-u", tree}, Env: env, Writes: true})
	})
	return err
}

// runRefreshed runs a git command that takes a file for changed if only its time differs from
// the index, as after touch or in a copy of the repository. To refresh the index first would
// cost a process each time, so that is done only after git has refused.
func runRefreshed(ctx context.Context, r *git.Repo, args ...string) error {
	c := git.Command{Args: args, Writes: true}
	err := r.Run(ctx, c)
	if git.Code(err) > 0 {
		_ = r.Run(ctx, git.Command{Args: []string{"update-index", "-q", "--refresh"}, Writes: true}) // it fails because of files that did change
		err = r.Run(ctx, c)
	}
	return err
}

// checkOutOver makes the files of a tree those of the work tree, which is clean at head, and
// leaves HEAD and index at head: what a kept attempt had changed is changed again. Like PutTree
// it overwrites files that are ignored, and returns ErrConflict rather than overwrite others.
func checkOutOver(ctx context.Context, r *git.Repo, head, tree string) error {
	if head == "" {
		head = r.EmptyTree()
	}
	if err := PutTree(ctx, r, head, tree); err != nil {
		return err
	}
	if head == r.EmptyTree() {
		return r.Run(ctx, git.Command{Args: []string{"read-tree", "--empty"}, Writes: true})
	}
	return r.Run(ctx, git.Command{Args: []string{"reset", "--quiet"}, Writes: true})
}

// ErrConflict says that a change does not fit what is there. The work tree is as it was.
var ErrConflict = errors.New("the change conflicts with what is there now")

// ApplyCommit makes the changes of a commit, compared with its first parent, in a clean work
// tree at head, and neither stages nor commits them. It overwrites files that are ignored. The
// error is ErrConflict if the changes do not fit.
func ApplyCommit(ctx context.Context, r *git.Repo, commit git.Commit, head string) error {
	if len(commit.Parents) > 0 && commit.Parents[0] == head || len(commit.Parents) == 0 && head == "" {
		return checkOutOver(ctx, r, head, commit.Tree)
	}
	args := []string{"cherry-pick", "--no-commit", "--allow-empty"}
	if len(commit.Parents) > 1 {
		args = append(args, "--mainline=1")
	}
	err := r.Run(ctx, git.Command{Args: append(args, commit.OID), Writes: true})
	if git.Code(err) > 0 && !errors.Is(err, git.ErrLocked) {
		if err := overwrite(ctx, r, "reset", "--hard", "--quiet"); err != nil {
			return err
		}
		return ErrConflict
	}
	if err != nil {
		return err
	}
	return r.Run(ctx, git.Command{Args: []string{"reset", "--quiet"}, Writes: true})
}

// MoveBack moves the branch and a clean work tree to commit. Untracked files stay.
func MoveBack(ctx context.Context, r *git.Repo, commit string) error {
	return runRefreshed(ctx, r, "reset", "--keep", "--quiet", commit)
}

// Revert reverts commits, in the given order, by a commit each, with the person's identity and,
// if hooks is true, with their hooks. It returns how many commits it made: none for one that is
// reverted already. If one conflicts all is as it was at head, and the error is ErrConflict.
func Revert(ctx context.Context, r *git.Repo, head string, hooks bool, commits ...string) (made int, err error) {
	for _, c := range commits {
		err := r.Run(ctx, git.Command{Args: []string{"-c", utf8Messages, "-c", "revert.reference=false", "revert", "--no-edit", c}, Env: []string{proc.EnvDepth + "=1"}, Writes: true, Localised: true, Hooks: hooks})
		if err == nil {
			made++
			continue
		}
		if git.Code(err) == 1 && r.Run(ctx, git.Command{Args: []string{"diff-index", "--quiet", "--ignore-submodules=dirty", "HEAD"}}) == nil {
			if err := r.Run(ctx, git.Command{Args: []string{"revert", "--quit"}, Writes: true}); err != nil { // else the next commit would get its message
				return made, err
			}
			continue
		}
		unmerged, _ := r.Output(ctx, "ls-files", "--unmerged")
		if back := overwrite(context.WithoutCancel(ctx), r, "reset", "--hard", "--quiet", head); back != nil || unmerged == "" {
			return 0, err
		}
		return 0, ErrConflict
	}
	return made, nil
}

// Entry is a file of a tree. One without a mode is not there.
type Entry struct{ Path, Mode, OID string }

// WithEntries returns a tree (empty: none) with some entries replaced or removed.
func WithEntries(ctx context.Context, r *git.Repo, tree string, entries []Entry) (string, error) {
	return inOwnIndex(r, func(index string) (string, error) {
		env := []string{"GIT_INDEX_FILE=" + index}
		if tree != "" {
			if err := r.Run(ctx, git.Command{Args: []string{"read-tree", tree}, Env: env}); err != nil {
				return "", err
			}
		}
		var lines bytes.Buffer
		for _, gone := range []bool{true, false} { // a file may be where a folder was
			for _, e := range entries {
				switch {
				case gone && e.Mode == "":
					fmt.Fprintf(&lines, "0 %s\t%s\x00", r.Zero(), e.Path)
				case !gone && e.Mode != "":
					fmt.Fprintf(&lines, "%s %s\t%s\x00", e.Mode, e.OID, e.Path)
				}
			}
		}
		if err := r.Run(ctx, git.Command{Args: []string{"update-index", "-z", "--index-info"}, Env: env, Stdin: &lines}); err != nil {
			return "", err
		}
		return writeTree(ctx, r, env)
	})
}

// Rebase merges, by path, a tree that is staged and checked out here with what others have made of
// base meanwhile: files that only they changed become as theirs has them, staged. HEAD stays. The
// error is ErrConflict if both sides changed a file, or if one is in the way: index and files are
// then neither the one nor the other.
func Rebase(ctx context.Context, r *git.Repo, base, tree, theirs string) error {
	err := r.Run(ctx, git.Command{Args: []string{"read-tree", "-m", "--aggressive", "-u", base, tree, theirs}, Writes: true})
	if git.Code(err) > 0 && !errors.Is(err, git.ErrLocked) {
		return ErrConflict
	}
	if err != nil {
		return err
	}
	in, err := staged(ctx, r, nil)
	if err != nil {
		return err
	}
	if in.unmerged {
		return ErrConflict
	}
	return pin(ctx, r, nil, in.submodules)
}
