package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// listener reads what one program prints in one session, and tells its streamState.
type listener interface {
	line(b []byte)                      // line reads one line; unknown ones are ignored.
	end(code int, stderr string) ending // end returns the end of the session after the program has exited.
}

// readLine reads JSON into v, and reports whether it is JSON. A field of another type is left out.
func readLine(b []byte, v any) bool {
	err := json.Unmarshal(b, v)
	return err == nil || errors.As(err, new(*json.UnmarshalTypeError))
}

// streamState follows a session through what its listener reads of it.
type streamState struct {
	c        *Agent
	s        agent.Session
	listener listener
	life     *agent.Life
	log      agent.Transcript
	cancel   context.CancelCauseFunc

	model  string // the model that the program reports
	turns  int
	inside bool // a model call is under way, for programs that do not report its beginning
	tokens agent.Tokens
	open   map[string]bool // the ids of calls without an answer
	last   strings.Builder // the model's text since its last call, or in its last message
	text   bytes.Buffer    // the turn's text that is not yet in the transcript

	lines agent.Lines // the text that is reported line by line

	retry    ending      // the session's end if the program's retries do not succeed
	useless  bool        // the retries cannot succeed
	retrying bool        // there was no progress since the last retry
	retries  *proc.Clock // the limit of retries without progress
	lingers  *proc.Clock // the limit after the program has reported its end
	spent    error       // the error of Session.Spend that stopped the session
}

func (c *Agent) stream(s agent.Session) *streamState {
	h := &streamState{c: c, s: s, log: agent.Transcript{W: s.Transcript}, open: map[string]bool{}}
	h.lines.On = func(e agent.Event) { s.Report(e, "") }
	h.listener = c.dialect.listen(h)
	return h
}

// begin prepares for the first line; cancel ends the program.
func (h *streamState) begin(cancel context.CancelCauseFunc, life *agent.Life) {
	h.cancel, h.life = cancel, life
	h.retries = proc.NewClock(0, func() { cancel(errRetrying) })
	h.lingers = proc.NewClock(0, func() { cancel(errLingers) })
}

var (
	errRetrying = errors.New("only retries")
	errTurns    = errors.New("too many turns")
	errSpent    = errors.New("the budget is spent")
	errLingers  = errors.New("it said that it has ended, and did not end")
)

const (
	toolIdle  = 3               // times the idle time that a session may be silent while a tool runs
	lingering = 5 * time.Second // how long a program may stay after it said that it has ended
	maxID     = 256             // bytes of the id of a call
	maxLast   = 8 << 20         // bytes of a last message
	maxLine   = 64 << 20        // bytes of one line of a stream; a tool's output is one (3 MB, measured)
)

// alive takes note of progress: the idle time begins again, and the time for retries.
func (h *streamState) alive() {
	h.lingers.Stop()
	h.retries.Stop()
	h.retrying = false
	if len(h.open) > 0 {
		h.life.Extend((toolIdle - 1) * h.s.Idle)
	} else {
		h.life.Beat()
	}
}

// turn counts a model call, and asks whether it may be made.
func (h *streamState) turn() {
	h.alive()
	h.flush()
	h.turns++
	if h.s.MaxTurns > 0 && h.turns > h.s.MaxTurns {
		h.cancel(errTurns)
	}
	if h.s.Spend != nil && h.spent == nil {
		cost := h.c.Price.Of(h.tokens)
		cost.Known = cost.Known || h.c.dialect.costs // it reports that at its end
		if h.spent = h.s.Spend(h.tokens, cost); h.spent != nil {
			h.cancel(errSpent)
		}
	}
}

// output precedes what a model says or calls: after a tool has ended, that belongs to a new model call.
func (h *streamState) output() {
	if !h.inside {
		h.inside = true
		h.turn()
	}
}

func (h *streamState) used(t agent.Tokens) {
	h.tokens = h.tokens.Add(t.Believed())
	h.alive()
}

