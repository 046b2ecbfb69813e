package agent

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestReach: what git plan doctor --online tells of an endpoint.
func TestReach(t *testing.T) {
	for want, handler := range map[string]http.HandlerFunc{
		"": func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/v1/models" || r.Header.Get("Authorization") != "Bearer secret" {
				w.WriteHeader(http.StatusUnauthorized)
			}
		},
		"not authorised (HTTP 401)":      func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusUnauthorized) },
		"the endpoint failed (HTTP 502)": func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusBadGateway) },
		"HTTP 418":                       func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusTeapot) },
	} {
		server := httptest.NewServer(handler)
		o, err := NewOpenAI(OpenAI{BaseURL: server.URL + "/v1", Model: "m", Key: "secret"})
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if err := o.Reach(t.Context()); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
		server.Close()
		if err := o.Reach(t.Context()); err == nil || !strings.HasPrefix(err.Error(), "the endpoint cannot be reached") || strings.Contains(err.Error(), "secret") {
			t.Errorf("a server that is gone: %v", err)
		}
	}
}
