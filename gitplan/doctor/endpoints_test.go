package doctor

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// Model servers are contacted for reachability and with the key, and each result has the command that helps.
func TestModelServersAreAsked(t *testing.T) {
	asked, unlisted := 0, http.StatusUnauthorized
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		if r.URL.Path != "/v1/models" || r.Header.Get("Authorization") != "Bearer right" {
			w.WriteHeader(unlisted)
			return
		}
		_, _ = w.Write([]byte(`{"data":[{"id":"fake-1"},{"id":"fake-2"}]}`))
	}))
	w := newWorld(t)
	base := server.URL + "/v1"
	set := "git config planAgent.local."
	w.git("config plan.agent local", "config planAgent.local.baseURL "+base, "config planAgent.local.model fake-1", "config planAgent.local.apiKeyEnv KK")
	ask := func() []Symptom { return ExamineEndpoints(t.Context(), w.open()) }
	t.Setenv("KK", "right")
	says(t, ask(), "endpoint", "ok asked "+base+": it has fake-1")
	if asked != 1 {
		t.Errorf("it was asked %d times", asked)
	}
	w.git("config planAgent.local.model other")
	says(t, ask(), "endpoint", "WRONG asked "+base+`: not found: it lists no model "other" => it has fake-1, fake-2: `+set+"model fake-1")
	w.git("config planAgent.local.model fake-1", "config plan.planner.model fake-2", "config planAgent.local.baseURL "+server.URL)
	says(t, ask(), "endpoint", "WRONG asked "+server.URL+": not authorised (HTTP 401) => put a valid key for 127.0.0.1 in the environment: export KK=KEY")
	unlisted = http.StatusNotFound
	says(t, ask(), "endpoint", "WRONG asked "+server.URL+": not found: it lists no models at this base URL => "+base+" lists models: "+set+"baseURL "+base)
	w.git("config --unset plan.planner.model", "config planAgent.local.baseURL "+server.URL+"/v2")
	says(t, ask(), "endpoint", "- asked "+server.URL+"/v2: it answers; whether it has fake-1, a session shows")
	w.git("config planAgent.local.baseURL " + base)
	unlisted = http.StatusUnauthorized
	t.Setenv("KK", "wrong")
	says(t, ask(), "endpoint", "WRONG asked "+base+": not authorised (HTTP 401) => put a valid key for 127.0.0.1 in the environment: export KK=KEY")
	server.Close()
	host := strings.TrimPrefix(server.URL, "http://")
	says(t, ask(), "endpoint", "WRONG asked "+base+": the endpoint cannot be reached: "+host+": connection refused (is the model server running?) => if its address is wrong: "+set+"baseURL URL")

	// Without a key in the environment no server is contacted, and the agents report that.
	t.Setenv("KK", "")
	says(t, ask(), "endpoint")
}

// A key is sent only to its own host.
func TestNoKeyFollowsARedirect(t *testing.T) {
	var got string
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got += r.Header.Get("Authorization") }))
	defer elsewhere.Close()
	server := httptest.NewServer(http.RedirectHandler(elsewhere.URL+"/v1/models", http.StatusTemporaryRedirect))
	defer server.Close()
	w := newWorld(t)
	w.git("config plan.agent local", "config planAgent.local.baseURL "+server.URL+"/v1", "config planAgent.local.model m", "config planAgent.local.apiKeyEnv KK")
	t.Setenv("KK", "secret")
	says(t, ExamineEndpoints(t.Context(), w.open()), "endpoint", "WRONG asked "+server.URL+"/v1: the endpoint redirects elsewhere, and no key follows: ...")
	if got != "" {
		t.Errorf("it went to %s", elsewhere.URL)
	}
}
