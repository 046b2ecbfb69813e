package script

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
)

// Server is an OpenAI-compatible server on loopback that plays a [Script], over both APIs. It
// refuses what the script does not have with HTTP 400 and the code unexpected_request, so that
// a recording cannot pretend.
type Server struct {
	script Script
	http   *http.Server
	url    string

	mu      sync.Mutex
	asked   map[string]int     // for the faults: how often one turn of one session was asked for
	served  map[turnPlace]bool // by lane and turn
	refused []string
}

type turnPlace struct{ lane, turn int }

const (
	unexpectedRequest = "unexpected_request"
	maxRequest        = 256 << 20 // bytes
)

// Serve starts a server. Close ends it.
func Serve(s Script) (*Server, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	srv := &Server{script: s, url: "http://" + l.Addr().String() + "/v1", asked: map[string]int{}, served: map[turnPlace]bool{}}
	srv.http = &http.Server{Handler: srv, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = srv.http.Serve(l) }()
	return srv, nil
}

// URL returns the base URL for a client.
func (s *Server) URL() string { return s.url }

// Close ends the server and its connections.
func (s *Server) Close() error { return s.http.Close() }

// Unused names the turns that were never served.
func (s *Server) Unused() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []string
	for i, l := range s.script.Lanes {
		for n := range l.Turns {
			if !s.served[turnPlace{i, n}] {
				out = append(out, fmt.Sprintf("%s, turn %d", l.name(), n+1))
			}
		}
	}
	return out
}

// Refused returns why requests were refused.
func (s *Server) Refused() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string{}, s.refused...)
}

// asking is a request as far as a script looks at it.
type asking struct {
	about
	turn int
	last string
	text string // all messages
	id   string // the session, for its faults
}

// readAsking reads a request of either API: what chat completions call messages
// the Responses API calls input.
func readAsking(body []byte) (asking, error) {
	var q struct{ Messages, Input []askingItem }
	if err := json.Unmarshal(body, &q); err != nil {
		return asking{}, err
	}
	var a asking
	var system, user string
	var all strings.Builder
	answered := false // the item before was the model's
	for _, m := range append(q.Messages, q.Input...) {
		content := textIn(m.Content)
		if m.Type == "function_call_output" {
			content = textIn(m.Output)
		}
		mine := m.Role == "assistant" || m.Type == "function_call" || m.Type == "reasoning"
		switch {
		case m.Role == "system" && system == "":
			system = content
		case m.Role == "user" && user == "":
			user = content
		case mine && answered && q.Input != nil: // a turn is several items of input
		case mine:
			a.turn++
		}
		answered = mine
		a.last = content
		all.WriteString(content + "\n")
	}
	a.about, a.text = readAbout(system, user), all.String()
	a.id = fmt.Sprintf("%x", sha256.Sum256([]byte(system+"\x00"+user)))
	return a, nil
}

// textIn returns a JSON string, or the text of an array of content parts.
func textIn(v json.RawMessage) (s string) {
	if json.Unmarshal(v, &s) == nil {
		return s
	}
	var parts []struct{ Text string }
	if json.Unmarshal(v, &parts) != nil {
		return ""
	}
	for _, p := range parts {
		s += p.Text
	}
	return s
}

type askingItem struct {
	Role, Type      string
	Content, Output json.RawMessage
}

// ServeHTTP answers one request of a model client.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case strings.HasSuffix(r.URL.Path, "/chat/completions"):
		s.Answer(w, r, Turn.ChatEvents)
	case strings.HasSuffix(r.URL.Path, "/responses"):
		s.Answer(w, r, Turn.ResponsesEvents)
	default:
		Refuse(w, http.StatusNotFound, "not_found", "there are only /v1/chat/completions and /v1/responses")
	}
}

