package worktree

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/pattern"
)

// Unstashable returns the changes that a stash would not bring back as they are, and why:
// git's own loses what lies in the place of a tracked file without a word. Nothing
// means that all of them can be set aside. The status must have what is ignored.
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

// standsFor returns what git does not track and lies in the place of a path: at it, below
// it, or where one of its folders was.
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

// Stash sets the changes of a status aside, all of which can be (see Unstashable), and
// returns the stash's commit; Unstash brings it back, index and all, and takes it off
// the list. note is given the commit before anything is changed, so that whoever is
// killed here knows of it. Nothing but the changed files is written.
func Stash(ctx context.Context, r *git.Repo, s *Status, message string, note func(stash string) error) (stash string, err error) {
	// What is kept beside it has the line ends that this would refuse to change.
	if stash, err = r.Output(ctx, "-c", "core.safecrlf=false", "stash", "create", message); err != nil || stash == "" {
		return "", err
	}
	if err := note(stash); err != nil {
		return "", err
	}
	if err := storeStash(ctx, r, stash, "On "+s.Branch+": "+message); err != nil { // as git names it
		return "", err
	}
	return stash, putAwayStash(ctx, r, stash)
}

// putAwayStash makes index and tree HEAD's where they hold what a stash has. What was changed
// since git refuses to overwrite, and all is as it was.
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

// PutAwayStash is the end of a Stash that was killed before it changed anything: where the
// tree still is what was set aside. What else is in it stays.
func PutAwayStash(ctx context.Context, r *git.Repo, stash string) error {
	s, err := ReadStatus(ctx, r)
	if err != nil || s.Clean() || len(s.Unmerged()) > 0 {
		return err
	}
	staged, err := StagedTree(ctx, r)
	if err != nil {
		return err
	}
	all, err := Snapshot(ctx, r, s.Unstaged())
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

func storeStash(ctx context.Context, r *git.Repo, stash, message string) error {
	return r.Run(ctx, git.Command{Args: []string{"stash", "store", "--quiet", "--message", message, stash}, Writes: true})
}

// StashAgain puts a stash that somebody took off the list on it again.
func StashAgain(ctx context.Context, r *git.Repo, stash, message string) error {
	return storeStash(ctx, r, stash, message)
}

// toHead makes paths what HEAD has, in the index and in the tree: what they hold is
// in a stash.
func toHead(ctx context.Context, r *git.Repo, paths []string) error {
	return r.Run(ctx, git.Command{
		Args:  []string{"--literal-pathspecs", "restore", "--quiet", "--source=HEAD", "--staged", "--worktree", "--pathspec-from-file=-", "--pathspec-file-nul"},
		Stdin: strings.NewReader(strings.Join(paths, "\x00") + "\x00"), Writes: true,
	})
}

// StashEntry returns what git calls a stash of this message now: others may come and go.
// ErrMissing says that it is not on the list.
func StashEntry(ctx context.Context, r *git.Repo, stash, message string) (entry string, err error) {
	out, err := r.Output(ctx, "stash", "list", "--format=%H %s")
	if err != nil {
		return "", err
	}
	i := slices.IndexFunc(strings.Split(out, "\n"), func(line string) bool {
		return strings.HasPrefix(line, stash+" ") && strings.HasSuffix(line, ": "+message)
	})
	if i < 0 {
		return "", git.ErrMissing
	}
	return fmt.Sprintf("stash@{%d}", i), nil
}

// Unstash brings a stash back; see Stash. It stays on the list if that fails:
// ErrConflict says that it does not fit any more. After any other error the tree is as
// it was, and the same can be tried again.
func Unstash(ctx context.Context, r *git.Repo, stash, message string) error {
	if _, err := StashEntry(ctx, r, stash, message); err != nil {
		return err
	}
	before, err := ReadStatus(ctx, r)
	if err != nil {
		return err
	}
	err = r.Run(ctx, git.Command{Args: []string{"stash", "apply", "--quiet", "--index", stash}, Writes: true})
	if err == nil {
		return dropStash(ctx, r, stash, message)
	}
	if git.Code(err) < 0 || errors.Is(err, git.ErrLocked) {
		return err
	}
	now, e := ReadStatus(ctx, r)
	if e != nil {
		return e
	}
	if len(now.Unmerged()) > 0 || !indexFits(ctx, r, stash) {
		return ErrConflict
	}
	if before.Clean() && !now.Clean() { // it came to an end in the middle: all of that is in the stash
		err = errors.Join(err, toHead(ctx, r, now.Paths()))
	}
	return err
}

// indexFits reports whether what a stash has staged can be staged again. Git says so
// in words only.
func indexFits(ctx context.Context, r *git.Repo, stash string) bool {
	var patch bytes.Buffer
	err := r.Run(ctx, git.Command{Args: []string{"diff-tree", "--binary", "--no-color", stash + "^1", stash + "^2"}, Stdout: &patch})
	if err != nil || patch.Len() == 0 {
		return true
	}
	return git.Code(r.Run(ctx, git.Command{Args: []string{"apply", "--cached", "--check"}, Stdin: &patch})) <= 0
}

// dropStash takes a stash off the list. Git knows entries by number only, and others
// may stash at any moment: what was taken instead goes back.
func dropStash(ctx context.Context, r *git.Repo, stash, message string) error {
	for {
		entry, err := StashEntry(ctx, r, stash, message)
		if err != nil {
			return nil // somebody took it off
		}
		var out bytes.Buffer
		if err := r.Run(ctx, git.Command{Args: []string{"stash", "drop", entry}, Stdout: &out, Writes: true}); err != nil {
			return err
		}
		dropped := objectName.FindString(out.String())
		if dropped == "" || dropped == stash {
			return nil
		}
		other, err := r.ReadCommit(ctx, dropped)
		if err != nil {
			return err
		}
		if err := storeStash(ctx, r, dropped, other.Subject()); err != nil {
			return err
		}
	}
}

var objectName = pattern.Of(`[0-9a-f]{40,64}`)
