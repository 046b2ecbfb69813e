package site

import (
	"context"
	"fmt"
	"strings"

	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/setup"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// Watch is what a session, or what its work runs, must leave alone, as it was before.
type Watch struct {
	setup.Setup
	site   *Site
	scene  setup.Scene
	refs   git.RefsAt
	head   string            // of the branch
	bases  map[string]string // by name: what the work is compared with
	beside map[string]bool   // branches that another git plan works on, which it may have left since
	record *setup.Record
}

// Watch remembers the set-up as it is.
func (s *Site) Watch(at setup.Scene) *Watch {
	return &Watch{Setup: at.Read(s.Now()), site: s, scene: at}
}

// Session also remembers the refs, before a session at a task that begins at a commit, and notes
// for the next command that it is at work.
func (w *Watch) Session(ctx context.Context, task, session, head string) (err error) {
	w.refs, w.head, w.bases = w.site.Repo.RefsNow(), head, w.site.Bases(ctx)
	w.beside = map[string]bool{}
	for branch := range w.site.Attached() {
		w.beside["refs/heads/"+branch] = w.site.workedOn("refs/heads/" + branch)
	}
	w.record, err = w.scene.Record(ctx, &w.Setup, task, session)
	return err
}

// Changed names what of the set-up changed; see setup.Scene.Changed.
func (w *Watch) Changed(ctx context.Context) (out []string, lost bool, err error) {
	return w.scene.Changed(ctx, w.Setup)
}

// GrantedMeanwhile reports which other plans were approved, and which verdicts written.
func (w *Watch) GrantedMeanwhile() []string { return w.scene.GrantedMeanwhile(w.Setup) }

// End returns what changed until the session's work was settled; see setup.Scene.End.
func (w *Watch) End(ctx context.Context) (changed, moved []string, err error) {
	return w.scene.End(ctx, w.record)
}

// Remove forgets that a session was at work.
func (w *Watch) Remove() { w.record.Remove() }

// RefsChanged names the branches, tags and stashes that changed during a session. They
// are reported, never restored: somebody else may have changed them meanwhile, as
// whoever works on the plan of another branch does.
func (w *Watch) RefsChanged() []string {
	own := "refs/heads/" + w.site.Branch
	return w.site.Repo.RefsChanged(w.refs, func(ref string) bool {
		return ref == own || setup.OfPlans(ref) || w.beside[ref] || w.site.workedOn(ref)
	})
}

// OtherRefs reports them.
func OtherRefs(changed []string) []string {
	if len(changed) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("refs changed during the session: %s", visible.OneLine(strings.Join(changed, ", "), 400))}
}
