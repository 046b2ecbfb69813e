package workspace

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// tree is the user's work tree: HEAD, the index and untracked files are theirs.
type tree struct{ r *git.Repo }

func (t tree) repo() *git.Repo { return t.r }

func (tree) confine(*proc.Confinement, string) {}

// finish commits exactly the tree that was checked.
func (tree) finish(ctx context.Context, p *Workspace, commit committer) (string, error) {
	if err := worktree.ReadTree(ctx, p.Checkout.Repo, p.state.Tree); err != nil {
		return "", Failf("the tree that passed its checks is gone")
	}
	if p.state.Session != "" { // else the files changed by the user's own doing
		defer p.reportTouched(ctx)
	}
	return commit()
}

// headMoved does not say who moved HEAD: it may have been a person, in another terminal.
func (tree) headMoved(ctx context.Context, p *Workspace, s *worktree.Status) (string, error) {
	branch := visible.OneLine(p.Checkout.Branch, 200)
	who, during := who(p.state)
	if op := p.Checkout.Repo.Operation(); op != "" {
		return "a " + op + " was left under way " + during, nil
	}
	if s.Branch != p.Checkout.Branch {
		return fmt.Sprintf("branch %s was no longer checked out after %s", branch, who), nil
	}
	if s.Head == p.Before.Head || p.Before.Head == "" {
		return "", nil
	}
	if s.Head == "" {
		return "the branch was deleted " + during, nil
	}
	ok, err := p.Checkout.Repo.IsAncestor(ctx, p.Before.Head, s.Head)
	if err != nil || ok {
		return "", err
	}
	return fmt.Sprintf("branch %s was rewound %s", branch, during), nil
}

func (tree) fold(ctx context.Context, p *Workspace, s *worktree.Status) (*Changes, error) {
	if s.Head == p.Before.Head {
		return &Changes{Status: s}, nil
	}
	since := s.Head
	if p.Before.Head != "" {
		since = p.Before.Head + ".." + s.Head
	}
	commits, err := p.Checkout.Repo.Log(ctx, since)
	if err != nil {
		return nil, err
	}
	var messages []string
	for _, c := range slices.Backward(commits) {
		messages = append(messages, c.Message)
	}
	// The branch goes back to where the task began, and index and tree stay. A commit that another process made, by git's
	// log of HEAD, stays.
	own, known, err := p.Runner.MadeBySession(ctx, p.Before.Head)
	switch {
	case err != nil:
	case known && !own:
		err = fault.New(fault.ErrMovedBranch, "someone committed to %s while a session was working there; the session's work is in the tree, not committed", p.Checkout.Branch)
	case p.Before.Head == "": // the branch was unborn, and becomes so again
		err = p.Checkout.Repo.DeleteRef(ctx, "refs/heads/"+p.Checkout.Branch, s.Head, "plan: folded into the step")
	default:
		err = p.Checkout.Repo.Run(ctx, git.Command{Args: []string{"reset", "--soft", "--quiet", p.Before.Head}, Writes: true})
	}
	if err != nil {
		return nil, err
	}
	status, err := p.status(ctx)
	return &Changes{Status: status, Folded: messages}, err
}

func (tree) keepLeft(ctx context.Context, p *Workspace, began string) (kept string, err error) {
	at := p.Before.Head
	if began = trimNone(began); at != began {
		own, known, err := p.Runner.MadeBySession(ctx, began)
		if err != nil {
			return "", err
		}
		if own && known {
			p.Before.Head = began
		}
	}
	if err := p.Files.unignore(ctx, p.Before); err != nil {
		return "", err
	}
	if p.state.Phase == checkout.Working {
		p.Files.since = p.state.Began
		if err := p.Files.setAside(ctx, p.Before); err != nil {
			return "", err
		}
		p.reportTouched(ctx) // some of it may be the user's own doing
	}
	if nested := p.Files.nested(p.Before); len(nested) > 0 { // the user may have cloned them since
		for _, name := range nested {
			p.Files.byChecks[name+"/"] = true
		}
		p.Runner.Report(journal.Notice{Kind: journal.StepNote, Step: p.state.Name,
			Text: visible.Few(nested) + " is a repository of its own, and stays: remove it if the session made it"})
	}
	left := append(p.Before.Paths(), p.Files.added(p.Before)...)
	if len(left) == 0 {
		left = []string{"its commits"}
	}
	whole := p.state.Attempt // was being put into the tree or taken out of it, and is kept
	reason := p.state.Ended()
	if reason == journal.Interrupted && p.state.Phase != checkout.Checking {
		reason = checkout.KilledReason
	}
	if kept, err = p.Keep(ctx, reason); err != nil {
		return "", err
	}
	p.reportKept(cmp.Or(kept, whole), left)
	kept = cmp.Or(whole, kept)
	if began == "" && p.Before.Head == "" && at != "" {
		if err := p.Checkout.Repo.DeleteRef(ctx, "refs/heads/"+p.Checkout.Branch, at, "plan: kept as an attempt"); err != nil {
			return kept, err
		}
	}
	p.Before, err = worktree.ReadStatusIgnored(ctx, p.Checkout.Repo)
	return kept, err
}
