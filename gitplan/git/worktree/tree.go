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

// Stage puts paths of the work tree into the index, new ones and changed ones, takes out
// those that are gone, and returns the tree that a commit would now have. Paths are what
// a Status calls Unstaged, and new files.
//
// It is not git add --update: to find what changed, that runs git in each submodule.
func Stage(ctx context.Context, r *git.Repo, paths []string) (tree string, err error) {
	return stageIn(ctx, r, nil, paths)
}

func stageIn(ctx context.Context, r *git.Repo, env, paths []string) (tree string, err error) {
	own := len(env) == 0 // the person's index, not one of ours
	if r.Apart {
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
			Stdin: strings.NewReader(strings.Join(update.paths, "\x00") + "\x00"), Env: env, Writes: own,
		})
		if git.Code(err) > 0 && !own {
			err = stageRaw(ctx, r, env, update.paths)
		}
		if err != nil {
			return "", err
		}
	}
	var out bytes.Buffer
	err = r.Run(ctx, git.Command{Args: []string{"write-tree"}, Env: env, Stdout: &out})
	return strings.TrimSpace(out.String()), err
}

// stageRaw puts paths into one of our own indexes byte for byte: what is only kept must
// be kept where git refuses its line ends, or a filter fails, too.
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

// beyondLinks tells apart the paths that are no longer there because a folder above them
// is now a link: git update-index would not look past it.
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

// Unstage takes paths out of the index and leaves the files alone.
func Unstage(ctx context.Context, r *git.Repo, paths []string) error {
	return r.Run(ctx, git.Command{
		Args: []string{"--literal-pathspecs", "rm", "--cached", "--force", "--quiet", "--ignore-unmatch",
			"--pathspec-from-file=-", "--pathspec-file-nul"},
		Stdin: strings.NewReader(strings.Join(paths, "\x00") + "\x00"), Writes: true,
	})
}

// Snapshot returns the tree that Stage would give, without touching the index. Where Stage
// would be refused, it has the paths as they are.
func Snapshot(ctx context.Context, r *git.Repo, paths []string) (tree string, err error) {
	return inOwnIndex(r, func(index string) (string, error) {
		if err := copyIndex(r.IndexFile(), index); err != nil {
			return "", err
		}
		return stageIn(ctx, r, []string{"GIT_INDEX_FILE=" + index}, paths)
	})
}

// ReadTree makes the index tree's, and leaves HEAD and the files alone.
func ReadTree(ctx context.Context, r *git.Repo, tree string) error {
	return r.Run(ctx, git.Command{Args: []string{"read-tree", "--reset", tree}, Writes: true})
}

// utf8Messages says what messages that this program writes are encoded in, whatever
// the person's editor writes.
const utf8Messages = "i18n.commitEncoding=UTF-8"

// CommitIndex commits the index with the person's signing and identity, and with their hooks
// if it is to. said receives what git and the hooks print. If the context ends it, what
// the hooks had started is ended too.
func CommitIndex(ctx context.Context, r *git.Repo, message, mark string, hooks bool, said *proc.Tail, env ...string) error {
	args := []string{"-c", utf8Messages, "commit", "--quiet", "--cleanup=whitespace", "--file=-"}
	if !hooks {
		args = append(args, "--no-verify")
	}
	err := r.Run(ctx, git.Command{
		Args:  args,
		Env:   append([]string{proc.EnvDepth + "=1", mark}, env...), // our own hooks have nothing to add
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

// Restore makes index and tracked files what commit (or, empty, nothing) has,
// and removes the given new files. It must only be called when what is lost by
// it has been kept.
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
		return commit != "" && err == nil // it is one of the files that were just restored
	}))
}

// PutTree makes the tree's files those of the index and of the work tree, which are
// what from (empty: nothing) has. It refuses to overwrite an untracked file, but not
// one that is ignored: ErrConflict.
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

// runRefreshed runs one of git's commands that take a file for changed where only its
// time is another than the index has, as after touch or in a copy of the repository.
// To look at the files first would cost a process each time, so it is done where git
// refuses.
func runRefreshed(ctx context.Context, r *git.Repo, args ...string) error {
	c := git.Command{Args: args, Writes: true}
	err := r.Run(ctx, c)
	if git.Code(err) > 0 {
		_ = r.Run(ctx, git.Command{Args: []string{"update-index", "-q", "--refresh"}, Writes: true}) // it fails for what did change
		err = r.Run(ctx, c)
	}
	return err
}

// checkOutOver makes the tree's files those of the work tree, which is clean at
// head, and leaves HEAD and the index's base alone: what a kept attempt had
// changed is changed again. It refuses to overwrite an untracked file, but not one
// that is ignored: ErrConflict.
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

// ErrConflict says that a change does not fit on what is there; the tree is as
// it was.
var ErrConflict = errors.New("the change conflicts with what is there now")

// ApplyCommit puts what commit changed, against its first parent, into a clean work
// tree, uncommitted and not staged, whatever HEAD is now. Like Checkout it overwrites
// files that are ignored.
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

// MoveBack moves the branch and a clean work tree to commit; files that git does not
// track stay.
func MoveBack(ctx context.Context, r *git.Repo, commit string) error {
	return runRefreshed(ctx, r, "reset", "--keep", "--quiet", commit)
}

// Revert commits the opposite of each of some commits, newest first, with the
// person's identity, and with their hooks if that is asked for, and returns how many that took: one whose opposite
// is there already takes none. Where one conflicts all is as it was at head:
// ErrConflict.
func Revert(ctx context.Context, r *git.Repo, head string, hooks bool, commits ...string) (made int, err error) {
	for _, c := range commits {
		err := r.Run(ctx, git.Command{Args: []string{"-c", utf8Messages, "-c", "revert.reference=false", "revert", "--no-edit", c}, Env: []string{proc.EnvDepth + "=1"}, Writes: true, Localised: true, Hooks: hooks})
		if err == nil {
			made++
			continue
		}
		if git.Code(err) == 1 && r.Run(ctx, git.Command{Args: []string{"diff-index", "--quiet", "--ignore-submodules=dirty", "HEAD"}}) == nil {
			if err := r.Run(ctx, git.Command{Args: []string{"revert", "--quit"}, Writes: true}); err != nil { // else its message would be the next commit's
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

// CloneAt makes a throwaway clone of this repository in dir, which must not
// exist, with commit checked out and no branch. It borrows this repository's
// objects. None of the person's hooks run in it.
func CloneAt(ctx context.Context, r *git.Repo, dir, commit string) error {
	beside, err := cloneTo(ctx, r, dir, "--no-tags")
	if err != nil {
		return err
	}
	c := beside
	c.Top, c.GitDir, c.Guard = dir, filepath.Join(dir, ".git"), nil
	if err := c.Run(ctx, git.Command{Args: []string{"-c", "advice.detachedHead=false",
		"checkout", "--quiet", "--detach", commit}}); err != nil {
		return err
	}
	// Whoever works in it has nowhere to push to.
	return c.Run(ctx, git.Command{Args: []string{"remote", "remove", "origin"}})
}
