package gitplan

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/git"
)

// Autostash sets the person's changes aside while do runs, and brings them
// back afterwards. Where they do not fit any more they stay in git's stash.
func (s *Steps) Autostash(ctx context.Context, do func() error) error {
	if err := s.RequirePlace(ctx); err != nil {
		return err
	}
	status, err := s.Repo.Status(ctx)
	if err != nil {
		return err
	}
	if _, _, ok := s.unfinished(); ok && !s.noted().Clone || status.Clean() {
		return do() // what is in the tree is a session's, if anything is
	}
	if len(status.Unmerged()) > 0 {
		return dirty(status) // git stashes none of that
	}
	stash, err := s.Repo.Stash(ctx, "git plan --autostash")
	if err != nil {
		return err
	}
	done := do()
	if stash == "" {
		return done
	}
	return errors.Join(done, s.unstash(context.WithoutCancel(ctx), stash))
}

// unstash brings back what Autostash set aside. As after git's own rebase
// --autostash, where it conflicts the files hold both sides, and the stash stays.
func (s *Steps) unstash(ctx context.Context, stash string) error {
	entry, err := s.Repo.Unstash(ctx, stash)
	switch {
	case errors.Is(err, git.ErrMissing):
		return &Fault{Kind: ErrStashed, Key: "git stash apply " + stash, Text: "your changes are no longer on the list of git's stash"}
	case !errors.Is(err, git.ErrConflict):
		return err
	}
	now, err := s.Repo.Status(ctx)
	if err != nil {
		return err
	}
	if unmerged := now.Unmerged(); len(unmerged) > 0 {
		return &Fault{Kind: ErrStashConflict, Key: entry,
			Text: fmt.Sprintf("your changes conflict with what was done; not merged: %s; git's stash has them, too, as %s", fewOf(unmerged), entry)}
	}
	return &Fault{Kind: ErrStashed, Key: "git stash pop " + entry,
		Text: fmt.Sprintf("your changes do not fit on what was done; they are not in the tree, but in git's stash, as %s", entry)}
}

// Unmerged names the files that a stash left unmerged: of that git keeps no other sign.
func (c *Checkout) Unmerged(ctx context.Context) (files string) {
	if _, err := c.Repo.Resolve(ctx, "refs/stash"); err != nil {
		return "" // so that whoever has none need not wait for git
	}
	out, _ := c.Repo.Output(ctx, "ls-files", "--unmerged", "-z") // of the index alone, however many files there are
	var paths []string
	for entry := range strings.SplitSeq(strings.TrimSuffix(out, "\x00"), "\x00") { // MODE OID STAGE<tab>PATH
		if _, path, ok := strings.Cut(entry, "\t"); ok && !slices.Contains(paths, path) {
			paths = append(paths, path)
		}
	}
	return fewOf(paths)
}
