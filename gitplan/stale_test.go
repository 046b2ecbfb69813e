package gitplan

import (
	"testing"

	"github.com/git-plan/git-plan/gitplan/journal"
)

// Whoever does a step learns which of its files others changed since the plan was made; what the
// plan's own commits did, and what takes these back, is no news.
func TestAStepIsStale(t *testing.T) {
	w := newWalker(t, "- [ ] Make a {#a}\n  - Files: a.txt\n- [ ] Make b {#b}\n  - Files: a.txt, `docs/**`\n", "echo $GIT_PLAN_STEP >>a.txt")
	w.steps("")
	w.Git("revert", "--no-edit", "HEAD")
	w = again(w.World)
	w.steps("a")
	w.Commit("docs/ä.md", "hers\n")
	w.Commit("docs/ä.md", "hers again\n")
	w.Commit("other.txt", "hers\n")
	short := w.Git("rev-parse", "--short", "HEAD^")
	w = again(w.World)
	w.steps("b")
	if said := w.Said(journal.StepNote); said != "docs/ä.md changed since the plan was made, by "+short+" Change docs/ä.md" {
		t.Errorf("it said %q", said)
	}
}

// A person's own commits between next and done are the plan's.
func TestCommitsByHandAreNotForeign(t *testing.T) {
	w := newWalker(t, "- [ ] Make a {#a}\n- [ ] Make b {#b}\n  - Files: a.txt\n", "echo b >>a.txt").next("")
	w.Commit("a.txt", "a\n")
	_, _, err := w.Done(t.Context(), "")
	w.Fine(err)
	w = again(w.World)
	w.steps("b")
	if said := w.Said(journal.StepNote); said != "" {
		t.Errorf("it said %q", said)
	}
}
