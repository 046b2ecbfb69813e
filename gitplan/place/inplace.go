package place

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/disk"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/gitplan/setup"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// CommittedByItself says what became of a session's own commits.
func CommittedByItself(commits []git.Commit) string {
	var subjects []string
	for _, c := range commits {
		subjects = append(subjects, c.Subject())
	}
	return visible.OneLine("the session committed by itself, which is folded into the one commit: "+strings.Join(subjects, "; "), 500)
}

// InPlace looks at the place before anybody looks at the work: the repository's
// set-up must be untouched, HEAD must be on its branch and descend from where it
// was, the plan must be what it was. It is asked after the session and again
// after the checks, which run what the session wrote. What the session committed
// is folded back into the tree; where somebody else moved the branch, nothing is
// touched (ErrMovedBranch).
//
// out is failed where something is not in its place; there is no leftover then.
func (p *Place) InPlace(ctx context.Context, name string, before setup.Setup, out *Ending) (*Leftover, error) {
	if p.Clone != nil && !before.StillClone(p.Clone.Top) {
		_ = disk.RemoveTree(p.Clone.GitDir) // so that no command looks for work in what is there now
		return nil, fault.New(fault.ErrClone, "the session removed the clone that it worked in, or put another folder in its place")
	}
	p.Tree().OpenTop()
	// The set-up comes first: every git after this may execute it.
	changed, lost, err := p.Scene().Changed(ctx, before)
	if err != nil {
		return nil, err
	}
	if len(changed) > 0 {
		before.Unplant(p.Repo)
		p.Repo.Distrust()
		p.Tree().Distrust()
		moved, err := p.PlansBack(ctx, before)
		if err != nil {
			return nil, err
		}
		out.SetupChanged = changed
		out.Fail("%s", strings.Join(append([]string{checkout.Tampering(changed)}, moved...), "; "))
		return nil, p.PutSetupBack(ctx, before)
	}
	moved, err := p.PlansBack(ctx, before)
	if err != nil {
		return nil, err
	}
	if len(moved) > 0 {
		out.Fail("tampering: %s", strings.Join(moved, "; "))
	}
	if err := p.unhide(ctx, out); err != nil {
		return nil, err
	}
	status, unread, err := p.looked(ctx, p.Tree(), p.Look)
	if err != nil {
		return nil, err
	}
	if unread != "" {
		out.Fail("%s", unread)
	}
	// Of the base a person decides, as of the set-up: they may have merged meanwhile.
	took, err := p.BasesTook(ctx, p.Based)
	if err != nil {
		return nil, err
	}
	if len(took) > 0 {
		out.SetupChanged = took
		out.Fail("%s", strings.Join(append([]string{checkout.Tampering(took)}, moved...), "; "))
	}
	if strayed, err := p.strayed(ctx, status); err != nil {
		return nil, err
	} else if strayed != "" {
		out.Fail("tampering: %s", strings.Join(slices.Concat([]string{strayed}, took, moved), "; "))
		return nil, p.putBack(ctx, name, status, out)
	}
	if len(took) > 0 {
		return nil, nil
	}
	if lost {
		out.Fail("tampering: the session took the plan from the branch")
		if err := p.PutSetupBack(ctx, before); err != nil {
			return nil, err
		}
	}
	left := &Leftover{Status: status}
	if p.Clone != nil {
		left.Folded = worktree.CommitsOfClone(ctx, p.Clone, p.Before.Head)
	} else if status.Head != p.Before.Head {
		if left, err = p.fold(ctx, status); err != nil {
			return nil, err
		}
	}
	for i := range left.Folded {
		left.Folded[i].Message = p.Masked(left.Folded[i].Message)
	}
	if left.Status, err = p.disown(ctx, left.Status); err != nil {
		return nil, err
	}
	left.Added = p.Added(left.Status)
	return left, nil
}

// unhide makes git look again at the files that the session told it not to look
// at: what is checked must be what is committed.
func (p *Place) unhide(ctx context.Context, out *Ending) error {
	if p.Index == nil { // work by hand: the person hides what they like
		return nil
	}
	hidden, err := p.Index.Hidden(ctx)
	if git.Code(err) == git.Died && !errors.Is(err, git.ErrLocked) {
		out.Fail("tampering: git cannot read the index that the session left; it is as it was before")
		return p.Index.Restore()
	}
	if err != nil || len(hidden) == 0 {
		return err
	}
	out.Fail("tampering: the session hid files from git: %s", visible.OneLine(strings.Join(hidden, ", "), 400))
	return worktree.Unhide(ctx, p.Tree(), hidden)
}

