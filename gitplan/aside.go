package gitplan

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/setup"
)

// Git's stash holds files as a commit would have them: with line ends and filters as
// configured, and of a mode the executable bit. What Autostash sets aside is kept beside
// that byte for byte, under a ref from which the stash itself can be reached, too: a
// session may drop what is in git's stash.

// asideName is under which name that is kept, as attempts are.
const asideName = "_autostash"

// aside is what is noted of what was set aside.
type aside struct {
	Stash string
	Kept  string // the ref
	Files []git.RawFile
	// Staged are those of them that the index has as they are.
	Staged []string
}

// noteAside keeps what a stash is about to take out of the tree, and notes that.
func (s *Steps) noteAside(ctx context.Context, stash string, status *git.Status) error {
	a := aside{Stash: stash}
	var paths []string
	unstaged := status.Unstaged()
	for _, p := range status.Paths() {
		if f := s.Repo.RawFileOf(filepath.FromSlash(p)); f.Mode.IsRegular() && !f.Time.IsZero() {
			f.Path = p
			a.Files, paths = append(a.Files, f), append(paths, p)
			if !slices.Contains(unstaged, p) {
				a.Staged = append(a.Staged, p)
			}
		}
	}
	tree, err := s.Repo.WithRaw(ctx, stash+"^{tree}", paths)
	if err != nil {
		return err
	}
	if a.Kept, err = s.keepTree(ctx, tree, []string{status.Head, stash}, asideName, "what --autostash set aside"); err != nil {
		return err
	}
	data, err := journal.EncodeNote(a)
	if err != nil {
		return err
	}
	return s.asideNote(s.Doc.ID).Write(append([]byte(stash+"\n"), data...))
}

// asideNote is where it is noted what is set aside of this work tree for a plan, until
// that is brought back.
func (c *Checkout) asideNote(plan string) journal.Note {
	return journal.NotesOf(c.Repo, "set-aside").Note(plan + "-" + setup.RecordName(c.Repo, ""))
}

// notedAside is what was noted; without a stash where nothing is set aside.
func (c *Checkout) notedAside(plan string) (a aside) {
	noted, err := c.asideNote(plan).Read()
	if err != nil {
		return a
	}
	stash, rest, _ := strings.Cut(string(noted), "\n")
	_ = journal.DecodeNote([]byte(rest), &a) // an older version wrote none
	a.Stash = strings.TrimSpace(stash)
	return a
}

// forgetAside forgets what was set aside. What is kept of it goes only where all of that
// is in the tree again.
func (s *Steps) forgetAside(ctx context.Context, a aside, back bool) {
	s.asideNote(s.Doc.ID).Remove()
	if oid, err := s.Repo.Resolve(ctx, a.Kept); back && a.Kept != "" && err == nil {
		_ = s.Repo.DeleteRef(ctx, a.Kept, oid, "plan: brought back")
	}
}

// asideTaken puts what was set aside on the list of git's stash again, and says so, where
// it was taken off it during a session.
func (p *Place) asideTaken(ctx context.Context) (string, error) {
	if p.aside == "" {
		return "", nil
	}
	_, err := p.Repo.StashEntry(ctx, p.aside, autostash)
	if !errors.Is(err, git.ErrMissing) {
		return "", err
	}
	text := "the person's changes, which --autostash had set aside, were taken off git's stash during the session"
	if err = p.stashAgain(ctx, p.aside); errors.Is(err, git.ErrMissing) {
		p.aside = ""
		return text + ", and are no longer in the repository", nil
	}
	return text + " (they are there again)", err
}

func (p *Place) stashAgain(ctx context.Context, stash string) error {
	err := p.Repo.StashAgain(ctx, stash, "On "+p.Branch+": "+autostash)
	if git.Code(err) > 0 && !errors.Is(err, git.ErrLocked) {
		return git.ErrMissing
	}
	return err
}
