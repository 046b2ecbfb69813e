package gitplan

import (
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/progress"
	"github.com/git-plan/git-plan/testdata/texts"
)

// Whoever does a step is told which of its files others changed since the plan was made; what the
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

// The graph has a line for each step, with what it needs; titles are quoted for Mermaid.
func TestGraph(t *testing.T) {
	p, err := plan.Parse([]byte(texts.Steps("- [ ] Say \"`x`\" <b> {#a}\n- [ ] Then b {#b}\n  - Needs: #a\n- [ ] Last {#c}\n  - Needs: #a, #b\n")))
	if err != nil {
		t.Fatal(err)
	}
	at := &progress.Progress{Steps: map[string]progress.StepState{"a": {State: "done"}, "b": {State: "blocked"}, "c": {State: "open"}}}
	if got := Graph(p, at); got != "  1  done      a\n  2  blocked   b <- a\n  3  open      c <- a, b\n" {
		t.Errorf("the graph is\n%s", got)
	}
	got := Mermaid(p, at)
	for _, line := range []string{"flowchart TD\n", `n1["1. Say ''x'' (b)"]:::done`, `n2["2. Then b"]:::blocked`, "n1 --> n2\n", "n1 --> n3\n", "n2 --> n3\n"} {
		if !strings.Contains(got, line) {
			t.Errorf("it lacks %q:\n%s", line, got)
		}
	}
}
