package doctor

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// A model server is asked whether it is there and takes the key, and each answer
// comes with the command that helps.
func TestModelServersAreAsked(t *testing.T) {
	asked := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		if r.URL.Path != "/v1/models" || r.Header.Get("Authorization") != "Bearer right" {
			w.WriteHeader(http.StatusUnauthorized)
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
	says(t, ask(), "endpoint", "ok "+base+" answers")
	if asked != 1 {
		t.Errorf("it was asked %d times", asked)
	}
	t.Setenv("KK", "wrong")
	says(t, ask(), "endpoint", "WRONG "+base+": not authorised (HTTP 401) => put a valid key for 127.0.0.1 in the environment: export KK=KEY")
	server.Close()
	host := strings.TrimPrefix(server.URL, "http://")
	says(t, ask(), "endpoint", "WRONG "+base+": the endpoint cannot be reached: "+host+": connection refused (is the model server running?) => "+set+"baseURL URL")

	// No key is in the environment: nothing is asked, and the agents say so.
	t.Setenv("KK", "")
	says(t, ask(), "endpoint")
}

// A key goes to no host but its own.
func TestNoKeyFollowsARedirect(t *testing.T) {
	var got string
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got += r.Header.Get("Authorization") }))
	defer elsewhere.Close()
	server := httptest.NewServer(http.RedirectHandler(elsewhere.URL+"/v1/models", http.StatusTemporaryRedirect))
	defer server.Close()
	w := newWorld(t)
	w.git("config plan.agent local", "config planAgent.local.baseURL "+server.URL+"/v1", "config planAgent.local.model m", "config planAgent.local.apiKeyEnv KK")
	t.Setenv("KK", "secret")
	says(t, ExamineEndpoints(t.Context(), w.open()), "endpoint", "WRONG "+server.URL+"/v1: the endpoint redirects elsewhere, and no key follows: ...")
	if got != "" {
		t.Errorf("it went to %s", elsewhere.URL)
	}
}
