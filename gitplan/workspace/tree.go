package workspace

import (
	"cmp"
	"context"
	"fmt"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// In the user's work tree HEAD, the index and untracked files are theirs.

// headMoved says where HEAD is if a session may not leave it there, else "". It does not say who moved it: it may have
// been a person, in another terminal. Of a clone, only git plan writes HEAD, and the user's may move freely until land.
func (w *Workspace) headMoved(ctx context.Context, s *worktree.Status) (string, error) {
	if w.InClone() {
		return "", nil
	}
	branch := visible.OneLine(w.Checkout.Branch, 200)
	who, during := who(w.state)
	if op := w.Checkout.Repo.Operation(); op != "" {
		return "a " + op + " was left under way " + during, nil
	}
	if s.Branch != w.Checkout.Branch {
		return fmt.Sprintf("branch %s was no longer checked out after %s", branch, who), nil
	}
	if s.Head == w.Before.Head || w.Before.Head == "" {
		return "", nil
	}
	if s.Head == "" {
		return "the branch was deleted " + during, nil
	}
	ok, err := w.Checkout.Repo.IsAncestor(ctx, w.Before.Head, s.Head)
	if err != nil || ok {
		return "", err
	}
	return fmt.Sprintf("branch %s was rewound %s", branch, during), nil
}

// fold takes the session's own commits back into the index.
func (w *Workspace) fold(ctx context.Context, s *worktree.Status) (*Changes, error) {
	if w.InClone() {
		return &Changes{Status: s, Folded: w.clone.lastMessage()}, nil
	}
	if s.Head == w.Before.Head {
		return &Changes{Status: s}, nil
	}
	last, err := w.Checkout.Repo.ReadCommit(ctx, s.Head)
	if err != nil {
		return nil, err
	}
	// The branch goes back to where the task began, and index and tree stay. A commit that another process made, by git's
	// log of HEAD, stays.
	own, known, err := w.Runner.MadeBySession(ctx, w.Before.Head)
	switch {
	case err != nil:
	case known && !own:
		err = fault.New(fault.ErrMovedBranch, "someone committed to %s while a session was working there; the session's work is in the tree, not committed", w.Checkout.Branch)
	case w.Before.Head == "": // the branch was unborn, and becomes so again
		err = w.Checkout.Repo.DeleteRef(ctx, "refs/heads/"+w.Checkout.Branch, s.Head, "plan: folded into the step")
	default:
		err = w.Checkout.Repo.Run(ctx, git.Command{Args: []string{"reset", "--soft", "--quiet", w.Before.Head}, Writes: true})
	}
	if err != nil {
		return nil, err
	}
	status, err := w.status(ctx)
	return &Changes{Status: status, Folded: last.Message}, err
}

// keepInTree is KeepInterrupted in the work tree.
func keepInTree(ctx context.Context, w *Workspace, began string) (kept string, err error) {
	at := w.Before.Head
	if began = trimNone(began); at != began {
		own, known, err := w.Runner.MadeBySession(ctx, began)
		if err != nil {
			return "", err
		}
		if own && known {
			w.Before.Head = began
		}
	}
	if err := w.Files.unignore(ctx, w.Before); err != nil {
		return "", err
	}
	if w.state.Phase == checkout.Working {
		w.Files.since = w.state.Began
		if err := w.Files.setAside(ctx, w.Before); err != nil {
			return "", err
		}
		w.reportTouched(ctx) // some of it may be the user's own doing
	}
	if nested := w.Files.nested(w.Before); len(nested) > 0 { // the user may have cloned them since
		for _, name := range nested {
			w.Files.byChecks[name+"/"] = true
		}
		w.Runner.ReportNote(w.state.Name,
			visible.Few(nested)+" is a repository of its own, and stays: remove it if the session made it")
	}
	left := append(w.Before.Paths(), w.Files.added(w.Before)...)
	if len(left) == 0 {
		left = []string{"its commits"}
	}
	whole := w.state.Attempt // was being put into the tree or taken out of it, and is kept
	reason := w.state.Ended()
	if reason == journal.Interrupted && w.state.Phase != checkout.Checking {
		reason = checkout.KilledReason
	}
	phase := w.state.Phase
	if kept, err = w.Keep(ctx, reason); err != nil {
		return "", err
	}
	w.state.Phase = phase // notices are about this
	w.reportKept(cmp.Or(kept, whole), left)
	kept = cmp.Or(whole, kept)
	if began == "" && w.Before.Head == "" && at != "" {
		if err := w.Checkout.Repo.DeleteRef(ctx, "refs/heads/"+w.Checkout.Branch, at, "plan: kept as an attempt"); err != nil {
			return kept, err
		}
	}
	w.Before, err = worktree.ReadStatusIgnored(ctx, w.Checkout.Repo)
	return kept, err
}
