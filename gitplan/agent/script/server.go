package script

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
)

// Server plays a [Script] on loopback. What is not recorded is refused, so that no recording pretends.
type Server struct {
	script Script
	http   *http.Server
	url    string

	mu    sync.Mutex
	asked map[string]int // how often one turn of one session was asked for
}

// Serve starts a server. Close ends it.
func Serve(s Script) (*Server, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	srv := &Server{script: s, url: "http://" + l.Addr().String() + "/v1", asked: map[string]int{}}
	srv.http = &http.Server{Handler: srv, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = srv.http.Serve(l) }()
	return srv, nil
}

func (s *Server) URL() string  { return s.url }
func (s *Server) Close() error { return s.http.Close() }

// request has the parts of a request that a script can match.
type request struct {
	facts facts
	turn  int
	last  string // the last message
	text  string // the text of all messages
	id    string // the session's id
}

func readRequest(r io.Reader) (q request, err error) {
	var body struct {
		Messages []struct {
			Role    string
			Content json.RawMessage
		}
	}
	if err := json.NewDecoder(io.LimitReader(r, 256<<20)).Decode(&body); err != nil {
		return q, err
	}
	var system, user string
	var all strings.Builder
	for _, m := range body.Messages {
		q.last = agent.TextIn(m.Content)
		switch {
		case m.Role == "system" && system == "":
			system = q.last
		case m.Role == "user" && user == "":
			user = q.last
		case m.Role == "assistant":
			q.turn++
		}
		all.WriteString(q.last + "\n")
	}
	first, _, _ := strings.Cut(system, "\n")
	q.facts, q.text = facts{"role": strings.TrimSpace(strings.TrimPrefix(first, "Role: "))}, all.String()
	for line := range strings.SplitSeq(user, "\n") {
		word, value, ok := strings.Cut(line, ": ")
		if ok && slices.Contains([]string{"Step", "Attempt", "Reviewer", "Round"}, word) {
			q.facts[strings.ToLower(word)] = strings.TrimSpace(value)
		}
	}
	q.id = fmt.Sprintf("%x", sha256.Sum256([]byte(system+"\x00"+user)))
	return q, nil
}

// ServeHTTP answers one request of a model client.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !strings.HasSuffix(r.URL.Path, "/chat/completions") {
		Refuse(w, http.StatusNotFound, "not_found", "there is only /v1/chat/completions")
		return
	}
	s.Answer(w, r, Turn.ChatEvents)
}

// Answer answers with the events of the turn that is asked for.
func (s *Server) Answer(w http.ResponseWriter, r *http.Request, events func(t Turn, id string) []string) {
	q, err := readRequest(r.Body)
	var t Turn
	if err == nil {
		t, err = s.find(q)
	}
	if err != nil {
		Refuse(w, http.StatusBadRequest, "unexpected_request", err.Error())
		return
	}
	select {
	case <-time.After(time.Duration(s.script.Pause) * time.Millisecond):
	case <-r.Context().Done():
		return
	}
	s.mu.Lock()
	key := fmt.Sprintf("%d %s", q.turn, q.id)
	n := s.asked[key]
	s.asked[key]++
	s.mu.Unlock()
	if n < len(t.Faults) {
		t.Faults[n].play(w, r)
		return
	}
	Play(w, events(t, fmt.Sprintf("%.8s-%d", q.id, q.turn)))
}

// find returns the turn that a request asks for, filled in. The error says why there is none.
func (s *Server) find(q request) (t Turn, err error) {
	var have []string
	for _, l := range s.script.Lanes {
		asked := maps.Clone(q.facts)
		maps.Copy(asked, l.facts())
		if !maps.Equal(asked, q.facts) {
			have = append(have, l.facts().String())
			continue
		}
		if q.turn >= len(l.Turns) {
			return t, fmt.Errorf("turn %d of %s was asked for, the recording has %d turns; the last message was %q",
				q.turn+1, q.facts, len(l.Turns), agent.OneLine(q.last, 200))
		}
		t = l.Turns[q.turn]
		if !regexp.MustCompile(t.Expect).MatchString(q.last) {
			return t, fmt.Errorf("turn %d of %s: the recording expects a last message like %q, it was %q",
				q.turn+1, q.facts, t.Expect, agent.OneLine(q.last, 300))
		}
		var pairs []string // ${names} and what they stand for, as in JSON
		for name, e := range l.Capture {
			if m := regexp.MustCompile(e).FindStringSubmatch(q.text); m != nil {
				b, _ := json.Marshal(m[1])
				pairs = append(pairs, "${"+name+"}", string(b[1:len(b)-1]))
			}
		}
		b, err := json.Marshal(t)
		if err == nil {
			t = Turn{}
			err = json.Unmarshal([]byte(strings.NewReplacer(pairs...).Replace(string(b))), &t)
		}
		return t, err
	}
	return t, fmt.Errorf("%s was asked for, the recording has %s", q.facts, agent.OneLine(strings.Join(have, "; "), 300))
}

