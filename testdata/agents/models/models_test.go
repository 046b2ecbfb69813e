package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const script = `{"lanes": [
  {"role": "executor", "step": "greet", "turns": [
    {"fault": "429", "retryAfter": "7", "times": 1, "run": "echo ${turn} ${step}"},
    {"say": "So it is.", "end": {"status": "done"}}]},
  {"role": "executor", "step": "cut", "turns": [{"fault": "cut"}]}]}`

// asks maps each protocol to the client's requests of the first and the second turn; PROMPT stands for a
// quoted prompt.
var asks = map[string][2]string{
	"/v1/responses": {
		`{"model": "m", "stream": true, "tools": [{"type": "function", "name": "exec_command"}], "input": [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": PROMPT}]}]}`,
		`{"model": "m", "stream": true, "tools": [{"type": "function", "name": "exec_command"}], "input": [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": PROMPT}]},
		  {"type": "function_call", "name": "exec_command", "call_id": "c"}, {"type": "function_call_output", "call_id": "c", "output": "Step: other\n\"nonce\": \"other\""}]}`},
	"/v1/chat/completions": {
		`{"model": "m", "stream": true, "tools": [{"type": "function", "function": {"name": "bash"}}], "messages": [{"role": "system", "content": "x"}, {"role": "user", "content": PROMPT}]}`,
		`{"model": "m", "stream": true, "tools": [{"type": "function", "function": {"name": "bash"}}], "messages": [{"role": "user", "content": PROMPT}, {"role": "assistant", "content": "\"nonce\": \"other\""}, {"role": "tool", "content": "Step: other"}]}`},
	"/v1/messages": {
		`{"model": "m", "stream": true, "tools": [{"name": "Bash"}], "system": [{"type": "text", "text": "x"}], "messages": [{"role": "user", "content": PROMPT}]}`,
		`{"model": "m", "stream": true, "tools": [{"name": "Bash"}], "messages": [{"role": "user", "content": [{"type": "text", "text": PROMPT}]}, {"role": "assistant", "content": [{"type": "tool_use"}]},
		  {"role": "user", "content": [{"type": "tool_result", "content": "\"nonce\": \"other\""}]}]}`},
	"/v1beta/models/m:streamGenerateContent": {
		`{"tools": [{"functionDeclarations": [{"name": "run_shell_command"}]}], "contents": [{"role": "user", "parts": [{"text": PROMPT}]}]}`,
		`{"tools": [{"functionDeclarations": [{"name": "run_shell_command"}]}], "contents": [{"role": "user", "parts": [{"text": PROMPT}]},
		  {"role": "model", "parts": [{"functionCall": {}}]}, {"role": "user", "parts": [{"functionResponse": {"response": {"output": "\"nonce\": \"other\""}}}]}]}`},
}

func prompt(step string) string {
	b, _ := json.Marshal("Role: executor\n\nDo it.\n\nStep: " + step + "\nAttempt: 1\n\n{\"nonce\": \"n0nce\"}\n")
	return string(b)
}

// TestModels plays a session in each protocol: a rate limit first, then a command through the client's own
// tool, then the final object with the prompt's nonce, whatever tools and the model itself said in between.
func TestModels(t *testing.T) {
	file := filepath.Join(t.TempDir(), "models.json")
	if err := os.WriteFile(file, []byte(script), 0o644); err != nil {
		t.Fatal(err)
	}
	for path, turns := range asks {
		t.Run(path, func(t *testing.T) {
			server := httptest.NewServer(&server{script: file, given: map[string]int{}, log: json.NewEncoder(io.Discard)})
			defer server.Close()
			ask := func(body, step string) (*http.Response, string, error) {
				r, err := http.Post(server.URL+path, "application/json", strings.NewReader(strings.ReplaceAll(body, "PROMPT", prompt(step))))
				if err != nil {
					t.Fatal(err)
				}
				defer r.Body.Close()
				text, err := io.ReadAll(r.Body)
				return r, string(text), err
			}
			if r, _, _ := ask(turns[0], "greet"); r.StatusCode != 429 || r.Header.Get("Retry-After") != "7" {
				t.Errorf("first: %s, Retry-After %q", r.Status, r.Header.Get("Retry-After"))
			}
			if r, text, err := ask(turns[0], "greet"); r.StatusCode != 200 || err != nil || !strings.Contains(text, "echo 0 greet") {
				t.Errorf("then: %s, %v\n%s", r.Status, err, text)
			}
			_, text, _ := ask(turns[1], "greet")
			for _, word := range []string{"So ", "is.", `\"n0nce`, `\"done`} {
				if !strings.Contains(strings.ReplaceAll(text, `\\`, ""), word) {
					t.Errorf("%s is not said:\n%s", word, text)
				}
			}
			if _, _, err := ask(turns[0], "cut"); err == nil {
				t.Error("the stream is not cut")
			}
			if r, _, _ := ask(turns[0], "unknown"); r.StatusCode != 400 {
				t.Errorf("a step that no lane fits: %s", r.Status)
			}
		})
	}
}
