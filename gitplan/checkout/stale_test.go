package checkout

import (
	"context"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/plan"
)

// What somebody else changed of a step's files since the plan was made is named with the commit;
// commits for steps, and what reverts these, are no news.
func TestStale(t *testing.T) {
	w := newWorld(t)
	w.planWith("- [ ] Make a {#a}\n  - Files: a.txt\n- [ ] Make b {#b}\n  - Files: a.txt, `docs/**`\n- [ ] Make c {#c}\n")
	w.does("a")
	w.git("revert --no-edit HEAD")
	if got := steps(w.load()); len(got) != 0 {
		t.Errorf("before: %v", got)
	}
	w.commit("docs/ä.md", "hers\n")
	w.commit("docs/ä.md", "hers again\n")
	short := w.git("rev-parse --short HEAD")
	w.commit("other.txt", "hers\n")
	got := steps(w.load())
	if len(got) != 1 || len(got["b"]) != 1 || !strings.HasPrefix(got["b"][0], "docs/ä.md changed since the plan was made, by "+short+" ") {
		t.Errorf("stale: %v", got)
	}
}

// steps returns what is stale of all steps of a plan.
func steps(c *Checkout) map[string][]string {
	var all []*plan.Step
	for i := range c.Doc.Plan.Steps {
		all = append(all, &c.Doc.Plan.Steps[i])
	}
	return c.Stale(context.Background(), all...)
}

// A commit is the plan's by its trailers, and by those of this plan only.
func TestOfPlan(t *testing.T) {
	for message, want := range map[string]bool{
		"Do it\n\nPlan-Step: p-1/a":   true,
		"Do it\n\nPlan-Review: p-1/2": true,
		"Do it\n\nPlan-Step: p-2/a":   false,
		"Plan-Stepped: p-1/a":         false,
		"":                            false,
	} {
		if got := ofPlan("p-1", message); got != want {
			t.Errorf("%q: %t", message, got)
		}
	}
}
