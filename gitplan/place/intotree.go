package place

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/attempts"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/place/persons"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// throughWorkTree puts a tree that passed in the clone into the work tree, where commit commits
// it like a person's: with the hooks that are there and all that they need. If nothing is
// committed in the end, the work tree is as it was, and what the hooks made of the files is in c,
// if that is there.
func (p *Place) throughWorkTree(ctx context.Context, c *git.Repo, tree string, out *Ending, commit func() error) error {
	if err := p.putIntoWorkTree(ctx, tree, out); err != nil || out.Status != agent.Done {
		return err
	}
	err := commit()
	if out.Commit != "" {
		return err
	}
	left, back := p.takeBack(ctx)
	if back == nil && left != "" && left != tree && c != nil {
		back = worktree.PutTree(context.WithoutCancel(ctx), c, tree, left)
	}
	return errors.Join(err, back)
}

// putIntoWorkTree puts a tree into the work tree and its index. If a person has worked there
// meanwhile, it waits in the clone for the next step, or review, to land it.
func (p *Place) putIntoWorkTree(ctx context.Context, tree string, out *Ending) error {
	if err := cmp.Or(p.UnderWay(), journal.FreeOfLocks(p.Repo, time.Time{})); err != nil {
		return err
	}
	s, err := worktree.ReadStatusIgnored(ctx, p.Repo)
	switch branch := visible.OneLine(p.Branch, 200); {
	case err != nil:
		return err
	case s.Branch != p.Branch:
		return p.LeftBranch(fmt.Sprintf("what it did waits, on %s, for the next %s", branch, p.own.Lands()))
	case s.Head != p.Before.Head:
		return p.MovedOn()
	case !s.Clean():
		return fault.New(fault.ErrSetAside, "%s; what the session did waits for the next %s", Dirty(s), p.own.Lands())
	}
	change, err := p.Changeset(ctx, tree)
	if err != nil {
		return err
	}
	if inTheWay := persons.Over(p.Repo.Top, s, change.Diff.Written()); len(inTheWay) > 0 {
		out.Fail("it created files that already exist, untracked, in the person's work tree: %s", visible.OneLine(strings.Join(inTheWay, ", "), 400))
		return nil
	}
	p.own.Tree, p.own.Landing = tree, true
	if err := p.noteProgress(); err != nil {
		return err
	}
	if err = worktree.PutTree(ctx, p.Repo, p.Before.Head, tree); err == nil {
		return nil
	}
	_, back := p.takeBack(ctx)
	if errors.Is(err, worktree.ErrConflict) && ctx.Err() == nil {
		err = nil
		out.Fail("its work cannot be applied to the work tree: files there have changed, or untracked files are in the way")
	}
	return errors.Join(err, back)
}

// MovedOn returns the error for work that waits because its branch has moved.
func (p *Place) MovedOn() error {
	return fault.New(fault.ErrMovedBranch, "someone committed to %s while a session was working on it; its work waits for the next %s", visible.OneLine(p.Branch, 200), p.own.Lands())
}

// takeBack makes the work tree what it was before putIntoWorkTree, and returns what was in it
// instead; "" if HEAD has moved, since then it was committed.
func (p *Place) takeBack(ctx context.Context) (left string, err error) {
	if ctx.Err() != nil { // which stopped a git of ours halfway
		if err := journal.FreeOfLocks(p.Repo, p.own.Began); err != nil {
			return "", err
		}
		ctx = context.WithoutCancel(ctx)
	}
	s, err := worktree.ReadStatus(ctx, p.Repo)
	if err != nil || s.Head != p.Before.Head {
		return "", err
	}
	change, err := p.Changeset(ctx, p.own.Tree)
	if err != nil {
		return "", err
	}
	var added []string
	for _, f := range change.Diff.Files {
		if f.Status == 'A' && slices.Contains(s.Untracked, f.Path) {
			added = append(added, f.Path)
		}
	}
	if left, err = worktree.Snapshot(ctx, p.Repo, append(s.Unstaged(), added...)); err != nil {
		return "", err
	}
	if err := worktree.Restore(ctx, p.Repo, p.Before.Head, added); err != nil {
		return "", err
	}
	p.own.Landing = false
	return left, p.noteProgress()
}

// takeBackAfterCrash is takeBack if somebody may have written to the work tree since: what is not
// the tree that was to land is kept, and reported.
func (p *Place) takeBackAfterCrash(ctx context.Context, name string) error {
	left, err := p.takeBack(ctx)
	if err != nil || left == "" || left == p.own.Tree {
		return err
	}
	if c, err := p.Repo.ReadCommit(ctx, "HEAD"); err == nil && c.Tree == left {
		return nil
	}
	var parents []string
	if p.Before.Head != "" {
		parents = []string{p.Before.Head}
	}
	kept, err := attempts.Keep(ctx, p.Checkout, left, parents, name, "the work tree, as a crash left it")
	if err == nil {
		p.ReportLeft(name, "what was in the work tree after git plan was killed is kept as "+kept+"; see it: "+attempts.HowToSee(p.Checkout, kept))
	}
	return err
}