// Refuse answers with an error as OpenAI writes it.
func Refuse(w http.ResponseWriter, status int, code, why string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{"message": why,
		"type": "invalid_request_error", "code": code}})
}

func (f Fault) play(w http.ResponseWriter, r *http.Request) {
	select {
	case <-time.After(time.Duration(f.StallMS) * time.Millisecond):
	case <-r.Context().Done():
		return
	}
	if f.Status == 0 {
		panic(http.ErrAbortHandler)
	}
	if f.RetryAfter != "" {
		w.Header().Set("Retry-After", f.RetryAfter)
	}
	if f.Body == "" {
		Refuse(w, f.Status, "", http.StatusText(f.Status))
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(f.Status)
	fmt.Fprint(w, f.Body)
}

// Play sends the events of one turn.
func Play(w http.ResponseWriter, events []string) {
	w.Header().Set("Content-Type", "text/event-stream")
	for _, e := range events {
		fmt.Fprintf(w, "data: %s\n\n", e)
		_ = http.NewResponseController(w).Flush()
	}
}

type object = map[string]any

// FinishReason returns how the turn ends, in the words of chat completions.
func (t Turn) FinishReason() string {
	if t.Finish == "" && len(t.Calls) > 0 {
		return "tool_calls"
	}
	return cmp.Or(t.Finish, "stop")
}

// Arguments returns the call's arguments as sent: JSON, unless Raw overrides it.
func (c Call) Arguments() string { return cmp.Or(c.Raw, string(c.Args), "{}") }

// pieces cuts a text as a model streams it.
func pieces(s string) (out []string) {
	for piece := range slices.Chunk([]rune(s), 24) {
		out = append(out, string(piece))
	}
	return out
}

// ChatEvents returns the data of the turn's events, as OpenAI sends them. id makes the ids of its calls.
func (t Turn) ChatEvents(id string) []string {
	var out []string
	add := func(v object) {
		v["id"], v["object"], v["model"] = "chatcmpl-"+id, "chat.completion.chunk", "recorded"
		b, _ := json.Marshal(v)
		out = append(out, string(b))
	}
	chunk := func(delta object, finish any) {
		add(object{"choices": []any{object{"index": 0, "delta": delta, "finish_reason": finish}}})
	}
	chunk(object{"role": "assistant", "content": ""}, nil)
	for _, p := range pieces(t.Think) {
		chunk(object{"reasoning_content": p}, nil)
	}
	for _, p := range pieces(t.Say) {
		chunk(object{"content": p}, nil)
	}
	for i, c := range t.Calls {
		chunk(object{"tool_calls": []any{object{"index": i, "id": fmt.Sprintf("call_%s_%d", id, i), "type": "function",
			"function": object{"name": c.Name, "arguments": ""}}}}, nil)
		for _, p := range pieces(c.Arguments()) {
			chunk(object{"tool_calls": []any{object{"index": i, "function": object{"arguments": p}}}}, nil)
		}
	}
	chunk(object{}, t.FinishReason())
	if u := t.Usage; u != nil {
		usage := object{"prompt_tokens": u.In, "completion_tokens": u.Out, "total_tokens": u.In + u.Out,
			"prompt_tokens_details": object{"cached_tokens": u.Cached, "cache_write_tokens": u.Written}}
		if u.Cost != nil {
			usage["cost"] = *u.Cost
		}
		add(object{"choices": []any{}, "usage": usage})
	}
	return append(out, "[DONE]")
}
