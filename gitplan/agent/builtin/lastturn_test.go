package builtin

import (
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/agent/model"
	"github.com/git-plan/git-plan/gitplan/agent/script"
	"github.com/git-plan/git-plan/testdata/contract"
)

// On its last turn, and only then, a model must call the tool that ends sessions of its role.
func TestTheLastTurnEndsTheSession(t *testing.T) {
	for role, want := range map[agent.Role]string{agent.Executor: "finish", agent.Fixer: "finish",
		agent.Planner: "submit_plan", agent.Reviewer: "submit_review", agent.Verifier: "submit_answers"} {
		look := calling("list_files", `{}`)
		server := serve(t, script.Script{Lanes: []script.Lane{{Role: role, Turns: []script.Turn{look, look, look}}}})
		var log asked
		srv := httptest.NewServer(log.in(server.ServeHTTP))
		defer srv.Close()
		a, err := New(Agent{Endpoint: model.Endpoint{BaseURL: srv.URL, FirstDelay: time.Microsecond}, Model: "m"})
		if err != nil {
			t.Fatal(err)
		}
		s := contract.Session(t, role, "x")
		s.MaxTurns = 3
		r := a.Run(t.Context(), s)
		if r.Status != agent.Failed || !r.Unsaid || len(log.bodies) != 3 {
			t.Fatalf("%s: %+v after %d requests", role, r, len(log.bodies))
		}
		for i, body := range log.bodies {
			if named := strings.Contains(body, `"tool_choice":{"function":{"name":"`+want+`"}`); named != (i == 2) {
				t.Errorf("%s, turn %d: %s is forced: %v", role, i+1, want, named)
			}
		}
	}
}
