package wire

import (
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
)

// TestWindows: what a server says about its model's context, each in its way,
// and that it is asked only when it matters, and once.
func TestWindows(t *testing.T) {
	for name, c := range map[string]struct {
		path, body string
		window     int
	}{
		"vLLM":            {"/v1/models", `{"data":[{"id":"other","max_model_len":1000},{"id":"m","max_model_len":65536}]}`, 65536},
		"OpenRouter":      {"/v1/models", `{"data":[{"id":"m","context_length":200000}]}`, 200000},
		"Ollama":          {"/api/ps", `{"models":[{"name":"m:latest","context_length":40960}]}`, 40960},
		"llama.cpp":       {"/props", `{"default_generation_settings":{"n_ctx":49152}}`, 49152},
		"not this model":  {"/v1/models", `{"data":[{"id":"other","max_model_len":65536}]}`, LocalWindow},
		"nonsense":        {"/v1/models", `{"data":[{"id":"m","max_model_len":-5}]}`, LocalWindow},
		"not even JSON":   {"/props", `<html>`, LocalWindow},
		"nothing at all":  {"", "", LocalWindow},
		"an absurd claim": {"/props", `{"default_generation_settings":{"n_ctx":1e12}}`, LocalWindow},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var asked atomic.Int32
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if asked.Add(1); r.URL.Path != c.path || r.Header.Get("Authorization") != "Bearer "+"sk-test-0123456789" {
					http.NotFound(w, r)
					return
				}
				_, _ = io.WriteString(w, c.body)
			}))
			defer srv.Close()
			e := opened(t, srv.URL, nil)
			for range 2 {
				if n := e.AskWindow(t.Context(), "m"); n != c.window || e.WindowOf("m") != c.window {
					t.Errorf("window %d, want %d", n, c.window)
				}
				if n := asked.Load(); n > 3 {
					t.Errorf("it was asked %d times", n)
				}
			}
		})
	}
}
