package model

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/agent/script"
)

// TestModelsWithMarks: those that cache nothing else, by the names of their models.
func TestModelsWithMarks(t *testing.T) {
	for of, want := range map[[3]string]string{
		{"https://api.openai.com/v1", "gpt-5.6", apiResponses}:                     breakpoint,
		{"https://api.openai.com/v1", "gpt-6-mini", apiChat}:                       breakpoint,
		{"https://one.openai.azure.com/openai/v1", "gpt-5.12-codex", apiResponses}: breakpoint,
		{"https://api.openai.com/v1", "gpt-5.5", apiResponses}:                     "",
		{"https://api.openai.com/v1", "gpt-5", apiResponses}:                       "",
		{"https://api.openai.com/v1", "gpt-4.1", apiResponses}:                     "",
		{"https://api.openai.com/v1", "o9-claude", apiResponses}:                   "",
		{"https://openrouter.ai/api/v1", "anthropic/claude-sonnet-4.5", apiChat}:   cacheControl,
		{"https://openrouter.ai/api/v1", "openai/gpt-5.6", apiChat}:                "",
		{"http://127.0.0.1:4000/v1", "Claude-Opus", apiChat}:                       cacheControl,
		{"http://127.0.0.1:4000/v1", "claude-opus", apiResponses}:                  "",
		{"http://127.0.0.1:8080/v1", "qwen3-coder", apiChat}:                       "",
	} {
		e := &Endpoint{BaseURL: of[0], Capabilities: &Capabilities{}}
		e.learn(of[1], func(c *capability) { c.api = of[2] })
		if got := e.form(Request{Model: of[1]}).mark; got != want {
			t.Errorf("%v is sent %q, want %q", of, got, want)
		}
	}
}

// TestSharedTextIsMarked: the prefix shared with other conversations ends at a mark, over both APIs; tokens
// written to the cache are counted; a server that refuses a mark does not get it again.
func TestSharedTextIsMarked(t *testing.T) {
	const refusal = `{"error":{"message":"no","type":"invalid_request_error","param":"input[1].content[0].prompt_cache_breakpoint","code":"unknown_parameter"}}`
	for _, c := range []struct {
		model, part string
		first       bool // at a first-party host
		refusal     string
	}{
		{"claude-x", `"content":[{"cache_control":{"type":"ephemeral"},"text":"plan\n","type":"text"},{"text":"step","type":"text"}]`, false, ""},
		{"claude-x", `"cache_control":{"type":"ephemeral"}`, false, strings.Replace(refusal, "input[1].content[0].prompt_cache_breakpoint", "cache_control", 1)},
		{"gpt-5.6", `"content":[{"text":"plan\n","prompt_cache_breakpoint":{"mode":"explicit"},"type":"input_text"},{"text":"step","type":"input_text"}]`, true, ""},
		{"gpt-5.6", `"prompt_cache_breakpoint":{"mode":"explicit"}`, true, refusal},
	} {
		turn := calling("finish", `{}`)
		turn.Usage = &script.Usage{In: 100, Cached: 30, Written: 50, Out: 1}
		server := plays(turn)
		var log asked
		srv := httptest.NewServer(log.in(func(w http.ResponseWriter, r *http.Request) {
			if len(log.bodies) == 1 && c.refusal != "" {
				answering(400, "application/json", c.refusal)(w, r)
				return
			}
			server.ServeHTTP(w, r)
		}))
		defer srv.Close()
		e := opened(t, srv.URL, nil)
		if c.first {
			e = firstParty(t, srv)
		}
		q := Request{Model: c.model, Messages: []Message{{Role: "system", Text: "Role: executor"}, {Role: "user", Text: "plan\nstep", Shared: len("plan\n")}}}
		got, err := e.Ask(t.Context(), q, nobody)
		if err != nil || !strings.Contains(log.bodies[0], c.part) {
			t.Fatalf("%v; %s was sent\n%s\nwant in it\n%s", err, c.model, log.bodies[0], c.part)
		}
		if got.Tokens != (agent.Tokens{In: 100, Cached: 30, Written: 50, Out: 1}) {
			t.Errorf("%+v", got.Tokens)
		}
		if c.refusal != "" && (len(log.bodies) != 2 || strings.Contains(log.bodies[1], "cache_") || !strings.Contains(log.bodies[1], `plan\nstep`)) {
			t.Errorf("after the refusal:\n%s", strings.Join(log.bodies[1:], "\n"))
		}
	}
}
