package model

import (
	"net/http/httptest"
	"testing"
)

// The hint of a fault is a whole command, with the endpoint's own values.
func TestRemedies(t *testing.T) {
	lists := httptest.NewServer(answering(200, "application/json", `{"data":[{"id":"fake-1"},{"id":"fake 2"}]}`))
	defer lists.Close()
	silent := httptest.NewServer(answering(404, "text/plain", ""))
	defer silent.Close()
	for _, c := range []struct {
		name, server, variable, model string
		status                        int
		want                          string
	}{
		{"a wrong key", silent.URL, "KK", "m", 401, "put a valid key for 127.0.0.1 in the environment: export KK=KEY"},
		{"no key", silent.URL, "", "m", 401, "name the variable that has its key: git config planAgent.local.apiKeyEnv VARIABLE"},
		{"no quota", silent.URL, "", "m", 402, "add credit, or name an agent to use instead: git config plan.executor.fallback AGENT"},
		{"no such model", lists.URL, "", "fake", 404, "it has fake-1, fake 2: git config planAgent.local.model fake-1"},
		{"an available model", lists.URL, "", "fake-1", 404, "check the name of the model and the base URL, which usually ends in /v1: git config planAgent.local.baseURL URL"},
		{"no list", silent.URL, "", "fake", 404, "check the name of the model and the base URL, which usually ends in /v1: git config planAgent.local.baseURL URL"},
		{"a temporary error", lists.URL, "", "m", 429, ""},
	} {
		e := opened(t, c.server, func(e *Endpoint) { e.AgentName, e.KeyVariable = "local", c.variable })
		if got := e.Hint(t.Context(), refused(c.status, nil), c.model); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
