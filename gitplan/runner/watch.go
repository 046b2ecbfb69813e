package runner

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/integrity"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// Watch is what a session, or what its work runs, must leave alone, as it was before.
type Watch struct {
	Setup  integrity.Snapshot
	site   *Runner
	scene  integrity.Target
	refs   map[string]string // what those of refsWatched pointed to
	head   string            // of the branch
	bases  map[string]string // by name: what the work is compared with
	beside map[string]bool   // branches that another git plan works on, which it may have left since
	record *integrity.Record
}

// Watch remembers the set-up as it is.
func (s *Runner) Watch(at integrity.Target) *Watch {
	return &Watch{Setup: at.Read(s.Now()), site: s, scene: at}
}

// Session also remembers the refs, before a session at a task that begins at a commit, and notes
// for the next command that it is at work.
func (w *Watch) Session(ctx context.Context, task, session, head string) (err error) {
	w.head, w.bases = head, w.site.Bases(ctx)
	if w.refs, err = w.site.Checkout.Repo.RefValues(ctx, refsWatched...); err != nil {
		return err
	}
	w.beside = map[string]bool{}
	for branch := range w.site.Checkout.Attached() {
		w.beside["refs/heads/"+branch] = w.site.workedOn("refs/heads/" + branch)
	}
	w.record, err = w.scene.Record(w.Setup, task, session)
	return err
}

// Changed names what of the set-up changed; see integrity.Target.Changed.
func (w *Watch) Changed(ctx context.Context) (out []string, lost bool, err error) {
	return w.scene.Changed(ctx, w.Setup)
}

// End returns what changed until the session's work was settled; see integrity.Target.End. moved says
// what was put back of the plan.
func (w *Watch) End(ctx context.Context) (changed, moved []string, err error) {
	if changed, err = w.scene.End(ctx, w.record); err != nil {
		return nil, nil, err
	}
	moved, err = w.site.PlanBack(ctx)
	return changed, moved, err
}

// Granted names approvals of other plans and verdicts that were written meanwhile; see
// integrity.Target.Granted.
func (w *Watch) Granted() string { return w.scene.Granted(w.Setup) }

// Remove forgets that a session was at work.
func (w *Watch) Remove() { w.record.Remove() }

// refsWatched are the refs that a session must leave alone: branches, tags, stashes and plans.
var refsWatched = []string{"refs/heads/", "refs/tags/", "refs/stash", journal.RefPrefix}

// RefsChanged names the refs that changed during a session, except this branch and plan. They
// are reported, never restored: somebody else may have changed them meanwhile, as
// a git plan that works on another branch does.
func (w *Watch) RefsChanged(ctx context.Context) (out []string) {
	now, err := w.site.Checkout.Repo.RefValues(ctx, refsWatched...)
	if err != nil {
		return []string{"(they cannot be read: " + err.Error() + ")"}
	}
	for ref := range w.refs {
		if _, ok := now[ref]; !ok {
			out = append(out, ref+" (deleted)")
		}
	}
	for ref, value := range now {
		if w.refs[ref] != value {
			out = append(out, ref)
		}
	}
	own := append(w.site.OwnRefs(), "refs/heads/"+w.site.Checkout.Branch)
	out = slices.DeleteFunc(out, func(ref string) bool {
		ref = strings.TrimSuffix(ref, " (deleted)")
		return slices.Contains(own, ref) || w.beside[ref] || w.site.workedOn(ref)
	})
	slices.Sort(out)
	return out
}

// OtherRefs reports them.
func OtherRefs(changed []string) []string {
	if len(changed) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("refs changed during the session: %s", visible.OneLine(strings.Join(changed, ", "), 400))}
}

// Scene returns the work tree as far as its set-up goes.
func (s *Runner) Scene() integrity.Target {
	at := integrity.Target{Repo: s.Checkout.Repo, Config: s.Checkout.Config, Branch: s.Checkout.Branch}
	if s.Checkout.Doc != nil {
		at.Plan, at.Slot = s.Checkout.Doc.ID, s.Checkout.Slot
	}
	return at
}

