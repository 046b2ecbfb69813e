package worktree

import (
	"cmp"
	"context"
	"errors"
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

// Stage adds new and changed files to the index, or the one that env names, removes missing ones, and returns its tree.
// Unlike git add --update it runs no git in submodules. In another index it adds files byte for byte if git refuses their
// line ends or a filter fails, since a session's work must be kept in any case.
func Stage(ctx context.Context, r *git.Repo, paths []string, env ...string) (tree string, err error) {
	if r.PrivateWorktree {
		if _, err := pinSubmodules(ctx, r, env); err != nil {
			return "", err
		}
	}
	var there, gone []string
	for _, p := range paths {
		into := &there
		for dir := filepath.Dir(p); dir != "."; dir = filepath.Dir(dir) {
			if info, err := os.Lstat(filepath.Join(r.Top, dir)); err == nil && info.Mode()&fs.ModeSymlink != 0 {
				into = &gone // behind a symbolic link, where git update-index refuses to look
			}
		}
		*into = append(*into, p)
	}
	for _, update := range []struct {
		how   []string
		paths []string
	}{{[]string{"--force-remove"}, gone}, {[]string{"--add", "--remove", "--replace"}, there}} {
		err := updateIndex(ctx, r, env, update.paths, update.how...)
		if git.Code(err) > 0 && len(env) > 0 {
			err = stageRaw(ctx, r, env, update.paths)
		}
		if err != nil {
			return "", err
		}
	}
	return StagedTree(ctx, r, env...)
}

// stageRaw is Stage for files byte for byte, in the index that env names.
func stageRaw(ctx context.Context, r *git.Repo, env, paths []string) error {
	entries, unread, err := rawEntries(ctx, r, paths)
	if err != nil {
		return err
	}
	for _, p := range unread {
		if _, err := os.Lstat(filepath.Join(r.Top, p)); errors.Is(err, fs.ErrNotExist) {
			entries = append(entries, Entry{Path: p})
		}
	}
	return updateEntries(ctx, r, env, entries)
}

// Snapshot returns the tree that Stage would return, without touching the index.
func Snapshot(ctx context.Context, r *git.Repo, paths []string) (tree string, err error) {
	return inOwnIndex(ctx, r, "", func(env []string) (string, error) {
		return Stage(ctx, r, paths, env...)
	})
}

// Diff writes the difference between HEAD and the files, with new ones, and reports whether there is one.
func Diff(ctx context.Context, r *git.Repo, to io.Writer, color string) (differ bool, err error) {
	_, err = inOwnIndex(ctx, r, "", func(env []string) (string, error) {
		_ = r.Run(ctx, git.Command{Args: []string{"add", "--intent-to-add", "--ignore-errors", "--", "."}, Env: env})
		return "", r.Run(ctx, git.Command{Args: []string{"diff", "--exit-code", "--color=" + color, "--no-ext-diff",
			"--no-textconv", "HEAD"}, Env: env, Stdout: to})
	})
	return git.Code(err) == 1, git.Allow(1, err)
}

// ReadTree replaces the index by a tree; HEAD and the files stay.
func ReadTree(ctx context.Context, r *git.Repo, tree string) error {
	return r.Run(ctx, git.Command{Args: []string{"read-tree", "--reset", tree}, Writes: true})
}

// utf8Messages declares the encoding of this program's messages, which the user's settings may not change.
const utf8Messages = "i18n.commitEncoding=UTF-8"

// CommitIndex commits the index with the user's identity and signature and, if hooks is true, with their hooks. said
// gets the output of git and the hooks. mark is a variable, NAME=value, in their environment, by which all of them are
// killed if the context ends. options are those of git itself, such as -c.
func CommitIndex(ctx context.Context, r *git.Repo, message, mark string, hooks bool, said *proc.Tail,
	options ...string) error {
	args := append(options, "-c", utf8Messages, "commit", "--quiet", "--cleanup=whitespace", "--file=-")
	if !hooks {
		args = append(args, "--no-verify")
	}
	err := r.Run(ctx, git.Command{
		Args:  args,
		Env:   []string{proc.EnvDepth + "=1", mark}, // with EnvDepth this program's hooks do nothing
		Stdin: strings.NewReader(message), Stdout: said, Stderr: said, Localised: true, Writes: true, Hooks: hooks,
	})
	if ctx.Err() != nil {
		proc.Sweep(mark)
	}
	return err
}

// Restore resets index and tracked files to commit (empty: no files), and removes added, which the caller has kept.
func Restore(ctx context.Context, r *git.Repo, commit string, added []string) error {
	args := []string{"reset", "--hard", "--quiet", commit}
	if commit == "" {
		args = []string{"read-tree", "--reset", "-u", r.EmptyTree()}
	}
	if err := removeFiles(r, slices.DeleteFunc(slices.Clone(added), func(path string) bool {
		_, err := r.Resolve(ctx, commit+":"+path)
		return commit != "" && err == nil // it will be restored
	})); err != nil { // first: a restored link may take the place of a new folder
		return err
	}
	return overwrite(ctx, r, args...)
}

// RestorePaths resets the whole index and some files, which the caller has kept, to head (empty: no commit).
func RestorePaths(ctx context.Context, r *git.Repo, head string, paths []string) error {
	reset := []string{"reset", "--quiet"}
	if head == "" {
		reset = []string{"read-tree", "--empty"}
	}
	if err := r.Run(ctx, git.Command{Args: reset, Writes: true}); err != nil {
		return err
	}
	var tracked, added []string
	for _, p := range paths {
		if _, err := r.Resolve(ctx, head+":"+p); head != "" && err == nil {
			tracked = append(tracked, p)
		} else {
			added = append(added, p)
		}
	}
	if err := removeFiles(r, added); err != nil || len(tracked) == 0 {
		return err
	}
	return r.Run(ctx, git.Command{Args: []string{"checkout-index", "--force", "--quiet", "--index", "-z", "--stdin"},
		Stdin: nulTerminated(tracked), Writes: true})
}

// removeFiles removes files, and folders that become empty.
func removeFiles(r *git.Repo, paths []string) error {
	root, err := os.OpenRoot(r.Top)
	if err != nil {
		return err
	}
	defer root.Close()
	for _, path := range paths {
		if !disk.Direct(r.Top, path) {
			continue
		}
		_ = remove(root, path)
		for dir := filepath.Dir(path); dir != "."; dir = filepath.Dir(dir) {
			if info, err := root.Lstat(dir); err != nil || !info.IsDir() || remove(root, dir) != nil {
				break
			}
		}
	}
	return nil
}

// remove removes a file or an empty folder, even from a read-only folder, as in a module cache.
func remove(root *os.Root, path string) error {
	err := root.Remove(path)
	in, there := root.Lstat(filepath.Dir(path))
	if errors.Is(err, fs.ErrPermission) && there == nil && root.Chmod(filepath.Dir(path), in.Mode().Perm()|0o300) == nil {
		err = root.Remove(path)
	}
	return err
}

// PutTree moves index and work tree from one tree ("" for no files) to another. It overwrites ignored files; if another
// file is in the way, the error is ErrConflict.
func PutTree(ctx context.Context, r *git.Repo, from, tree string) error {
	from = cmp.Or(from, r.EmptyTree())
	return orConflict(runRefreshed(ctx, r, "read-tree", "-m", "-u", from, tree))
}

// Become replaces the files of r by those of a tree, and overwrites whatever is in their way; HEAD and index stay. paths
// are the files that differ from the index, as for Snapshot; other untracked files stay.
func Become(ctx context.Context, r *git.Repo, paths []string, tree string) error {
	_, err := inOwnIndex(ctx, r, "", func(env []string) (string, error) {
		if _, err := Stage(ctx, r, paths, env...); err != nil {
			return "", err
		}
		return "", r.Run(ctx, git.Command{Args: []string{"read-tree", "--reset", "-u", tree}, Env: env, Writes: true})
	})
	return err
}

// runRefreshed runs a git command that refuses if only times differ from the index; then it refreshes that, and retries.
func runRefreshed(ctx context.Context, r *git.Repo, args ...string) error {
	c := git.Command{Args: args, Writes: true}
	err := r.Run(ctx, c)
	if git.Code(err) > 0 {
		_ = r.Run(ctx, git.Command{Args: []string{"update-index", "-q", "--refresh"}, Writes: true})
		err = r.Run(ctx, c)
	}
	return err
}

// ErrConflict says that a change does not apply. The work tree is unchanged.
var ErrConflict = errors.New("the change conflicts with what is there now")

// orConflict returns ErrConflict if git refused a change, and any other error unchanged.
func orConflict(err error) error {
	if git.Code(err) > 0 && !errors.Is(err, git.ErrLocked) {
		return ErrConflict
	}
	return err
}

// ApplyCommit makes the changes of a commit since its first parent in a clean work tree; it neither stages nor commits
// them. It overwrites ignored files. The error is ErrConflict if they do not apply.
func ApplyCommit(ctx context.Context, r *git.Repo, commit git.Commit) error {
	if _, err := r.Resolve(ctx, "HEAD"); errors.Is(err, git.ErrMissing) { // git cherry-pick needs one
		if err := PutTree(ctx, r, "", commit.Tree); err != nil {
			return err
		}
		return r.Run(ctx, git.Command{Args: []string{"read-tree", "--empty"}, Writes: true})
	}
	args := []string{"cherry-pick", "--no-commit", "--allow-empty"}
	if len(commit.Parents) > 1 {
		args = append(args, "--mainline=1")
	}
	err := orConflict(r.Run(ctx, git.Command{Args: append(args, commit.OID), Writes: true}))
	if errors.Is(err, ErrConflict) {
		if err := overwrite(ctx, r, "reset", "--hard", "--quiet"); err != nil {
			return err
		}
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

// Revert reverts commits in order, each by a commit with the user's identity and, if hooks is true, hooks. made counts
// the new commits: none for one that is reverted already. After a conflict all is reset to head, with ErrConflict.
func Revert(ctx context.Context, r *git.Repo, head string, hooks bool, commits ...string) (made int, err error) {
	for _, c := range commits {
		err := r.Run(ctx, git.Command{Args: []string{"-c", utf8Messages, "-c", "revert.reference=false", "revert",
			"--no-edit", c}, Env: []string{proc.EnvDepth + "=1"}, Writes: true, Localised: true, Hooks: hooks})
		if err == nil {
			made++
			continue
		}
		if git.Code(err) == 1 &&
			r.Run(ctx, git.Command{Args: []string{"diff-index", "--quiet", "--ignore-submodules=dirty", "HEAD"}}) == nil {
			// Otherwise the next commit would get the message of this one.
			if err := r.Run(ctx, git.Command{Args: []string{"revert", "--quit"}, Writes: true}); err != nil {
				return made, err
			}
			continue
		}
		unmerged, _ := r.Output(ctx, "ls-files", "--unmerged")
		resetErr := overwrite(context.WithoutCancel(ctx), r, "reset", "--hard", "--quiet", head)
		if resetErr != nil || unmerged == "" {
			return 0, err
		}
		return 0, ErrConflict
	}
	return made, nil
}

// Rebase merges tree, which is staged and checked out, with theirs, file by file; base is their common ancestor. Files
// that only theirs changed are staged and checked out; HEAD stays. The error is ErrConflict if both changed a file or
// one is in the way; then index and files are a mixture.
func Rebase(ctx context.Context, r *git.Repo, base, tree, theirs string) error {
	err := orConflict(r.Run(ctx,
		git.Command{Args: []string{"read-tree", "-m", "--aggressive", "-u", base, tree, theirs}, Writes: true}))
	if err != nil {
		return err
	}
	unmerged, err := pinSubmodules(ctx, r, nil)
	if unmerged {
		return ErrConflict
	}
	return err
}
