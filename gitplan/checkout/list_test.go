package checkout

import (
	"fmt"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/integrity"
	"github.com/git-plan/git-plan/gitplan/journal"
)

// The list contains every plan of the repository, with its branch and next command.
func TestPlans(t *testing.T) {
	w := newWorld(t)
	ids := map[string]string{}
	for _, name := range []string{"fresh", "approved", "blocked", "working", "complete", "renamed", "gone", "replaced"} {
		w.git("switch -q -c " + name + " main")
		ids[name] = w.planWith(twoSteps)
		c := w.load()
		switch name {
		case "blocked":
			fine(t, c.Revise(t.Context(), []byte(strings.Replace(string(c.Doc.Plan.Source), "{#a}\n", "{#a}\n  - Status: blocked - no key\n", 1))))
		case "complete":
			w.does("a")
			w.does("b")
			c = w.load()
		}
		if name != "fresh" {
			fine(t, integrity.Approve(c.Repo, ids[name], c.Doc.Plan.Source))
		}
	}
	w.git("branch -m renamed other", "branch -q -D gone", "config branch.replaced.plan "+ids["fresh"])
	c := w.open()
	lock, err := journal.Acquire(c.Repo, ids["working"], "step")
	fine(t, err)
	defer lock.Release()

	plans, err := c.Plans(t.Context())
	fine(t, err)
	got := map[string]string{}
	for _, p := range plans {
		got[p.ID] = strings.TrimSuffix(fmt.Sprintf("%s: %s %d/%d, %s", p.Branch, p.State, p.Done, p.Total, p.Unattached), ", ")
	}
	for name, want := range map[string]string{
		"fresh": "fresh: unapproved 0/2", "approved": "approved: open 0/2",
		"blocked": "blocked: blocked 0/2", "working": "working: running 0/2",
		"complete": "complete: done 2/2", "renamed": "other: open 0/2",
		"gone": "gone: open 0/2, is gone", "replaced": "replaced: open 0/2, has another plan",
	} {
		if got[ids[name]] != want {
			t.Errorf("%s: got %q, want %q", name, got[ids[name]], want)
		}
	}
	if len(plans) != len(ids) {
		t.Errorf("%d plans, want %d", len(plans), len(ids))
	}
}

// For a plan whose branch exists only at a remote, the remote is named.
func TestPlanAtARemote(t *testing.T) {
	w := newWorld(t)
	id := w.plan()
	w.git("switch -q main")
	clone := w.clone("main")
	plans, err := clone.open().Plans(t.Context())
	fine(t, err)
	if len(plans) != 1 || plans[0].ID != id || plans[0].Unattached != "is at origin" || plans[0].State != "unapproved" {
		t.Errorf("got %+v", plans)
	}
	if got := clone.open().AtRemotes(t.Context()); got["work"] != "origin" || got["main"] != "origin" {
		t.Errorf("at remotes: %v", got)
	}
}
