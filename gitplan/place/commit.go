package place

import (
	"context"
	"errors"

	"github.com/git-plan/git-plan/gitplan/disk"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/gitplan/setup"
)

// MakeCommit commits what was noted, with the person's hooks.
func (p *Place) MakeCommit(ctx context.Context, formatted string, said *proc.Tail) error {
	p.Onto = p.Before.Head
	return p.commitWithHooks(ctx, p.Own.Tree, p.Own.Message, formatted, proc.Mark("commit-"+setup.Random(4)), said)
}

// ErrFormatted says that a commit hook made other files of what was to be committed.
var ErrFormatted = errors.New("a commit hook changed what was to be committed")

// commitWithHooks commits what is staged, which is tree. formatted is a tree that hooks
// made: they are not asked about it again.
func (p *Place) commitWithHooks(ctx context.Context, tree, message, formatted, mark string, said *proc.Tail) error {
	sandboxed, err := p.Config.Word("plan.hooksSandbox")
	if err != nil {
		return err
	}
	if sandboxed == "off" || p.byHand() {
		return worktree.CommitIndex(ctx, p.Repo, message, mark, true, said)
	}
	if h, err := p.commitHooks(ctx, mark, said); err != nil {
		return err
	} else if h != nil {
		defer func() { _ = disk.RemoveTree(h.dir) }()
		if tree != formatted {
			if err := h.preCommit(ctx, tree); err != nil {
				return err
			}
		}
		if message, err = h.message(ctx, message); err != nil {
			return err
		}
		if err := h.staged(ctx, tree); err != nil {
			return err
		}
		if err := worktree.CommitIndex(ctx, p.Repo, message, mark, false, said); err != nil {
			return err
		}
		return h.postCommit(ctx)
	}
	return worktree.CommitIndex(ctx, p.Repo, message, mark, false, said)
}
