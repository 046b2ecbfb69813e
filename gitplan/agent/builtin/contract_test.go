package builtin

import (
	"testing"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/agent/model"
	"github.com/git-plan/git-plan/gitplan/agent/script"
	"github.com/git-plan/git-plan/testdata/contract"
)

const recording = "../../../testdata/models/contract.json"

// TestContract: with a model, and with a recording in place of one, it passes the contract of all agents.
func TestContract(t *testing.T) {
	for name, open := range map[string]func(*testing.T) agent.Agent{
		"model": openModel, "replay": openReplay,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			contract.Play(t, open)
		})
	}
}

func openModel(t *testing.T) agent.Agent {
	recorded, err := script.Read(recording)
	if err != nil {
		t.Fatal(err)
	}
	server := serve(t, recorded)
	a, err := New(Agent{Endpoint: model.Endpoint{BaseURL: server.URL(), Key: contract.Key, Wait: time.Minute, FirstDelay: time.Millisecond}, Model: "m"})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func openReplay(t *testing.T) agent.Agent {
	r, err := NewReplay("replay", recording)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.recorded.Close() })
	return r
}

func serve(t *testing.T, s script.Script) *script.Server {
	t.Helper()
	server, err := script.Serve(s)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	return server
}
