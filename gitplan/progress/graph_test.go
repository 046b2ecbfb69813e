package progress

import (
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/testdata/texts"
)

// The graph has a line for each step, with what it needs; titles are quoted for Mermaid.
func TestGraph(t *testing.T) {
	p, err := plan.Parse([]byte(texts.Steps("- [ ] Say \"`x`\" <b> {#a}\n- [ ] Then b {#b}\n  - Needs: #a\n- [ ] Last {#c}\n  - Needs: #a, #b\n")))
	if err != nil {
		t.Fatal(err)
	}
	at := &Progress{Steps: map[string]StepState{"a": {State: "done"}, "b": {State: "blocked"}, "c": {State: "open"}}}
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