// AttachAgain attaches the plan to its branch if a session detached it.
func (s *Runner) AttachAgain(ctx context.Context) error {
	if s.Checkout.Doc == nil {
		return nil
	}
	if id, err := s.Checkout.Repo.Output(ctx, "config", "--get", integrity.PlanKey(s.Checkout.Branch)); err != nil || id != s.Checkout.Doc.ID {
		return s.Checkout.Attach(ctx, s.Checkout.Doc.ID)
	}
	return nil
}

// Distrusted is called when the set-up changed during a session: what could lead a write elsewhere is
// removed, no git obeys what is configured now, and nothing of the plan runs before a person approves
// it again.
func (w *Watch) Distrusted() error {
	w.Setup.RemovePlanted(w.site.Checkout.Repo)
	w.site.Checkout.Repo.ForbidTransports()
	if w.site.Checkout.Doc == nil {
		return nil
	}
	return integrity.Revoke(w.site.Checkout.Repo, w.site.Checkout.Doc.ID)
}

// Unchanged returns an error if the set-up is not what it was: no git may be run then.
func (w *Watch) Unchanged(ctx context.Context) error {
	changed, _, err := w.Changed(ctx)
	if err == nil && len(changed) > 0 {
		err = errors.New(integrity.Tampered(integrity.ChangedDuring(changed)))
	}
	return err
}

// PlanBack puts the plan's ref back if it was moved, or removed, and says so, with both
// of its values. No other git plan writes while we hold the plan's lock and its text.
func (s *Runner) PlanBack(ctx context.Context) (moved []string, err error) {
	if s.Checkout.Doc == nil {
		return nil, nil
	}
	was, is, strayed, err := s.Checkout.Store.RestoreRef(ctx, s.Checkout.Doc.ID)
	if !strayed {
		return nil, err
	}
	return []string{integrity.PlanMoved(s.Checkout.Doc.ID, was, is)}, err
}

// BranchBack puts the branch, which is at now, back to head ("" if it was unborn), and HEAD on it.
func (s *Runner) BranchBack(ctx context.Context, head, now, reason string) (err error) {
	ref := "refs/heads/" + s.Checkout.Branch
	switch {
	case head == now:
	case head == "":
		err = s.Checkout.Repo.DeleteRef(ctx, ref, now, reason)
	default:
		err = s.Checkout.Repo.UpdateRef(ctx, ref, head, now, reason)
	}
	if on, berr := s.Checkout.Repo.Branch(ctx); err != nil || berr == nil && on == s.Checkout.Branch {
		return err
	}
	return s.Checkout.Repo.Run(ctx, git.Command{Args: []string{"symbolic-ref", "HEAD", ref}, Writes: true})
}

// Bases returns the commits, by name, of what the work is compared with, and of the local branch
// of the same name if that is a remote's. There are none if the base is the branch itself, or is
// named by its distance from something that may move.
func (s *Runner) Bases(ctx context.Context) map[string]string {
	given := ""
	if s.Checkout.Doc != nil {
		given = s.Checkout.Doc.Plan.Base
	}
	name, err := s.Checkout.Base(ctx, given)
	if err != nil || s.Checkout.OnBase(name) || name == "HEAD" || strings.ContainsAny(name, "~^:") || strings.Contains(name, "@{") {
		return nil
	}
	out := map[string]string{}
	for _, n := range []string{name, strings.TrimPrefix(name, "origin/")} {
		if oid, err := s.Checkout.Repo.Resolve(ctx, n+"^{commit}"); n != "" && err == nil {
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
	r := w.site.Checkout.Repo
	head, err := r.Resolve(ctx, "refs/heads/"+w.site.Checkout.Branch)
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
func (s *Runner) fullName(ctx context.Context, name, commit string) string {
	for _, in := range []string{"refs/tags/", "refs/heads/", "refs/remotes/"} { // git's order
		if oid, err := s.Checkout.Repo.Resolve(ctx, in+name+"^{commit}"); err == nil && oid == commit {
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

// workedOn reports whether a ref is a plan, or a branch with one, on which another git plan is working.
func (s *Runner) workedOn(ref string) bool {
	id, ok := strings.CutPrefix(ref, journal.RefPrefix)
	if branch, isBranch := strings.CutPrefix(ref, "refs/heads/"); isBranch {
		id, ok = s.Checkout.Config.Get(integrity.PlanKey(branch))
	}
	if !ok {
		return false
	}
	h, busy := journal.Working(s.Checkout.Repo, id)
	return busy && h.PID != os.Getpid()
}
