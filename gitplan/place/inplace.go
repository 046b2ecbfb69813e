package place

import (
	"context"
	"errors"
	"strings"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/gitplan/setup"
	"github.com/git-plan/git-plan/gitplan/site"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// CommittedByItself says what became of a session's own commits.
func CommittedByItself(commits []git.Commit) string {
	var subjects []string
	for _, c := range commits {
		subjects = append(subjects, c.Subject())
	}
	return visible.OneLine("the session made commits of its own; they are folded into the one commit: "+strings.Join(subjects, "; "), 500)
}

// InPlace looks at the place before anybody looks at the work: the repository's set-up must be
// untouched, HEAD must be on its branch and descend from where it was, the plan must be what it
// was. It is asked after the session and again after the checks, which run what the session
// wrote. What the session committed is folded back into the tree; if somebody else moved the
// branch, nothing is touched (ErrMovedBranch).
//
// If something is not in its place, out is marked failed and there is no leftover.
func (p *Place) InPlace(ctx context.Context, name string, watch *site.Watch, out *Ending) (*Leftover, error) {
	if err := p.isolation.moved(watch.Setup); err != nil {
		return nil, err
	}
	p.Tree().OpenTop()
	// The set-up comes first: every git after this may execute it.
	changed, lost, err := watch.Changed(ctx)
	if err != nil {
		return nil, err
	}
	if len(changed) > 0 {
		watch.Unplant(p.Repo)
		p.Repo.Distrust()
		p.Tree().Distrust()
		moved, err := p.PlansBack(ctx, watch.Setup)
		if err != nil {
			return nil, err
		}
		out.SetupChanged = changed
		out.Fail("%s", strings.Join(append([]string{checkout.Tampering(changed)}, moved...), "; "))
		return nil, p.PutSetupBack(ctx, watch.Setup)
	}
	moved, err := p.PlansBack(ctx, watch.Setup)
	if err != nil {
		return nil, err
	}
	if len(moved) > 0 {
		out.Fail("tampering: %s", strings.Join(moved, "; "))
	}
	if err := p.unhide(ctx, out); err != nil {
		return nil, err
	}
	status, unread, err := p.looked(ctx, p.Tree(), p.look)
	if err != nil {
		return nil, err
	}
	if unread != "" {
		out.Fail("%s", unread)
	}
	// A moved base is for a person to judge, like a changed set-up: they may have merged meanwhile.
	took, err := watch.BasesTook(ctx)
	if err != nil {
		return nil, err
	}
	if len(took) > 0 {
		out.SetupChanged = took
		out.Fail("%s", strings.Join(append([]string{checkout.Tampering(took)}, moved...), "; "))
	}
	if strayed, err := p.isolation.strayed(ctx, p, status); err != nil {
		return nil, err
	} else if strayed != "" {
		if took = append(took, moved...); len(took) > 0 { // else a person may have gone to another branch
			strayed = "tampering: " + strings.Join(append([]string{strayed}, took...), "; ")
		}
		out.Fail("%s", strayed)
		return nil, p.putBack(ctx, name, status, out)
	}
	if len(took) > 0 {
		return nil, nil
	}
	if lost {
		out.Fail("tampering: the session detached the plan from the branch")
		if err := p.PutSetupBack(ctx, watch.Setup); err != nil {
			return nil, err
		}
	}
	left, err := p.isolation.fold(ctx, p, status)
	if err != nil {
		return nil, err
	}
	for i := range left.Folded {
		left.Folded[i].Message = p.Masked(left.Folded[i].Message)
	}
	if left.Status, err = p.disown(ctx, left.Status); err != nil {
		return nil, err
	}
	left.Added = p.added(left.Status)
	return left, nil
}

// unhide makes git look again at the files that the session hid from it: what is checked must be
// what is committed.
func (p *Place) unhide(ctx context.Context, out *Ending) error {
	if p.index == nil { // work by hand: a person may hide files
		return nil
	}
	hidden, err := p.index.Hidden(ctx)
	if git.Code(err) == git.Died && !errors.Is(err, git.ErrLocked) {
		out.Fail("tampering: git cannot read the index that the session left; it is as it was before")
		return p.index.Restore()
	}
	if err != nil || len(hidden) == 0 {
		return err
	}
	out.Fail("tampering: the session hid files from git: %s", visible.OneLine(strings.Join(hidden, ", "), 400))
	return worktree.Unhide(ctx, p.Tree(), hidden)
}

// putBack returns HEAD and the branch to where they were. It keeps and names what is in the tree,
// and each commit that no ref holds afterwards.
func (p *Place) putBack(ctx context.Context, name string, s *worktree.Status, out *Ending) (err error) {
	if s, err = p.disown(ctx, s); err != nil {
		return err
	}
	nested := p.unseenLook().Nested(s)
	if left := (&Leftover{Status: s, Added: p.added(s)}); !left.Empty() || len(nested) > 0 {
		if out.Kept, err = p.keepAt(ctx, s, name, out.Reason); err == nil {
			err = p.removeNested(ctx, nested, out.Kept)
		}
		if err != nil {
			return err
		}
		if how := p.HowToRestore(out.Kept, left.Paths()); how != "" {
			out.AlsoSay("if some of that was yours: " + how)
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
	visited := append([]string{s.Head, now}, p.Visited(ctx, "HEAD", p.Before.Head, p.own.Began)...)
	visited = append(visited, p.Visited(ctx, ref, p.Before.Head, p.own.Began)...) // it is deleted with the branch
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
	return p.restore(ctx, p.added(s))
}
