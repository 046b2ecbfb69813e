package planner

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/prompt"
)

// What speaks against a plan is counted: missed requirements before weaknesses, these before a
// longer way. Steps that need each other follow each other, the others can be done at once.
func TestScoresOfPlans(t *testing.T) {
	const required = "## Requirements\n\n- R1: in\n- R2: out\n\n## Steps\n\n"
	for name, tt := range map[string]struct {
		text string
		weak []plan.Weakness
		want Score
	}{
		"a chain":           {"## Steps\n\n- [ ] A {#a}\n- [ ] B {#b}\n- [ ] C {#c}\n", nil, Score{Steps: 3, Deep: 3, Wide: 1}},
		"side by side":      {"## Steps\n\n- [ ] A {#a}\n- [ ] B {#b}\n  - Needs: #a\n- [ ] C {#c}\n  - Needs: #a\n", nil, Score{Steps: 3, Deep: 2, Wide: 2}},
		"needs a later one": {"## Steps\n\n- [ ] A {#a}\n  - Needs: #b\n- [ ] B {#b}\n  - Needs: none\n", nil, Score{Steps: 2, Deep: 2, Wide: 1}},
		"covered":           {required + "- [ ] A {#a}\n  - For: R1, R2\n", nil, Score{Required: 2, Steps: 1, Deep: 1, Wide: 1}},
		"missed": {required + "- [ ] A {#a}\n  - For: R1\n", []plan.Weakness{{Rule: "requirement"}, {Rule: "vague"}, {Rule: "same-model"}, {Rule: "size", Note: true}},
			Score{Weak: 1, Uncovered: 1, Required: 2, Steps: 1, Deep: 1, Wide: 1}},
	} {
		p, err := plan.Parse([]byte("# T\n\n" + tt.text))
		if err != nil {
			t.Fatal(name, err)
		}
		if got := ScoreOf(p, tt.weak); got != tt.want {
			t.Errorf("%s: %+v, want %+v", name, got, tt.want)
		}
	}
	list := []Candidate{{N: 1, Score: Score{Uncovered: 1, Steps: 1, Deep: 1}}, {N: 2, Score: Score{Weak: 2, Steps: 2, Deep: 2}}, {N: 3, Score: Score{Weak: 2, Steps: 3, Deep: 1}}}
	if best := Best(list); best.N != 2 {
		t.Errorf("the best is %d", best.N)
	}
}

// What only one of several plans names is what they differ in.
func TestWhatOnlyOnePlanNames(t *testing.T) {
	var list []Candidate
	for i, text := range []string{
		"- [ ] A {#a}\n  - Files: `a.go`, `b.go`\n  - Check: `make`\n",
		"- [ ] A {#a}\n  - Files: `b.go`\n  - Check: `make`; `go vet`\n",
	} {
		p, err := plan.Parse([]byte("# T\n\n## Steps\n\n" + text))
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, Candidate{N: i + 1, Plan: p})
	}
	for i, want := range []string{"a.go|", "|go vet"} {
		files, commands := list[i].Own(list)
		if got := strings.Join(files, " ") + "|" + strings.Join(commands, " "); got != want {
			t.Errorf("only in %d: %s, want %s", i+1, got, want)
		}
	}
}

// Each candidate's endpoint is asked at its own temperature, which is kept with the plan.
func TestCandidatesAtTemperatures(t *testing.T) {
	var mu sync.Mutex
	var asked []string
	model := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var q struct{ Temperature *float64 }
		_ = json.NewDecoder(r.Body).Decode(&q)
		mu.Lock()
		defer mu.Unlock()
		asked = append(asked, fmt.Sprint(*q.Temperature))
		_ = json.NewEncoder(w).Encode(map[string]any{"choices": []any{map[string]any{"finish_reason": "tool_calls", "message": map[string]any{"role": "assistant",
			"tool_calls": []any{map[string]any{"id": "c", "type": "function", "function": map[string]any{"name": "submit_plan",
				"arguments": `{"plan":"# T\n\n## Steps\n\n- [ ] A {#a}\n  - Check: ` + "`true`" + `\n"}`}}}}}}})
	}))
	defer model.Close()
	d := newDesk(t, "", "exit 1")
	d.Set("plan.agent", "e", "planAgent.e.baseURL", model.URL+"/v1", "planAgent.e.model", "m", "plan.attempts", "1")
	d = again(d.World)
	c := &Candidates{Worker: d.Worker, Planning: prompt.Planning{Goal: "serve"}, At: []float64{0, 1.25}}
	list, err := c.Make(t.Context(), 2, func(_ Candidate, err error) { d.Fine(err) })
	d.Fine(err)
	slices.Sort(asked)
	if len(list) != 2 || *list[0].At != 0 || *list[1].At != 1.25 || strings.Join(asked, " ") != "0 1.25" {
		t.Errorf("asked at %v: %+v", asked, list)
	}
}
