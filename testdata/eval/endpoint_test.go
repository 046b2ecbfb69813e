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

	"github.com/google/go-cmp/cmp"
)

// TestEndpoint: a model behind an endpoint does a task in one session. Its requests, tokens and money are
// counted, and only it is sent the key.
func TestEndpoint(t *testing.T) {
	w := newWorkshop(t, true)
	task := tasksNamed(t, "trap-overreach")[0]
	s, err := w.fetch(t.Context(), task)
	if err != nil {
		t.Fatal(err)
	}
	keys := map[string]bool{}
	model := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, in *http.Request) {
		keys[in.Header.Get("Authorization")] = true
		solves(t, task, s, out, in)
	}))
	defer model.Close()
	t.Setenv("KEY_OF_ENDPOINT", "hush")
	w.agent = &Agent{Model: "small", Base: model.URL + "/v1", KeyEnv: "KEY_OF_ENDPOINT", Effort: "low", Price: "1, 0.1, 10, 1"}
	if err := w.agent.check(); err != nil {
		t.Fatal(err)
	}
	long, err := armsNamed([]string{"long"})
	if err != nil {
		t.Fatal(err)
	}
	r, err := w.try(t.Context(), task, long[0], 1)
	if err != nil {
		t.Fatal(err)
	}
	if !r.Resolved || !r.Done || r.Sessions != 1 || r.Attempts != 1 || len(r.Broken) > 0 {
		t.Errorf("%+v", r)
	}
	if want := (Tokens{In: 3000, Cached: 1200, Out: 150}); r.Requests != 3 || r.Tokens != want || r.CostUSD == nil || *r.CostUSD < 0.0034 || *r.CostUSD > 0.0035 {
		t.Errorf("%d requests, %+v, %v", r.Requests, r.Tokens, r.CostUSD)
	}
	if r.Calls < 3 || r.Malformed != 0 || r.Setting.Effort != "low" || r.Setting.Tools["git"] == "" || len(r.Setting.Prompts["executor"]) != 12 {
		t.Errorf("%d calls, %d of them malformed, %+v", r.Calls, r.Malformed, r.Setting)
	}
	if diff := cmp.Diff(map[string]bool{"Bearer hush": true}, keys); diff != "" {
		t.Error(diff)
	}
	text, err := json.Marshal(r)
	if err != nil || strings.Contains(string(text), "hush") {
		t.Errorf("%v %s", err, text)
	}
}

// TestFailedPlanner: a planner that makes no plan is counted from its transcript, which is kept; a stronger
// model then plans.
func TestFailedPlanner(t *testing.T) {
	w := newWorkshop(t, true)
	models := map[string]int{}
	model := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, in *http.Request) {
		var body struct{ Model string }
		_ = json.NewDecoder(in.Body).Decode(&body)
		if in.Method == http.MethodGet {
			body.Model = "list"
		}
		models[body.Model]++
		message := map[string]any{"role": "assistant", "content": "There is nothing to plan."}
		if models[body.Model] == 1 {
			message["tool_calls"] = []any{map[string]any{"id": "a", "type": "function", "function": map[string]any{"name": "make_plan", "arguments": "{}"}}}
		}
		out.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(out).Encode(map[string]any{"choices": []any{map[string]any{"finish_reason": "stop", "message": message}},
			"usage": map[string]any{"prompt_tokens": 1000, "completion_tokens": 50}})
	}))
	defer model.Close()
	w.agent = &Agent{Name: "openai", Model: "small", Strong: "large", Base: model.URL + "/v1"}
	mixed, err := armsNamed([]string{"mixed"})
	if err != nil {
		t.Fatal(err)
	}
	r, err := w.try(t.Context(), tasksNamed(t, "trap-overreach")[0], mixed[0], 1)
	if err != nil {
		t.Fatal(err)
	}
	if r.Done || r.Requests != models["large"] || r.Tokens.In != 1000*r.Requests || r.Requests < 4 || models["small"] > 0 || r.Calls != 1 || r.Malformed != 1 || r.Strong != "large" {
		t.Errorf("%v: %+v", models, r)
	}
	if kept, _ := filepath.Glob(filepath.Join(w.dir, "transcripts", "trap-overreach-mixed-1", "*")); len(kept) < 2 {
		t.Errorf("kept: %q", kept)
	}
}

// solves answers like a model that reads files, writes the authors' version of them, and ends the session.
func solves(t *testing.T, task *Task, s source, out http.ResponseWriter, in *http.Request) {
	out.Header().Set("Content-Type", "application/json")
	if in.Method == http.MethodGet {
		_, _ = io.WriteString(out, `{"object":"list","data":[{"id":"small","object":"model","max_model_len":200000}]}`)
		return
	}
	var body struct{ Messages []struct{ Role string } }
	if err := json.NewDecoder(in.Body).Decode(&body); err != nil {
		t.Error(err)
	}
	call := func(name string, args any) map[string]any {
		text, _ := json.Marshal(args)
		return map[string]any{"id": name + string(rune('a'+len(text)%26)), "type": "function", "function": map[string]any{"name": name, "arguments": string(text)}}
	}
	turn := 0
	for _, m := range body.Messages {
		if m.Role == "assistant" {
			turn++
		}
	}
	changed, err := task.changed(s)
	if err != nil {
		t.Error(err)
	}
	var calls []any
	for _, p := range changed {
		switch turn {
		case 0:
			calls = append(calls, call("read_file", map[string]any{"path": p}))
		case 1:
			calls = append(calls, call("write_file", map[string]any{"path": p, "content": read(t, filepath.Join(s.to, p))}))
		}
	}
	if turn > 1 {
		calls = append(calls, call("finish", map[string]any{"status": "done", "subject": "Spell it color", "summary": "It is color now."}))
	}
	_ = json.NewEncoder(out).Encode(map[string]any{"id": "c", "object": "chat.completion", "model": "small",
		"choices": []any{map[string]any{"index": 0, "finish_reason": "tool_calls", "message": map[string]any{"role": "assistant", "content": "", "tool_calls": calls}}},
		"usage":   map[string]any{"prompt_tokens": 1000, "completion_tokens": 50, "total_tokens": 1050, "prompt_tokens_details": map[string]any{"cached_tokens": 400}}})
}

// changed returns the files that differ between the two versions, without tests.
func (t *Task) changed(s source) (paths []string, err error) {
	for _, version := range []string{s.from, s.to} {
		all, err := files(version)
		if err != nil {
			return nil, err
		}
		for _, p := range all {
			before, _ := os.ReadFile(filepath.Join(s.from, p))
			after, _ := os.ReadFile(filepath.Join(s.to, p))
			if !t.isTest(p) && (string(before) != string(after) || missing(filepath.Join(s.from, p)) || missing(filepath.Join(s.to, p))) && (version == s.from || missing(filepath.Join(s.from, p))) {
				paths = append(paths, p)
			}
		}
	}
	return paths, nil
}