// strayed says how HEAD is not where a session may leave it, or nothing. Who did
// that is not said: a person may have, in another terminal.
func (p *Place) strayed(ctx context.Context, s *worktree.Status) (string, error) {
	if p.Clone != nil {
		return "", nil // HEAD is ours alone; the person's may go where it likes until land
	}
	if taken, err := p.asideTaken(ctx); taken != "" || err != nil { // what it took may be in the tree
		return taken, err
	}
	if op := p.Repo.Operation(); op != "" {
		return "a " + op + " was left under way during the session", nil
	}
	if s.Branch != p.Branch {
		return fmt.Sprintf("branch %s was left during the session", visible.OneLine(p.Branch, 200)), nil
	}
	if s.Head == p.Before.Head || p.Before.Head == "" {
		return "", nil
	}
	if s.Head == "" {
		return "the branch was deleted during the session", nil
	}
	ok, err := p.Repo.IsAncestor(ctx, p.Before.Head, s.Head)
	if err != nil || ok {
		return "", err
	}
	return fmt.Sprintf("branch %s was rewound during the session", visible.OneLine(p.Branch, 200)), nil
}

// putBack returns HEAD and the branch to where they were. What is in the tree,
// and each commit that no ref holds afterwards, is kept and named.
func (p *Place) putBack(ctx context.Context, name string, s *worktree.Status, out *Ending) (err error) {
	if s, err = p.disown(ctx, s); err != nil {
		return err
	}
	nested := p.Nested(s)
	if left := (&Leftover{Status: s, Added: p.Added(s)}); !left.Empty() || len(nested) > 0 {
		if out.Kept, err = p.keepAt(ctx, s, name, out.Reason); err == nil {
			err = p.removeNested(ctx, nested, out.Kept)
		}
		if err != nil {
			return err
		}
	}
	if op := p.Repo.Operation(); op != "" && op != "merge" {
		quit := map[string][]string{"bisect": {"bisect", "reset", "HEAD"}}[op]
		if quit == nil {
			quit = []string{op, "--quit"}
		}
		if err := p.Repo.Run(ctx, git.Command{Args: quit, Writes: true}); err != nil {
			return err
		}
	}
	ref := "refs/heads/" + p.Branch
	now, err := p.Repo.Resolve(ctx, ref)
	if err != nil && !errors.Is(err, git.ErrMissing) {
		return err
	}
	visited := append([]string{s.Head, now}, p.visited(ctx, "HEAD")...)
	visited = append(visited, p.visited(ctx, ref)...) // gone with the branch where that is deleted
	if err := p.keepCommits(ctx, visited, name, out); err != nil {
		return err
	}
	if now != p.Before.Head {
		if err := p.Repo.UpdateRef(ctx, ref, p.Before.Head, now, "plan: put back after a session"); err != nil {
			return err
		}
	}
	if err := p.Repo.Run(ctx, git.Command{Args: []string{"symbolic-ref", "HEAD", ref}, Writes: true}); err != nil {
		return err
	}
	if p.Doc != nil { // deleting a branch deletes its keys
		if id, err := p.Repo.Output(ctx, "config", "--get", setup.PlanKey(p.Branch)); err != nil || id != p.Doc.ID {
			if err := p.Attach(ctx, p.Doc.ID); err != nil {
				return err
			}
		}
	}
	return p.restore(ctx, p.Added(s))
}

// fold takes what a session committed itself back into the index.
func (p *Place) fold(ctx context.Context, s *worktree.Status) (*Leftover, error) {
	since := s.Head
	if p.Before.Head != "" {
		since = p.Before.Head + ".." + s.Head
	}
	commits, err := p.Repo.Log(ctx, since)
	if err != nil {
		return nil, err
	}
	slices.Reverse(commits)
	if err := p.rewind(ctx, s.Head); err != nil {
		return nil, err
	}
	status, err := p.Look(ctx)
	return &Leftover{Status: status, Folded: commits}, err
}

// rewind moves the branch from head back to where the task began, and leaves index
// and tree alone. A commit that git's log of HEAD says somebody else made is left
// where it is.
func (p *Place) rewind(ctx context.Context, head string) error {
	own, known, err := p.madeBySession(ctx, p.Before.Head)
	if err != nil {
		return err
	}
	if known && !own {
		return fault.New(fault.ErrMovedBranch, "somebody committed on %s while a session worked there; what it did is in the tree, not committed", visible.OneLine(p.Branch, 200))
	}
	if p.Before.Head == "" { // the branch was unborn, and is again
		return p.Repo.DeleteRef(ctx, "refs/heads/"+p.Branch, head, "plan: folded into the step")
	}
	return worktree.ResetSoft(ctx, p.Repo, p.Before.Head)
}