// said takes a piece of text of the model's.
func (h *streamState) said(text string) {
	if h.last.Len() < maxLast {
		h.last.WriteString(text)
	}
	if h.text.Len() < agent.MaxText {
		h.text.WriteString(visible.Cut(text, agent.MaxText))
	}
	h.lines.Write(text)
	h.alive()
}

func (h *streamState) called(id, tool, text string) {
	h.opened(id)
	h.alive()
	h.last.Reset()
	h.lines.Flush()
	h.s.Report(agent.Event{Kind: agent.CalledTool, Tool: tool, Text: gist(text, h.s.Dir)}, "")
	h.flush(agent.CallRecord{ID: id, Name: tool, Args: text})
}

func (h *streamState) answered(id, text string) {
	h.inside = false
	h.closed(id)
	h.alive()
	h.flush()
	h.log.Write(agent.Record{Answers: []agent.AnswerRecord{{ID: id, Text: text}}})
}

// opened and closed are the beginning and end of a call, or of a step in which tools may run.
func (h *streamState) opened(id string) {
	if len(h.open) < agent.MaxCalls {
		h.open[visible.Cut(id, maxID)] = true
	}
}

func (h *streamState) closed(id string) { delete(h.open, visible.Cut(id, maxID)) }

// ended notes that the program says so: it may stay for a while.
func (h *streamState) ended() {
	h.alive()
	h.lingers.Reset(h.c.stay)
}

// waits takes note of a retry, which is not progress. A session ends that retries in vain, or for too long.
func (h *streamState) waits(e ending, useless bool) {
	h.lingers.Stop()
	h.retry, h.useless = e, useless
	text := strings.TrimSuffix("retrying: "+agent.OneLine(e.reason, agent.MaxEvent), ": ")
	h.s.Report(agent.Event{Kind: agent.Waiting, Text: text, Wait: e.wait}, "")
	h.log.Write(agent.Record{Waiting: text})
	switch {
	case useless, e.wait > h.c.Wait, e.status == agent.Limited && e.wait > retryWait: // that is waited for without it
		h.cancel(errRetrying)
	case !h.retrying:
		h.retrying = true
		h.retries.Reset(h.c.Wait)
		h.life.Extend(h.c.Wait)
	}
}

var aboutCall = visible.NewPattern(`"(?:command|file_path|filePath|path|pattern|query)":\s*("(?:[^"\\]|\\.)*")`)

// gist returns what a call is about: of JSON arguments the command, the file or the pattern; else all of it.
func gist(args, dir string) (about string) {
	m := aboutCall.FindStringSubmatch(args)
	if m == nil || json.Unmarshal([]byte(m[1]), &about) != nil {
		return args
	}
	return strings.TrimPrefix(about, dir+"/")
}

// flush writes what the model said since the last time, and a call.
func (h *streamState) flush(calls ...agent.CallRecord) {
	h.lines.Flush()
	if h.text.Len() > 0 || len(calls) > 0 {
		h.log.Write(agent.Record{Turn: max(1, h.turns), Text: h.text.String(), Calls: calls})
		h.text.Reset()
	}
}

// end stops all timers and writes the rest.
func (h *streamState) end() {
	h.flush()
	h.cancel(nil)
	h.lingers.Stop()
	h.retries.Stop()
}

// lineWriter calls to with every line that is written to it. Lines longer than maxLine are skipped.
type lineWriter struct {
	to   func([]byte)
	rest []byte
	over bool
}

func (w *lineWriter) Write(p []byte) (int, error) {
	for part := range bytes.Lines(p) {
		if w.over = w.over || len(w.rest)+len(part) > maxLine; !w.over {
			w.rest = append(w.rest, part...)
		}
		if bytes.HasSuffix(part, []byte("\n")) {
			w.end()
		}
	}
	return len(p), nil
}

// end hands over a line, also a last one without an end.
func (w *lineWriter) end() {
	if line := bytes.TrimSpace(w.rest); !w.over && len(line) > 0 {
		w.to(line)
	}
	w.over = false
	if w.rest = w.rest[:0]; cap(w.rest) > 1<<20 {
		w.rest = nil
	}
}
