package place

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/setup"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// Bases are the commits, by name, of what the work is compared with, and of the local
// branch that a remote's stands for. There are none where that is the branch itself, or is
// named by its distance from something that may move.
func (p *Place) Bases(ctx context.Context) map[string]string {
	given := ""
	if p.Doc != nil {
		given = p.Doc.Plan.Base
	}
	name, err := p.Base(ctx, given)
	if err != nil || p.OnBase(name) || name == "HEAD" || strings.ContainsAny(name, "~^:") || strings.Contains(name, "@{") {
		return nil
	}
	out := map[string]string{}
	for _, n := range []string{name, strings.TrimPrefix(name, "origin/")} {
		if oid, err := p.Repo.Resolve(ctx, n+"^{commit}"); n != "" && err == nil {
			out[n] = oid
		}
	}
	return out
}

// BasesTook tells of bases that have commits of this branch which they did not have
// when the task began: a review, which judges what the base has not, would not see
// them. A base that only went on, as by a fetch, has none.
func (p *Place) BasesTook(ctx context.Context, before map[string]string) (took []string, err error) {
	for name, now := range p.Bases(ctx) {
		was := before[name]
		if was == "" || now == was {
			continue
		}
		has, err := p.tookBranch(ctx, was, now)
		if err != nil {
			return nil, err
		}
		if has {
			took = append(took, fmt.Sprintf("the base %s, which has commits of this branch now (%s puts it back)", visible.OneLine(name, 200), setRef(p.fullName(ctx, name, now), was)))
		}
	}
	slices.Sort(took)
	return took, nil
}

// tookBranch reports whether a commit has commits of the branch that another has not.
func (p *Place) tookBranch(ctx context.Context, was, now string) (bool, error) {
	head, err := p.Repo.Resolve(ctx, "refs/heads/"+p.Branch)
	if errors.Is(err, git.ErrMissing) && p.Before != nil {
		head, err = p.Before.Head, nil
	}
	if err != nil || head == "" {
		return false, err
	}
	shared, err := p.Repo.MergeBase(ctx, now, head)
	if errors.Is(err, git.ErrMissing) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	had, err := p.Repo.IsAncestor(ctx, shared, was)
	return !had, err
}

// fullName is the ref that a short name means, which is at a commit.
func (p *Place) fullName(ctx context.Context, name, commit string) string {
	for _, in := range []string{"refs/tags/", "refs/heads/", "refs/remotes/"} { // git's order
		if oid, err := p.Repo.Resolve(ctx, in+name+"^{commit}"); err == nil && oid == commit {
			return in + name
		}
	}
	return name
}

// setRef is the command by which a person sets a ref.
func setRef(ref, oid string) string {
	if branch, ok := strings.CutPrefix(ref, "refs/heads/"); ok {
		return fmt.Sprintf("git branch -f %s %.10s", visible.Shell(branch), oid)
	}
	return fmt.Sprintf("git update-ref %s %.10s", visible.Shell(ref), oid)
}

// RefsChanged names the branches, tags and stashes that changed during a session. They
// are told, never restored: somebody else may have changed them meanwhile, as
// whoever works on the plan of another branch does.
func (p *Place) RefsChanged(before git.RefsAt) []string {
	own := "refs/heads/" + p.Branch
	return p.Repo.RefsChanged(before, func(ref string) bool {
		return ref == own || setup.OfPlans(ref) || p.workedOn(ref)
	})
}

// OtherRefs tells of them.
func OtherRefs(changed []string) []string {
	if len(changed) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("refs changed during the session: %s", visible.OneLine(strings.Join(changed, ", "), 400))}
}

// CommittedOn says on which other branches the session itself committed, and how they
// are put back: their logs tell it from what a person did meanwhile. One that is
// as new as the session has no place to go back to.
func (p *Place) CommittedOn(ctx context.Context, changed []string) string {
	var back []string
	for _, ref := range changed {
		if !strings.HasPrefix(ref, "refs/heads/") {
			continue
		}
		log := p.reflog(ctx, ref)
		was := slices.IndexFunc(log, func(e logged) bool { return !strings.HasPrefix(e.said, reflogMark+p.Own.Session) })
		if was > 0 && log[was].seconds < p.Own.Began.Unix() {
			back = append(back, fmt.Sprintf("%s (%s puts it back)", visible.OneLine(strings.TrimPrefix(ref, "refs/heads/"), 200), setRef(ref, log[was].oid)))
		}
	}
	if len(back) == 0 {
		return ""
	}
	return "the session committed on " + visible.OneLine(strings.Join(back, ", "), 400)
}

// workedOn reports whether a ref is a branch on whose plan another git plan works now.
func (p *Place) workedOn(ref string) bool {
	branch, _ := strings.CutPrefix(ref, "refs/heads/")
	id, ok := p.Config.Get(setup.PlanKey(branch))
	if !ok {
		return false
	}
	h, busy := journal.Working(p.Repo, id)
	return busy && h.PID != os.Getpid()
}
