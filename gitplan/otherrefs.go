package gitplan

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/git"
)

// baseCommit is what the work is compared with; empty where there is nothing, where
// it is the branch itself, or is named by its distance from something that may move.
func (w *Worker) baseCommit(ctx context.Context) (name, commit string) {
	given := ""
	if w.Doc != nil {
		given = w.Doc.Plan.Base
	}
	name, err := w.Base(ctx, given)
	if err != nil || name == "" || w.OnBase(name) || name == "HEAD" || strings.ContainsAny(name, "~^:") || strings.Contains(name, "@{") {
		return "", ""
	}
	if commit, err = w.Repo.Resolve(ctx, name+"^{commit}"); err != nil {
		return "", ""
	}
	return name, commit
}

// baseTook says that the base has commits of this branch that it did not have when
// the task began: a review, which judges what the base has not, would not see them.
// A base that only went on, as by a fetch, has none.
func (w *Worker) baseTook(ctx context.Context, was string) (string, error) {
	name, now := w.baseCommit(ctx)
	if was == "" || now == "" || now == was {
		return "", nil
	}
	head, err := w.Repo.Resolve(ctx, "refs/heads/"+w.Branch)
	if errors.Is(err, git.ErrMissing) && w.before != nil {
		head, err = w.before.Head, nil
	}
	if err != nil || head == "" {
		return "", err
	}
	shared, err := w.Repo.MergeBase(ctx, now, head)
	if errors.Is(err, git.ErrMissing) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	if had, err := w.Repo.IsAncestor(ctx, shared, was); had || err != nil {
		return "", err
	}
	ref := name
	for _, in := range []string{"refs/tags/", "refs/heads/", "refs/remotes/"} { // git's order
		if oid, err := w.Repo.Resolve(ctx, in+name+"^{commit}"); err == nil && oid == now {
			ref = in + name
			break
		}
	}
	return fmt.Sprintf("the base %s, which has commits of this branch now (%s puts it back)", oneLine(name, 200), setRef(ref, was)), nil
}

// setRef is the command by which a person sets a ref.
func setRef(ref, oid string) string {
	if branch, ok := strings.CutPrefix(ref, "refs/heads/"); ok {
		return fmt.Sprintf("git branch -f %s %.10s", oneLine(branch, 200), oid)
	}
	return fmt.Sprintf("git update-ref %s %.10s", oneLine(ref, 200), oid)
}

// refsChanged names the branches, tags and stashes that changed during a session. They
// are told, never restored: somebody else may have changed them meanwhile, as
// whoever works on the plan of another branch does.
func (w *Worker) refsChanged(before git.RefsAt) []string {
	own := "refs/heads/" + w.Branch
	return w.Repo.RefsChanged(before, func(ref string) bool {
		return ref == own || strings.HasPrefix(ref, refPrefix) || strings.HasPrefix(ref, attemptPrefix) || strings.HasPrefix(ref, "refs/plan-remotes/") || w.workedOn(ref)
	})
}

// otherRefs tells of them.
func otherRefs(changed []string) []string {
	if len(changed) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("refs changed during the session: %s", oneLine(strings.Join(changed, ", "), 400))}
}

// committedOn says on which other branches the session itself committed, and how they
// are put back: their logs tell it from what a person did meanwhile. One that is
// as new as the session has no place to go back to.
func (w *Worker) committedOn(ctx context.Context, changed []string) string {
	var back []string
	for _, ref := range changed {
		if !strings.HasPrefix(ref, "refs/heads/") {
			continue
		}
		log := w.reflog(ctx, ref)
		was := slices.IndexFunc(log, func(e logged) bool { return !strings.HasPrefix(e.said, reflogMark+w.own.Session) })
		if was > 0 && log[was].seconds < w.own.Began.Unix() {
			back = append(back, fmt.Sprintf("%s (%s puts it back)", oneLine(strings.TrimPrefix(ref, "refs/heads/"), 200), setRef(ref, log[was].oid)))
		}
	}
	if len(back) == 0 {
		return ""
	}
	return "the session committed on " + oneLine(strings.Join(back, ", "), 400)
}

// workedOn reports whether a ref is a branch on whose plan another git plan works now.
func (w *Worker) workedOn(ref string) bool {
	branch, _ := strings.CutPrefix(ref, "refs/heads/")
	id, ok := w.Config.Get(planKey(branch))
	if !ok {
		return false
	}
	h, busy := Working(w.Repo, id)
	return busy && h.PID != os.Getpid()
}
