package builtin

import (
	"net/http"
	"testing"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/agent/model"
	"github.com/git-plan/git-plan/gitplan/agent/script"
	"github.com/git-plan/git-plan/testdata/contract"
)

// TestAnswersAsText: a planner that prints its plan, or a reviewer that prints its answer, has answered.
func TestAnswersAsText(t *testing.T) {
	for role, c := range map[agent.Role][2]string{
		agent.Planner:  {"Here it is:\n\n```markdown\n# Count\n\n## Steps\n\n- [ ] **One** {#one}\n```\nRun `make` first.", "# Count\n\n## Steps\n\n- [ ] **One** {#one}\n"},
		agent.Reviewer: {"```json\n{\"covered\": [\"a\"], \"findings\": [],}\n```", `{"covered":["a"],"findings":[],"nonce":"n0nce"}`},
		agent.Verifier: {`<tool_call>{"name": "submit_answers", "arguments": {"answers": []}}</tool_call>`, `{"answers":[],"nonce":"n0nce"}`},
	} {
		server := serve(t, script.Script{Lanes: []script.Lane{{Role: role, Turns: []script.Turn{{Say: c[0]}}}}})
		a, err := New(Agent{Endpoint: model.Endpoint{BaseURL: server.URL(), FirstDelay: time.Microsecond}, Model: "m"})
		if err != nil {
			t.Fatal(err)
		}
		if got := a.Run(t.Context(), contract.Session(t, role, "x")); got.Status != agent.Done || got.Answer != c[1] {
			t.Errorf("%s: %s %q, %q", role, got.Status, got.Reason, got.Answer)
		}
	}
}

// TestRefusalsInTheMiddle: a refusal at the beginning means that the agent cannot be used as it is set up; a
// later one fails the session.
func TestRefusalsInTheMiddle(t *testing.T) {
	odd := script.Fault{Status: http.StatusBadRequest, Body: `{"error":{"message":"tokens: too many of them here"}}`}
	print := calling("run_command", `{"command":"seq 2000"}`)
	end := done()
	end.Faults = []script.Fault{odd}
	contract.Want(t, converse(t, nil, print, print, print, print, end), agent.Failed, "tokens: too many")
	contract.Want(t, converse(t, nil, script.Turn{Faults: []script.Fault{odd}}), agent.Unusable, "tokens: too many")
}
