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
		"HTTP 418":                       func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusTeapot) },
	} {
		server := httptest.NewServer(handler)
		o := opened(t, server.URL, func(e *Endpoint) { e.Key = "secret" })
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

// Azure takes the key in a header of its own, whatever is asked.
func TestTheKeyGoesWhereTheEndpointWantsIt(t *testing.T) {
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
