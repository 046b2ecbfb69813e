package worktree

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/git"
)

// Unstashable returns changes that a stash would not bring back as they are, and a reason that
// applies to them: git stash silently loses what is in the place of a tracked file. If it
// returns none, all changes can be set aside. The status must be one of ReadStatusIgnored.
func Unstashable(ctx context.Context, r *git.Repo, s *Status) (paths []string, why string, err error) {
	hidden, err := hiddenPaths(ctx, r)
	if err != nil {
		return nil, "", err
	}
	by := map[string][]string{}
	for _, c := range s.Changed {
		reason := ""
		switch there := standsFor(r, s, c.Path); {
		case c.Submodule:
			reason = "a submodule"
		case c.XY == ".A":
			reason = "only meant to be added, by git add -N"
		case c.XY == "AD":
			reason = "staged, and not in the tree"
		case slices.Contains(hidden, c.Path):
			reason = "hidden from git, and staged"
		case strings.Contains(c.XY, "D") && there != "":
			reason = "in the place of a tracked file"
			by[reason] = append(by[reason], there)
			continue
		default:
			continue
		}
		by[reason] = append(by[reason], c.Path)
	}
	for why, paths := range by {
		slices.Sort(paths)
		return slices.Compact(paths), why, nil
	}
	return nil, "", nil
}

// standsFor returns the untracked or ignored path in the place of a tracked one: at it, below it, or
// in the place of a folder above it.
func standsFor(r *git.Repo, s *Status, path string) string {
	untracked := slices.Concat(s.Untracked, s.Ignored)
	for at := path; at != "."; at = filepath.Dir(at) {
		info, err := os.Lstat(filepath.Join(r.Top, at))
		if err != nil || at != path && info.IsDir() {
			continue
		}
		i := slices.IndexFunc(untracked, func(u string) bool {
			return u == at || u == at+"/" || strings.HasPrefix(u, at+"/") || strings.HasSuffix(u, "/") && strings.HasPrefix(at, u)
		})
		if i >= 0 {
			return untracked[i]
		}
	}
	return ""
}

// Stash takes the changes of the work tree and the index out of them, none of which may be
// Unstashable; Unstash restores them. note is called with the commit of the stash before anything is
// changed, so that it is known even if this process is killed. Only the changed files are written.
func Stash(ctx context.Context, r *git.Repo, note func(stash string) error) error {
	// With safecrlf this could refuse line ends. They are kept beside the stash, see PutAsRaw.
	stash, err := r.Output(ctx, "-c", "core.safecrlf=false", "stash", "create", "git plan --autostash")
	if err != nil || stash == "" {
		return err
	}
	if err := note(stash); err != nil {
		return err
	}
	return putAwayStash(ctx, r, stash)
}

// putAwayStash makes index and work tree those of HEAD, if they are what a stash has. If something
// was changed since, git refuses to overwrite it, and all is as it was.
func putAwayStash(ctx context.Context, r *git.Repo, stash string) (err error) {
	saved := filepath.Join(r.GitDir, "plan", "index", "stash")
	if err := SaveIndex(r, saved); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, LoadIndex(r, saved))
		}
		_ = os.Remove(saved)
	}()
	for _, args := range [][]string{
		{"read-tree", "-m", "-i", stash}, {"update-index", "-q", "--refresh"}, {"read-tree", "-m", "-u", stash, "HEAD"},
	} {
		if err := r.Run(ctx, git.Command{Args: args, Writes: true}); err != nil && args[0] == "read-tree" {
			return err
		}
	}
	return nil
}

// PutAwayStash completes a Stash that was killed before it changed anything: if the work tree is
// still what was set aside. Anything else stays as it is.
func PutAwayStash(ctx context.Context, r *git.Repo, stash string) error {
	s, err := ReadStatus(ctx, r)
	if err != nil || s.Clean() || len(s.Unmerged()) > 0 {
		return err
	}
	staged, err := StagedTree(ctx, r)
	if err != nil {
		return err
	}
	all, err := Snapshot(ctx, r, append(s.Unstaged(), s.Rewritten...))
	if err != nil {
		return err
	}
	wasStaged, _ := r.Resolve(ctx, stash+"^2^{tree}")
	was, _ := r.Resolve(ctx, stash+"^{tree}")
	if staged != wasStaged || all != was {
		return nil
	}
	return putAwayStash(ctx, r, stash)
}

// StoreStash adds a stash to the list of git stash.
func StoreStash(ctx context.Context, r *git.Repo, stash, message string) error {
	return r.Run(ctx, git.Command{Args: []string{"stash", "store", "--quiet", "--message", message, stash}, Writes: true})
}

// toHead makes paths those of HEAD, in index and work tree. A stash must have what is lost.
func toHead(ctx context.Context, r *git.Repo, paths []string) error {
	return r.Run(ctx, git.Command{
		Args:  []string{"--literal-pathspecs", "restore", "--quiet", "--source=HEAD", "--staged", "--worktree", "--pathspec-from-file=-", "--pathspec-file-nul"},
		Stdin: nulEnded(paths), Writes: true,
	})
}

// Unstash restores a stash; see Stash. The error is ErrConflict if it no longer fits; after any
// other one the work tree is as it was, and the caller may try again.
func Unstash(ctx context.Context, r *git.Repo, stash string) error {
	before, err := ReadStatus(ctx, r)
	if err != nil {
		return err
	}
	if len(before.Rewritten) > 0 { // by tools, and git would refuse to write over that
		if err := toHead(ctx, r, before.Rewritten); err != nil {
			return err
		}
	}
	err = r.Run(ctx, git.Command{Args: []string{"stash", "apply", "--quiet", "--index", stash}, Writes: true})
	if git.Code(err) <= 0 || errors.Is(err, git.ErrLocked) {
		return err
	}
	now, e := ReadStatus(ctx, r)
	if e != nil {
		return e
	}
	if len(now.Unmerged()) > 0 || !indexFits(ctx, r, stash) {
		return ErrConflict
	}
	if before.Clean() && !now.Clean() { // git stopped halfway: the stash has all of that
		err = errors.Join(err, toHead(ctx, r, now.Paths()))
	}
	return err
}

// indexFits reports whether what a stash has staged can be staged again, which git stash says in
// words only.
func indexFits(ctx context.Context, r *git.Repo, stash string) bool {
	var patch bytes.Buffer
	err := r.Run(ctx, git.Command{Args: []string{"diff-tree", "--binary", "--no-color", stash + "^1", stash + "^2"}, Stdout: &patch})
	if err != nil || patch.Len() == 0 {
		return true
	}
	return git.Code(r.Run(ctx, git.Command{Args: []string{"apply", "--cached", "--check"}, Stdin: &patch})) <= 0
}
