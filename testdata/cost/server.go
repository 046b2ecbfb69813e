package main

import (
	"encoding/json"
	"io"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"time"
)

// message is a message of a request, in the chat API's format.
type message struct {
	Role    string
	Content json.RawMessage
	Calls   []call `json:"tool_calls"`
}

type call struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name string `json:"name"`
		Args string `json:"arguments"`
	} `json:"function"`
}

// part is a part of a message's text, and whether it ends at a mark for a cache.
type part struct {
	Text  string
	Marks map[string]any `json:"cache_control"`
}

// parts returns the parts of a message's text.
func (m message) parts() (list []part) {
	var text string
	if json.Unmarshal(m.Content, &text) == nil {
		return []part{{Text: text}}
	}
	_ = json.Unmarshal(m.Content, &list) // an assistant's may be null
	return list
}

func (m message) text() (s string) {
	for _, p := range m.parts() {
		s += p.Text
	}
	return s
}

// request is a request, and its answer.
type request struct {
	role, session string
	round         string // of a reviewer; those of one round are sent in parallel
	turn          int    // 0 is the first of its session
	raw           []byte
	segments      []segment
	out           float64 // tokens
	before        int     // the number of answered requests when it arrived
}

// text is all of a request in the order in which the model reads it.
func (q *request) text() string {
	var b strings.Builder
	for _, s := range q.segments {
		b.WriteString(s.text)
	}
	return b.String()
}

// segment is a piece of a request in the order in which the model reads it.
type segment struct {
	text string
	mark bool // a cache may be matched at its end
}

// server answers like the model, and keeps the requests.
type server struct {
	model    *model
	mu       sync.Mutex
	requests []*request
	order    []*request // in the order of their answers
}

var (
	roleLine  = regexp.MustCompile(`^Role: (\w+)`)
	whichLine = regexp.MustCompile(`(?m)^((?:Step|Attempt|Round): \S+)`)
	roundLine = regexp.MustCompile(`(?m)^Round: (\d+)`)
	whoLine   = regexp.MustCompile(`(?m)^Reviewer: (\S+)`)
)

// lastOf returns the last line of a kind: earlier ones may be quoted.
func lastOf(line *regexp.Regexp, text string) string {
	all := line.FindAllStringSubmatch(text, -1)
	if len(all) == 0 {
		return ""
	}
	return all[len(all)-1][1]
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	if r.Method == http.MethodGet {
		_, _ = io.WriteString(w, `{"object":"list","data":[{"id":"claude-counted","object":"model","max_model_len":200000}]}`)
		return
	}
	raw, _ := io.ReadAll(r.Body)
	var body struct {
		Model    string
		Tools    json.RawMessage
		Messages []message
	}
	if err := json.Unmarshal(raw, &body); err != nil || len(body.Messages) < 2 {
		http.Error(w, "no conversation", http.StatusBadRequest)
		return
	}
	system, user := body.Messages[0].text(), body.Messages[1].text()
	q := &request{role: lastOf(roleLine, system), raw: raw, segments: []segment{{text: string(body.Tools)}}}
	q.session = q.role + strings.Join(whichLine.FindAllString(user, -1), " ") + lastOf(whoLine, user)
	if q.role == "reviewer" {
		q.round = lastOf(roundLine, user)
	}
	for _, m := range body.Messages {
		if m.Role == "assistant" {
			q.turn++
		}
		q.segments = append(q.segments, segmentsOf(m)...)
	}
	s.mu.Lock()
	q.before = len(s.order)
	s.requests = append(s.requests, q)
	s.mu.Unlock()
	if q.round != "" && q.turn == 0 {
		time.Sleep(300 * time.Millisecond) // parallel requests meet here
	}
	calls := s.model.answers(q.role, user, q.turn)
	said := map[string]any{"role": "assistant", "content": says, "tool_calls": calls}
	for _, c := range calls {
		q.out += tokens(c.Function.Name + c.Function.Args)
	}
	q.out += tokens(says)
	s.mu.Lock()
	s.order = append(s.order, q)
	s.mu.Unlock()
	in, out := int(tokens(string(raw))), int(q.out)
	_ = json.NewEncoder(w).Encode(map[string]any{"id": "c", "object": "chat.completion", "model": body.Model,
		"choices": []any{map[string]any{"index": 0, "message": said, "finish_reason": "tool_calls"}},
		"usage":   map[string]any{"prompt_tokens": in, "completion_tokens": out, "total_tokens": in + out}})
}

// segmentsOf returns a message's segments: one ends at each marked part, and at the end.
func segmentsOf(m message) (list []segment) {
	var b strings.Builder
	b.WriteString(m.Role + ":")
	for _, p := range m.parts() {
		b.WriteString(p.Text)
		if p.Marks != nil {
			list = append(list, segment{b.String(), true})
			b.Reset()
		}
	}
	for _, c := range m.Calls {
		b.WriteString(c.Function.Name + c.Function.Args)
	}
	return append(list, segment{text: b.String()})
}
