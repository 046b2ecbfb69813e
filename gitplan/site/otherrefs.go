package site

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

// Bases returns the commits, by name, of what the work is compared with, and of the local branch
// of the same name if that is a remote's. There are none if the base is the branch itself, or is
// named by its distance from something that may move.
func (s *Site) Bases(ctx context.Context) map[string]string {
	given := ""
	if s.Doc != nil {
		given = s.Doc.Plan.Base
	}
	name, err := s.Base(ctx, given)
	if err != nil || s.OnBase(name) || name == "HEAD" || strings.ContainsAny(name, "~^:") || strings.Contains(name, "@{") {
		return nil
	}
	out := map[string]string{}
	for _, n := range []string{name, strings.TrimPrefix(name, "origin/")} {
		if oid, err := s.Repo.Resolve(ctx, n+"^{commit}"); n != "" && err == nil {
			out[n] = oid
		}
	}
	return out
}

// BasesTook names bases that have commits of this branch which they did not have
// when the session began: a review, which judges what the base has not, would not see
// them. A base that merely advanced, by a fetch say, has none.
func (w *Watch) BasesTook(ctx context.Context) (took []string, err error) {
	for name, now := range w.site.Bases(ctx) {
		was := w.bases[name]
		if was == "" || now == was {
			continue
		}
		has, err := w.tookBranch(ctx, was, now)
		if err != nil {
			return nil, err
		}
		if has {
			took = append(took, fmt.Sprintf("the base %s, which has commits of this branch now (%s puts it back)", visible.OneLine(name, 200), SetRef(w.site.fullName(ctx, name, now), was)))
		}
	}
	slices.Sort(took)
	return took, nil
}

// tookBranch reports whether a commit has commits of the branch that another has not.
func (w *Watch) tookBranch(ctx context.Context, was, now string) (bool, error) {
	r := w.site.Repo
	head, err := r.Resolve(ctx, "refs/heads/"+w.site.Branch)
	if errors.Is(err, git.ErrMissing) {
		head, err = w.head, nil
	}
	if err != nil || head == "" {
		return false, err
	}
	shared, err := r.MergeBase(ctx, now, head)
	if errors.Is(err, git.ErrMissing) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	had, err := r.IsAncestor(ctx, shared, was)
	return !had, err
}

// fullName returns the ref that a short name means, which is at a commit.
func (s *Site) fullName(ctx context.Context, name, commit string) string {
	for _, in := range []string{"refs/tags/", "refs/heads/", "refs/remotes/"} { // git's order
		if oid, err := s.Repo.Resolve(ctx, in+name+"^{commit}"); err == nil && oid == commit {
			return in + name
		}
	}
	return name
}

// SetRef returns the command by which a person sets a ref.
func SetRef(ref, oid string) string {
	if branch, ok := strings.CutPrefix(ref, "refs/heads/"); ok {
		return fmt.Sprintf("git branch -f %s %.10s", visible.Shell(branch), oid)
	}
	return fmt.Sprintf("git update-ref %s %.10s", visible.Shell(ref), oid)
}

// workedOn reports whether a ref is a branch on whose plan another git plan is working.
func (s *Site) workedOn(ref string) bool {
	branch, _ := strings.CutPrefix(ref, "refs/heads/")
	id, ok := s.Config.Get(setup.PlanKey(branch))
	if !ok {
		return false
	}
	h, busy := journal.Working(s.Repo, id)
	return busy && h.PID != os.Getpid()
}
