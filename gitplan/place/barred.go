package place

import (
	"context"
	"errors"
	"slices"

	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// A session, and what its checks and hooks run, may leave what git cannot read: a pipe for a
// .gitignore, at which git waits forever, or a folder that nobody may list, in which git sees
// nothing while a check finds a file whose name it knows.

// looked looks at a tree after something that a session wrote was run there. If git cannot read
// all of it, the reason says so, and it is made readable and looked at again, so that what was
// done can be kept.
func (p *Place) looked(ctx context.Context, r *git.Repo, look func(context.Context) (*worktree.Status, error)) (s *worktree.Status, reason string, err error) {
	r.OpenTop()
	s, err = look(ctx)
	if reason = p.barred(s, err); reason == "" {
		return s, "", err
	}
	r.Unbar(ctx, p.Before.Unread)
	s, err = look(ctx)
	return s, reason, err
}

// NotBarred fails the attempt if a git of ours could not go on.
func (p *Place) NotBarred(ctx context.Context, out *Ending, err error) error {
	var stuck *git.Barred
	if !errors.As(err, &stuck) || stuck.Top != p.Tree().Top || out.Commit != "" {
		return err
	}
	p.Tree().Unbar(ctx, p.Before.Unread)
	out.Fail("%s", p.barred(nil, err))
	return nil
}

// barred says what git cannot read, and could before the session; "" if there is nothing.
func (p *Place) barred(s *worktree.Status, err error) (reason string) {
	if errors.Is(err, git.ErrBarred) {
		return visible.OneLine(err.Error(), 400)
	}
	if err != nil {
		return ""
	}
	closed := slices.DeleteFunc(slices.Clone(s.Unread), func(path string) bool { return slices.Contains(p.Before.Unread, path) })
	if len(closed) == 0 {
		return ""
	}
	return "git cannot read " + visible.Few(closed) + ": what is in there would not be committed"
}
