package model

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestReach: what git plan doctor reports of an endpoint.
func TestReach(t *testing.T) {
	for want, handler := range map[string]http.HandlerFunc{
		"": func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/v1/models" || r.Header.Get("Authorization") != "Bearer secret" {
				w.WriteHeader(http.StatusUnauthorized)
			}
		},
		"not authorised (HTTP 401)":      func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusUnauthorized) },
		"the endpoint failed (HTTP 502)": func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusBadGateway) },
		"request refused (HTTP 418)":     func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusTeapot) },
	} {
		server := httptest.NewServer(handler)
		o := opened(t, server.URL, func(e *Endpoint) { e.Key = "secret" })
		got := ""
		if _, err := o.Reach(t.Context(), "m"); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
		server.Close()
		if _, err := o.Reach(t.Context(), "m"); err == nil || !strings.HasPrefix(err.Error(), "the endpoint cannot be reached") || strings.Contains(err.Error(), "secret") {
			t.Errorf("a stopped server: %v", err)
		}
	}
}

// A model is found under the names that the endpoint's server accepts; an endpoint without a list may have it
// all the same.
func TestModelsOfAnEndpoint(t *testing.T) {
	for _, c := range []struct{ model, list, want string }{
		{"fake-1", `{"data":[{"id":"fake-1"}]}`, "true"},
		{"qwen", `{"data":[{"id":"qwen:latest"}]}`, "true"},
		{"gemini-3", `{"data":[{"id":"models/gemini-3"}]}`, "true"},
		{"a/b:free", `{"data":[{"id":"a/b"}]}`, "true"},
		{"any", `{"data":[{"id":"/m/q.gguf","owned_by":"llamacpp"}]}`, "true"},
		{"openai/x", `{"data":[{"id":"openai/*"}]}`, "true"},
		{"qwen:30b", `{"data":[{"id":"qwen:8b"}]}`, `false not found: it lists no model "qwen:30b"`},
		{"m", `{"error":"Unexpected endpoint or method. (GET /models)"}`, "false"},
	} {
		server := httptest.NewServer(answering(200, "application/json", c.list))
		lists, err := opened(t, server.URL, func(*Endpoint) {}).Reach(t.Context(), c.model)
		got := fmt.Sprint(lists)
		if err != nil {
			got += " " + err.Error()
		}
		if got != c.want {
			t.Errorf("%s in %s: %s, want %s", c.model, c.list, got, c.want)
		}
		server.Close()
	}
}

// Azure gets the key in a header of its own, in every request.
func TestHeaderOfTheKey(t *testing.T) {
	for base, want := range map[string]string{
		"https://example.com/v1":                          "map[Authorization:[Bearer secret]]",
		"https://mine.openai.azure.com/openai/v1":         "map[Api-Key:[secret]]",
		"https://mine.services.ai.azure.com/openai/v1":    "map[Api-Key:[secret]]",
		"https://openai.azure.com.example.com/openai/v1/": "map[Authorization:[Bearer secret]]",
	} {
		header := http.Header{}
		(&Endpoint{BaseURL: base, Key: "secret"}).authorise(header)
		if got := fmt.Sprint(header); got != want {
			t.Errorf("%s: %s, want %s", base, got, want)
		}
	}
}