// Answer answers with the events of the turn that is asked for.
func (s *Server) Answer(w http.ResponseWriter, r *http.Request, events func(t Turn, id string) []string) {
	body, err := io.ReadAll(io.LimitReader(r.Body, maxRequest))
	var q asking
	if err == nil {
		q, err = readAsking(body)
	}
	if err != nil {
		s.unexpected(w, "the request cannot be read: "+err.Error())
		return
	}
	lane, t, why := s.find(q)
	if why != "" {
		s.unexpected(w, why)
		return
	}
	filled, err := s.script.Lanes[lane].filled(t, q.about, q.text)
	if err != nil {
		s.unexpected(w, err.Error())
		return
	}
	select {
	case <-time.After(time.Duration(s.script.Pause) * time.Millisecond):
	case <-r.Context().Done():
		return
	}
	Play(w, r, events(filled, fmt.Sprintf("%.8s-%d", q.id, q.turn)), s.fault(lane, q, t.Faults))
}

// find returns the turn that a request asks for, or why there is none.
func (s *Server) find(q asking) (lane int, t Turn, why string) {
	for i, l := range s.script.Lanes {
		if !l.fits(q.about) {
			continue
		}
		if q.turn >= len(l.Turns) {
			return 0, t, fmt.Sprintf("turn %d of %s was asked for, the recording has %d turns; the last message was %q",
				q.turn+1, q.about, len(l.Turns), agent.OneLine(q.last, 200))
		}
		t = l.Turns[q.turn]
		if !regexp.MustCompile(t.Expect).MatchString(q.last) {
			return 0, t, fmt.Sprintf("turn %d of %s: the recording expects a last message like %q, it was %q",
				q.turn+1, q.about, t.Expect, agent.OneLine(q.last, 300))
		}
		return i, t, ""
	}
	var have []string
	for _, l := range s.script.Lanes {
		have = append(have, l.name())
	}
	return 0, t, fmt.Sprintf("%s was asked for, the recording has %s", q.about, agent.OneLine(strings.Join(have, "; "), 300))
}

// fault returns the next fault of a turn, if one is left; then the turn is served.
func (s *Server) fault(lane int, q asking, faults []Fault) Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := fmt.Sprintf("%d %d %s", lane, q.turn, q.id)
	n := s.asked[key]
	s.asked[key]++
	if n < len(faults) {
		return faults[n]
	}
	s.served[turnPlace{lane, q.turn}] = true
	return Fault{}
}

func (s *Server) unexpected(w http.ResponseWriter, why string) {
	s.mu.Lock()
	s.refused = append(s.refused, why)
	s.mu.Unlock()
	Refuse(w, http.StatusBadRequest, unexpectedRequest, why)
}

// Refuse answers with an error as OpenAI writes it.
func Refuse(w http.ResponseWriter, status int, code, why string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{"message": why, "type": "invalid_request_error", "code": code}})
}

// Play sends one turn as its events, or what goes wrong with it.
func Play(w http.ResponseWriter, r *http.Request, events []string, f Fault) {
	if f.Cut == 0 {
		switch here := f.stall(r); {
		case !here || f.StallMS > 0 && f.Status == 0 && !f.Reset: // it was only silent
			return
		case f.Status != 0:
			f.refuse(w)
			return
		case f.Reset:
			reset(w)
			return
		}
	}
	w.Header().Set("Content-Type", "text/event-stream")
	for i, e := range events {
		if f.Cut > 0 && i == f.Cut {
			if f.stall(r) && f.Reset {
				reset(w)
			}
			return
		}
		fmt.Fprintf(w, "data: %s\n\n", e)
		_ = http.NewResponseController(w).Flush()
	}
}

// stall waits, and reports whether the client is still there.
func (f Fault) stall(r *http.Request) bool {
	t := time.NewTimer(time.Duration(f.StallMS) * time.Millisecond)
	defer t.Stop()
	select {
	case <-r.Context().Done():
		return false
	case <-t.C:
		return true
	}
}

func (f Fault) refuse(w http.ResponseWriter) {
	if ms, ok := strings.CutSuffix(f.RetryAfter, "ms"); ok {
		w.Header().Set("Retry-After-Ms", ms)
	} else if f.RetryAfter != "" {
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

// reset drops the connection without a proper end.
func reset(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = conn.Close()
}
