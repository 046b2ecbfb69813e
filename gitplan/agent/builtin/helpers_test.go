package builtin

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
)

type jsonObject = map[string]any

// delta is one event of a stream over chat, as OpenAI writes it.
func delta(fields, finish string) string {
	f := "null"
	if finish != "" {
		f = `"` + finish + `"`
	}
	return `{"id":"c1","choices":[{"index":0,"delta":` + fields + `,"finish_reason":` + f + `}]}`
}

// called is a delta with one piece of a tool call.
func called(piece string) string { return delta(`{"tool_calls":[`+piece+`]}`, "") }

const streamEnd = "[DONE]"

func send(w http.ResponseWriter, events ...string) {
	w.Header().Set("Content-Type", "text/event-stream")
	for _, e := range events {
		fmt.Fprintf(w, "data: %s\n\n", e)
	}
	_ = http.NewResponseController(w).Flush()
}

// asked keeps the body of each request.
type asked struct {
	mu     sync.Mutex
	bodies []string
}

func (a *asked) in(h http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		a.mu.Lock()
		a.bodies = append(a.bodies, string(body))
		a.mu.Unlock()
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		h(w, r)
	}
}
