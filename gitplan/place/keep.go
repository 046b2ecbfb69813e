package place

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/git-plan/git-plan/gitplan/attempts"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/git/diffs"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// DiffSoFar returns what has changed since the task began, as text for the next session.
func (p *Place) DiffSoFar(ctx context.Context) (string, error) {
	if p.Before.Head != "" {
		// What a refused commit had staged is unstaged again, and stays in the tree.
		if err := p.Tree().Run(ctx, git.Command{Args: []string{"reset", "--quiet"}, Writes: true}); err != nil {
			return "", err
		}
	}
	s, err := p.look(ctx)
	if err != nil {
		return "", err
	}
	left := &Leftover{Status: s, Added: p.added(s)}
	if left.Empty() {
		return "", nil
	}
	tree, err := worktree.Snapshot(ctx, p.Tree(), left.Paths())
	if err != nil {
		return "", err
	}
	patch := &proc.Tail{Size: 2 * proc.DefaultTail}
	err = diffs.WritePatch(ctx, p.Repo, patch, p.Before.Head, tree)
	return patch.String(), err
}

// Keep commits what is in the tree (changes of tracked files and new files, never ignored ones)
// under a ref of its own and then puts the tree back. The ref is "" if there is nothing to keep.
func (p *Place) Keep(ctx context.Context, name, reason string) (ref string, err error) {
	if p.own.Behind {
		return p.keepNoted(ctx, name)
	}
	s, err := p.look(ctx)
	if err != nil {
		return "", err
	}
	if s, err = p.disown(ctx, s); err == nil {
		s, err = p.unlinked(ctx, s)
	}
	if err != nil {
		return "", err
	}
	if ref, err = p.keepAt(ctx, s, name, reason); err != nil || ref == "" {
		return "", err
	}
	if err := p.removeNested(ctx, p.unseenLook().Nested(s), ref); err != nil {
		return "", err
	}
	if err := p.Halfway(ref); err != nil {
		return "", err
	}
	return ref, p.restore(ctx, p.added(s))
}

// keepNoted keeps what the note names: what passed, and the message that its commit was to have.
func (p *Place) keepNoted(ctx context.Context, name string) (kept string, err error) {
	var parents []string
	if p.own.Head != journal.None {
		parents = []string{p.own.Head}
	}
	return attempts.Keep(ctx, p.Checkout, p.own.Tree, parents, name, attempts.PassedReason+"\n\n"+p.own.Message)
}

func (p *Place) keepAt(ctx context.Context, s *worktree.Status, name, reason string) (string, error) {
	left := &Leftover{Status: s, Added: p.added(s)}
	if !p.isolation.lasts() && left.Empty() { // all that git ignores is removed, too
		left.Added = p.ledger.Hidden
	}
	nested := p.unseenLook().Nested(s)
	if left.Empty() && len(nested) == 0 && s.Head == p.Before.Head {
		return "", nil
	}
	tree, err := worktree.Snapshot(ctx, p.Tree(), left.Paths())
	if err == nil && len(nested) > 0 {
		tree, err = p.withNested(ctx, tree, nested)
	}
	if err != nil {
		return "", err
	}
	parents, err := p.keptParents(ctx, s.Head)
	if err != nil {
		return "", err
	}
	return attempts.Keep(ctx, p.Checkout, tree, parents, name, reason)
}

// keptParents returns the parents of what is kept. It is compared with the first: the commit at
// which the task began, if head builds on that.
func (p *Place) keptParents(ctx context.Context, head string) ([]string, error) {
	began := p.Before.Head
	if head == "" {
		return nil, nil
	}
	if began == "" || head == began {
		return []string{head}, nil
	}
	builds, err := p.Repo.IsAncestor(ctx, began, head)
	if err != nil || !builds {
		return []string{head}, err
	}
	return []string{began, head}, nil
}

// keepCommits keeps and names those commits that no ref will hold once HEAD and the branch are
// back where the task began.
func (p *Place) keepCommits(ctx context.Context, oids []string, name string, out *Ending) error {
	args := append([]string{"--ignore-missing"}, slices.DeleteFunc(oids, func(oid string) bool { return oid == "" })...)
	args = append(args, "--not", "--exclude=HEAD", "--exclude=refs/heads/"+p.Branch, "--all")
	var parents []string
	if p.Before.Head != "" {
		parents = []string{p.Before.Head}
	}
	lost, err := p.Repo.Log(ctx, append(args, parents...)...)
	if err != nil {
		return err
	}
	builtOn := map[string]bool{}
	for _, c := range lost {
		for _, path := range c.Parents {
			builtOn[path] = true
		}
	}
	for _, c := range lost {
		if builtOn[c.OID] {
			continue // the one that builds on it keeps it
		}
		text := fmt.Sprintf("commit %.10s (%s), made or left during the session, is on no branch", c.OID, visible.OneLine(c.Subject(), 100))
		ref, err := attempts.Keep(ctx, p.Checkout, c.Tree, append(slices.Clone(parents), c.OID), name, text)
		if err != nil {
			return err
		}
		out.Kept = cmp.Or(out.Kept, ref)
		out.Reported = append(out.Reported, text+"; it is kept as "+ref)
	}
	return nil
}

// HowToRestore says how a person gets back what was kept and may be theirs; "" where only sessions work.
func (p *Place) HowToRestore(kept string, paths []string) string {
	if kept == "" || !p.isolation.lasts() {
		return ""
	}
	return attempts.HowToRestore(p.Checkout, kept, paths)
}
