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

// listener reads what one program prints in one session.
type listener interface {
	line(b []byte) []streamEvent // unknown lines are left out
	end(e exited) ending
}

// streamEvent is something that a program reported of its session.
type streamEvent struct {
	kind   streamEventKind
	id     string // of a call and its answer
	tool   string
	text   string       // the text, the call in short, its result, why it is retried
	tokens agent.Tokens // of a turn, if they are reported
	status agent.Status // of a retry: what the session is if it never succeeds
	wait   time.Duration
	final  bool // of a retry: it is useless
}

type streamEventKind int

const (
	turnBegan streamEventKind = iota // a model call
	textSaid                         // a piece of text of the model's
	toolCalled
	toolAnswered
	usageReported // of a model call
	retryWaits    // the program waits and retries, which is not progress
	stepBegan     // tools may run from now on
	stepEnded
	sessionEnded
)

// readLine reads JSON into v, and reports whether it is JSON. A field of another type is left out.
func readLine(b []byte, v any) bool {
	err := json.Unmarshal(b, v)
	return err == nil || errors.As(err, new(*json.UnmarshalTypeError))
}

// modelCalls counts calls of the model: output after a tool has ended belongs to a new one.
type modelCalls struct{ inside bool }

// with puts the start of a model call before e if that belongs to a new one.
func (m *modelCalls) with(e streamEvent) []streamEvent {
	if m.inside {
		return []streamEvent{e}
	}
	m.inside = true
	return []streamEvent{{kind: turnBegan}, e}
}

func (m *modelCalls) answered() { m.inside = false }

// streamState follows a session through its program's output.
type streamState struct {
	price agent.Price
	costs bool // the program reports at its end what the session cost

	s        agent.Session
	listener listener
	life     *agent.Life
	log      agent.Transcript
	cancel   context.CancelCauseFunc
	wait     time.Duration // for retries
	stay     time.Duration // after the end

	model  string
	turns  int
	tokens agent.Tokens
	open   map[string]bool // calls without an answer
	text   bytes.Buffer    // of the turn, not yet in the transcript
	calls  []agent.CallRecord

	lines *agent.Lines // of the text that is reported as it arrives

	retry    streamEvent
	retrying bool        // without progress since then
	retries  *proc.Clock // since the first of these
	lingers  *proc.Clock // since the program said that it has ended
	spent    error
}

// begin prepares for the first line; cancel ends the program.
func (h *streamState) begin(cancel context.CancelCauseFunc) {
	h.cancel, h.open = cancel, map[string]bool{}
	h.lines = agent.NewLines(func(line string) { h.report(agent.Event{Kind: agent.SaidText, Text: line}) })
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
)

func (h *streamState) line(b []byte) {
	for _, e := range h.listener.line(b) {
		h.one(e)
	}
}

func (h *streamState) one(e streamEvent) {
	e.id = visible.Cut(e.id, maxID)
	if h.lingers.Stop(); e.kind == sessionEnded {
		h.lingers.Reset(h.stay)
	}
	if e.kind == retryWaits {
		h.waits(e)
		return
	}
	h.retries.Stop()
	h.retrying = false
	switch e.kind {
	case turnBegan:
		h.turn()
	case textSaid:
		h.addText(e.text)
	case toolCalled:
		h.call(e)
	case toolAnswered:
		delete(h.open, e.id)
		h.flush()
		h.log.Write(agent.Record{Answers: []agent.AnswerRecord{{ID: e.id, Text: e.text}}})
	case stepBegan:
		h.opened(e.id)
	case stepEnded:
		delete(h.open, e.id)
	case usageReported:
		h.tokens = h.tokens.Add(e.tokens.Believed())
	}
	if len(h.open) > 0 {
		h.life.Extend((toolIdle - 1) * h.s.Idle)
	} else {
		h.life.Beat()
	}
}

// turn counts a model call, and asks whether it may be made.
func (h *streamState) turn() {
	h.flush()
	h.turns++
	if h.s.MaxTurns > 0 && h.turns > h.s.MaxTurns {
		h.cancel(errTurns)
	}
	if h.s.Spend != nil && h.spent == nil {
		cost := h.price.Of(h.tokens)
		cost.Known = cost.Known || h.costs // it reports that at its end
		if h.spent = h.s.Spend(h.tokens, cost); h.spent != nil {
			h.cancel(errSpent)
		}
	}
}

func (h *streamState) addText(text string) {
	if h.text.Len() < agent.MaxText {
		h.text.WriteString(visible.Cut(text, agent.MaxText))
	}
	h.lines.Write(text)
}

func (h *streamState) call(e streamEvent) {
	h.opened(e.id)
	h.lines.Flush()
	h.calls = append(h.calls, agent.CallRecord{ID: e.id, Name: e.tool, Args: e.text})
	h.report(agent.Event{Kind: agent.CalledTool, Tool: agent.OneLine(e.tool, 80),
		Text: agent.OneLine(visible.Cut(gist(e.text, h.s.Dir), 4*agent.MaxEvent), agent.MaxEvent)})
	h.flush()
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

func (h *streamState) opened(id string) {
	if len(h.open) < agent.MaxCalls {
		h.open[id] = true
	}
}

// waits ends a session that has only retried for too long, or is going to.
func (h *streamState) waits(e streamEvent) {
	h.retry = e
	text := strings.TrimSuffix("retrying: "+agent.OneLine(e.text, agent.MaxEvent), ": ")
	h.report(agent.Event{Kind: agent.Waiting, Text: text, Wait: e.wait})
	h.log.Write(agent.Record{Waiting: text})
	switch {
	case e.final, e.wait > h.wait:
		h.cancel(errRetrying)
	case !h.retrying:
		h.retrying = true
		h.retries.Reset(h.wait)
		h.life.Extend(h.wait)
	}
}

// flush writes what the model said and called since the last time.
func (h *streamState) flush() {
	h.lines.Flush()
	if h.text.Len() == 0 && len(h.calls) == 0 {
		return
	}
	h.log.Write(agent.Record{Turn: max(1, h.turns), Text: h.text.String(), Calls: h.calls})
	h.text.Reset()
	h.calls = nil
}

func (h *streamState) report(e agent.Event) {
	if h.s.On != nil && (e.Text != "" || e.Tool != "") {
		e.Text = agent.Mask(e.Text, "")
		h.s.On(e)
	}
}

// end stops all timers and writes the rest.
func (h *streamState) end() {
	h.flush()
	h.cancel(nil)
	h.lingers.Stop()
	h.retries.Stop()
}

// maxLine bounds one line of a program's stream, in bytes; a tool's output is one (3 MB, measured).
const maxLine = 64 << 20

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
