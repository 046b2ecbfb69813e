package script

import (
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"
)

// Play sends one turn as its events, or what goes wrong with it.
func Play(w http.ResponseWriter, r *http.Request, events []string, f Fault) {
	if f.Cut == 0 && !f.stall(r) {
		return
	}
	switch {
	case f.Status != 0:
		f.refuse(w)
		return
	case f.Cut == 0 && f.Reset:
		reset(w)
		return
	case f.Cut == 0 && f.StallMS > 0: // it was only silent
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	flush := http.NewResponseController(w).Flush
	for i, e := range events {
		if f.Cut > 0 && i == f.Cut {
			if f.stall(r) && f.Reset {
				reset(w)
			}
			return
		}
		fmt.Fprintf(w, "data: %s\n\n", e)
		_ = flush()
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

type jsonObject = map[string]any

// FinishReason returns how the turn ends, in the words of chat completions.
func (t Turn) FinishReason() string {
	switch {
	case t.Finish != "":
		return t.Finish
	case len(t.Calls) > 0:
		return "tool_calls"
	}
	return "stop"
}

// Arguments returns what is sent as the call's arguments: JSON, unless Raw is something else.
func (c Call) Arguments() string {
	switch {
	case c.Raw != "":
		return c.Raw
	case len(c.Args) == 0 || string(c.Args) == "null":
		return "{}"
	}
	return string(c.Args)
}

// pieces cuts a text as a model streams it.
func pieces(s string) []string {
	const size = 24
	var out []string
	for len(s) > 0 {
		n := min(size, len(s))
		for n < len(s) && !utf8.RuneStart(s[n]) {
			n++
		}
		out, s = append(out, s[:n]), s[n:]
	}
	return out
}
