package main

import (
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
)

type server struct {
	script string // its file, read again for each request: a story may replace it

	mu    sync.Mutex
	given map[string]int // faults given so far
	log   *json.Encoder
}

// entry is a line of the log.
type entry struct {
	Path    string `json:"path"`
	Model   string `json:"model,omitempty"`
	Role    string `json:"role,omitempty"`
	Step    string `json:"step,omitempty"`
	Attempt string `json:"attempt,omitempty"`
	Turn    int    `json:"turn"`
	Tools   int    `json:"tools"`
	Result  string `json:"result,omitempty"` // of the last tool
	Answer  string `json:"answer"`
	Unseen  string `json:"unseen,omitempty"` // what the request had to hold
}

func (s *server) note(e entry) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_ = s.log.Encode(e)
}

// answer is common to all protocols.
type answer struct {
	id   string
	say  string
	call *call
	end  string // "", refusal or length
	// broken is cut or stall: the connection ends, or stalls, after the first words.
	broken string
}

// call asks for a tool.
type call struct {
	name string
	args object
}

// aside answers requests that a client makes for itself: a title, a choice of model, who speaks next.
const aside = `{"title": "Scripted", "isNewTopic": false, "next_speaker": "user", "reasoning": "scripted",
 "model_choice": "flash", "complexity_reasoning": "scripted", "complexity_score": 10}`

var answers atomic.Int64

// structured is the tool by which claude has a model give the object that its session ends with.
const structured = "StructuredOutput"

// play answers a request by the script.
func (s *server) play(w http.ResponseWriter, r *http.Request, p wire, q request) {
	a := answer{id: fmt.Sprintf("scripted%06d", answers.Add(1))}
	e := entry{Path: r.URL.Path, Model: q.model, Role: q.role, Step: q.step, Attempt: q.attempt, Turn: q.turn, Result: fmt.Sprintf("%.400s", q.result), Tools: len(q.tools)}
	if q.side() {
		a.say, e.Answer = aside, "aside"
		s.note(e)
		s.send(w, r, p, q, a)
		return
	}
	script, err := readScript(s.script)
	if err != nil {
		log.Fatal(err)
	}
	lane, t, key := script.turn(q)
	if lane != nil && !strings.Contains(q.body, t.Sees) {
		lane, e.Unseen = nil, t.Sees
	}
	if lane == nil {
		e.Answer = "no lane"
		s.note(e)
		reply(w, http.StatusBadRequest, p.refuse(http.StatusBadRequest, Fault{Kind: "no lane of the script fits"}))
		return
	}
	q.captured = lane.captures(q.prompt)
	f := s.fault(t.Fault, key)
	e.Answer = f.Kind
	switch {
	case f.Kind == "":
		e.Answer = "says " + q.fill(t.Say)
		if what := t.Run + t.Write + t.Skill + t.Tool; what != "" {
			e.Answer = "calls " + q.fill(what)
		}
		a.say, a.call = q.fill(t.Say), q.call(t)
		if _, ok := q.tools[structured]; ok && len(t.End) > 0 {
			end := a.say[strings.LastIndex(a.say, "\n\n{")+1:] // the object may be all that is said
			a.say, a.call = strings.TrimSpace(strings.TrimSuffix(a.say, end)), &call{structured, object{}}
			_ = json.Unmarshal([]byte(end), &a.call.args)
		}
	case f.Kind == "refusal" || f.Kind == "length":
		a.end = f.Kind
	case f.Kind == "cut" || f.Kind == "stall":
		a.broken, a.say = f.Kind, "I begin with"
	case f.Kind != "empty":
		s.note(e)
		s.refuse(w, p, f)
		return
	}
	s.note(e)
	s.send(w, r, p, q, a)
}

// fault is the next fault, if there is one.
func (s *server) fault(f Fault, key string) Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.given[key]++
	if f.Times > 0 && s.given[key] > f.Times {
		return Fault{}
	}
	return f
}

// refuse gives the HTTP error of a fault.
func (s *server) refuse(w http.ResponseWriter, p wire, f Fault) {
	status := f.status()
	if f.Kind == "quota" {
		status = http.StatusTooManyRequests
		if _, anthropic := p.(messages); anthropic {
			status = http.StatusBadRequest
		}
	}
	if f.RetryAfter != "" {
		w.Header().Set("Retry-After", f.RetryAfter)
	}
	reply(w, status, p.refuse(status, f))
}

func (s *server) send(w http.ResponseWriter, r *http.Request, p wire, q request, a answer) {
	if !q.streamed {
		if a.broken != "" {
			leave(r, a.broken)
		}
		reply(w, http.StatusOK, p.whole(q, a))
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	w.WriteHeader(http.StatusOK)
	p.stream(&stream{w: w, r: r, broken: a.broken}, q, a)
}

// leave closes a connection in the middle, at once or when the client gives up.
func leave(r *http.Request, how string) {
	if how == "stall" {
		<-r.Context().Done()
	}
	panic(http.ErrAbortHandler)
}

// stream sends events.
type stream struct {
	w      http.ResponseWriter
	r      *http.Request
	broken string
}

// event sends one event; name may be empty.
func (s *stream) event(name string, data any) {
	b, _ := json.Marshal(data)
	if name != "" {
		fmt.Fprintf(s.w, "event: %s\n", name)
	}
	fmt.Fprintf(s.w, "data: %s\n\n", b)
	s.w.(http.Flusher).Flush()
}

// words sends a text in pieces, and stops after the first if it should break off.
func (s *stream) words(say string, send func(piece string)) {
	for i, piece := range strings.SplitAfter(say, " ") {
		if i > 0 && s.broken != "" {
			leave(s.r, s.broken)
		}
		if piece != "" {
			send(piece)
		}
	}
}

// call is the tool call of a turn, nil without one.
func (q request) call(t Turn) *call {
	switch {
	case t.Run != "":
		return q.run(q.fill(t.Run))
	case t.Write != "":
		return q.write(q.fill(t.Write), q.fill(t.Text))
	case t.Skill != "":
		return q.readSkill(t.Skill)
	case t.Tool != "":
		return q.served(t.Tool, t.Find)
	}
	return nil
}
