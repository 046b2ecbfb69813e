package place

import (
	"context"
	"strings"

	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/gitplan/site"
)

// Land brings a tree that passed into the work tree and calls commit, which ends in Commit. What
// is about to be committed was noted (NoteCommit): after a crash in between, the next command
// goes by that.
func (p *Place) Land(ctx context.Context, tree string, out *Ending, commit func() error) error {
	return p.isolation.land(ctx, p, tree, out, commit)
}

// NoteCommit notes what is about to be committed.
func (p *Place) NoteCommit(tree, message string) error {
	p.own.Head, p.own.Tree, p.own.Message, p.own.Behind = journal.OrNone(p.Before.Head), tree, message, false
	return p.noteProgress()
}

// Commit commits what was noted and is in the work tree, with the person's hooks. formatted is a
// tree that they have already made, or "".
func (p *Place) Commit(ctx context.Context, formatted string, said *proc.Tail) error {
	p.onto = p.Before.Head
	return p.Site.Commit(ctx, site.Commit{
		Tree: p.own.Tree, Message: p.own.Message, Formatted: formatted, ByHand: p.byHand(), Own: p.own.Has,
		Look: func(ctx context.Context) (*worktree.Status, string, error) {
			s, unread, err := p.looked(ctx, p.Repo, func(ctx context.Context) (*worktree.Status, error) { return worktree.ReadStatus(ctx, p.Repo) })
			if err == nil && unread == "" {
				s, err = p.disown(ctx, s)
			}
			return s, unread, err
		},
	}, said)
}

// Committed returns the commit of what was noted; "" if it was not made.
func (p *Place) Committed(ctx context.Context) string {
	c, err := p.Repo.ReadCommit(ctx, "HEAD")
	if err != nil || p.own.Tree == "" || c.Tree != p.own.Tree || len(c.Parents) > 1 || strings.Join(c.Parents, "") != p.onto {
		return ""
	}
	return c.OID
}
