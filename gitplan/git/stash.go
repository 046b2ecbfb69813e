package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/pattern"
)

// Unstashable returns the changes that a stash would not bring back as they are, and why:
// git's own loses what lies in the place of a tracked file without a word. Nothing
// means that all of them can be set aside. The status must have what is ignored.
func (r *Repo) Unstashable(ctx context.Context, s *Status) (paths []string, why string, err error) {
	hidden, err := r.hidden(ctx)
	if err != nil {
		return nil, "", err
	}
	by := map[string][]string{}
	for _, c := range s.Changed {
		reason := ""
		switch there := r.standsFor(s, c.Path); {
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
func (r *Repo) standsFor(s *Status, path string) string {
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
func (r *Repo) Stash(ctx context.Context, s *Status, message string, note func(stash string) error) (stash string, err error) {
	// What is kept beside it has the line ends that this would refuse to change.
	if stash, err = r.Output(ctx, "-c", "core.safecrlf=false", "stash", "create", message); err != nil || stash == "" {
		return "", err
	}
	if err := note(stash); err != nil {
		return "", err
	}
	if err := r.storeStash(ctx, stash, "On "+s.Branch+": "+message); err != nil { // as git names it
		return "", err
	}
	return stash, r.putAway(ctx, stash)
}

// putAway makes index and tree HEAD's where they hold what a stash has. What was changed
// since git refuses to overwrite, and all is as it was.
func (r *Repo) putAway(ctx context.Context, stash string) (err error) {
	saved := filepath.Join(r.GitDir, "plan", "index", "stash")
	if err := r.SaveIndex(saved); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, r.LoadIndex(saved))
		}
		_ = os.Remove(saved)
	}()
	for _, args := range [][]string{
		{"read-tree", "-m", "-i", stash}, {"update-index", "-q", "--refresh"}, {"read-tree", "-m", "-u", stash, "HEAD"},
	} {
		if err := r.Run(ctx, Command{Args: args, Writes: true}); err != nil && args[0] == "read-tree" {
			return err
		}
	}
	return nil
}

// PutAway is the end of a Stash that was killed before it changed anything: where the
// tree still is what was set aside. What else is in it stays.
func (r *Repo) PutAway(ctx context.Context, stash string) error {
	s, err := r.Status(ctx)
	if err != nil || s.Clean() || len(s.Unmerged()) > 0 {
		return err
	}
	staged, err := r.StagedTree(ctx)
	if err != nil {
		return err
	}
	all, err := r.Snapshot(ctx, s.Unstaged())
	if err != nil {
		return err
	}
	wasStaged, _ := r.Resolve(ctx, stash+"^2^{tree}")
	was, _ := r.Resolve(ctx, stash+"^{tree}")
	if staged != wasStaged || all != was {
		return nil
	}
	return r.putAway(ctx, stash)
}

func (r *Repo) storeStash(ctx context.Context, stash, message string) error {
	return r.Run(ctx, Command{Args: []string{"stash", "store", "--quiet", "--message", message, stash}, Writes: true})
}

// StashAgain puts a stash that somebody took off the list on it again.
func (r *Repo) StashAgain(ctx context.Context, stash, message string) error {
	return r.storeStash(ctx, stash, message)
}

// toHead makes paths what HEAD has, in the index and in the tree: what they hold is
// in a stash.
func (r *Repo) toHead(ctx context.Context, paths []string) error {
	return r.Run(ctx, Command{
		Args:  []string{"--literal-pathspecs", "restore", "--quiet", "--source=HEAD", "--staged", "--worktree", "--pathspec-from-file=-", "--pathspec-file-nul"},
		Stdin: strings.NewReader(strings.Join(paths, "\x00") + "\x00"), Writes: true,
	})
}

// StashEntry returns what git calls a stash of this message now: others may come and go.
// ErrMissing says that it is not on the list.
func (r *Repo) StashEntry(ctx context.Context, stash, message string) (entry string, err error) {
	out, err := r.Output(ctx, "stash", "list", "--format=%H %s")
	if err != nil {
		return "", err
	}
	i := slices.IndexFunc(strings.Split(out, "\n"), func(line string) bool {
		return strings.HasPrefix(line, stash+" ") && strings.HasSuffix(line, ": "+message)
	})
	if i < 0 {
		return "", ErrMissing
	}
	return fmt.Sprintf("stash@{%d}", i), nil
}

// Unstash brings a stash back; see Stash. It stays on the list if that fails:
// ErrConflict says that it does not fit any more. After any other error the tree is as
// it was, and the same can be tried again.
func (r *Repo) Unstash(ctx context.Context, stash, message string) error {
	if _, err := r.StashEntry(ctx, stash, message); err != nil {
		return err
	}
	before, err := r.Status(ctx)
	if err != nil {
		return err
	}
	err = r.Run(ctx, Command{Args: []string{"stash", "apply", "--quiet", "--index", stash}, Writes: true})
	if err == nil {
		return r.dropStash(ctx, stash, message)
	}
	if Code(err) < 0 || errors.Is(err, ErrLocked) {
		return err
	}
	now, e := r.Status(ctx)
	if e != nil {
		return e
	}
	if len(now.Unmerged()) > 0 || !r.indexFits(ctx, stash) {
		return ErrConflict
	}
	if before.Clean() && !now.Clean() { // it came to an end in the middle: all of that is in the stash
		err = errors.Join(err, r.toHead(ctx, now.Paths()))
	}
	return err
}

// indexFits reports whether what a stash has staged can be staged again. Git says so
// in words only.
func (r *Repo) indexFits(ctx context.Context, stash string) bool {
	var patch bytes.Buffer
	err := r.Run(ctx, Command{Args: []string{"diff-tree", "--binary", "--no-color", stash + "^1", stash + "^2"}, Stdout: &patch})
	if err != nil || patch.Len() == 0 {
		return true
	}
	return Code(r.Run(ctx, Command{Args: []string{"apply", "--cached", "--check"}, Stdin: &patch})) <= 0
}

// dropStash takes a stash off the list. Git knows entries by number only, and others
// may stash at any moment: what was taken instead goes back.
func (r *Repo) dropStash(ctx context.Context, stash, message string) error {
	for {
		entry, err := r.StashEntry(ctx, stash, message)
		if err != nil {
			return nil // somebody took it off
		}
		var out bytes.Buffer
		if err := r.Run(ctx, Command{Args: []string{"stash", "drop", entry}, Stdout: &out, Writes: true}); err != nil {
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
		if err := r.storeStash(ctx, dropped, other.Subject()); err != nil {
			return err
		}
	}
}

var objectName = pattern.Of(`[0-9a-f]{40,64}`)
