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
	agent    *Agent
	session  agent.Session
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
	h := &streamState{agent: c, session: s, log: agent.Transcript{W: s.Transcript}, open: map[string]bool{}}
	h.lines.On = func(e agent.Event) { s.Report(e, "") }
	h.listener = c.dialect.listen(h)
	return h
}

// begin prepares for the first line; cancel ends the program.
func (s *streamState) begin(cancel context.CancelCauseFunc, life *agent.Life) {
	s.cancel, s.life = cancel, life
	s.retries = proc.NewClock(0, func() { cancel(errRetrying) })
	s.lingers = proc.NewClock(0, func() { cancel(errLingers) })
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
func (s *streamState) alive() {
	s.lingers.Stop()
	s.retries.Stop()
	s.retrying = false
	if len(s.open) > 0 {
		s.life.Extend((toolIdle - 1) * s.session.Idle)
	} else {
		s.life.Beat()
	}
}

// turn counts a model call, and asks whether it may be made.
func (s *streamState) turn() {
	s.alive()
	s.flush()
	s.turns++
	if s.session.MaxTurns > 0 && s.turns > s.session.MaxTurns {
		s.cancel(errTurns)
	}
	if s.session.Spend != nil && s.spent == nil {
		cost := s.agent.Price.Of(s.tokens)
		cost.Known = cost.Known || s.agent.dialect.costs // it reports that at its end
		if s.spent = s.session.Spend(s.tokens, cost); s.spent != nil {
			s.cancel(errSpent)
		}
	}
}

// output precedes what a model says or calls: after a tool has ended, that belongs to a new model call.
func (s *streamState) output() {
	if !s.inside {
		s.inside = true
		s.turn()
	}
}

func (s *streamState) used(t agent.Tokens) {
	s.tokens = s.tokens.Add(t.Believed())
	s.alive()
}

// said takes a piece of text of the model's.
func (s *streamState) said(text string) {
	if s.last.Len() < maxLast {
		s.last.WriteString(text)
	}
	if s.text.Len() < agent.MaxText {
		s.text.WriteString(visible.Cut(text, agent.MaxText))
	}
	s.lines.Write(text)
	s.alive()
}

func (s *streamState) called(id, tool, text string) {
	s.opened(id)
	s.alive()
	s.last.Reset()
	s.lines.Flush()
	s.session.Report(agent.Event{Kind: agent.CalledTool, Tool: tool, Text: gist(text, s.session.Dir)}, "")
	s.flush(agent.CallRecord{ID: id, Name: tool, Args: text})
}

func (s *streamState) answered(id, text string) {
	s.inside = false
	s.closed(id)
	s.alive()
	s.flush()
	s.log.Write(agent.Record{Answers: []agent.AnswerRecord{{ID: id, Text: text}}})
}

// opened and closed are the beginning and end of a call, or of a step in which tools may run.
func (s *streamState) opened(id string) {
	if len(s.open) < agent.MaxCalls {
		s.open[visible.Cut(id, maxID)] = true
	}
}

func (s *streamState) closed(id string) { delete(s.open, visible.Cut(id, maxID)) }

// ended notes that the program says so: it may stay for a while.
func (s *streamState) ended() {
	s.alive()
	s.lingers.Reset(s.agent.stay)
}

// waits takes note of a retry, which is not progress. A session ends that retries in vain, or for too long.
func (s *streamState) waits(e ending, useless bool) {
	s.lingers.Stop()
	// A limit that lasts long is waited for without the program.
	s.retry, s.useless = e, useless || e.wait > s.agent.Wait || e.status == agent.Limited && e.wait > retryWait
	text := strings.TrimSuffix("retrying: "+agent.OneLine(e.reason, agent.MaxEvent), ": ")
	s.session.Report(agent.Event{Kind: agent.Waiting, Text: text, Wait: e.wait}, "")
	s.log.Write(agent.Record{Waiting: text})
	switch {
	case s.useless:
		s.cancel(errRetrying)
	case !s.retrying:
		s.retrying = true
		s.retries.Reset(s.agent.Wait)
		s.life.Extend(s.agent.Wait)
	}
}

var aboutCall = visible.NewPattern(`"(?:command|file_path|filePath|path|pattern|query)":\s*("(?:[^"\\]|\\.)*")`)

// gist returns what a call is about: of JSON arguments the command, the file or the pattern; else all of it.
func gist(args, dir string) (about string) {
	m := aboutCall().FindStringSubmatch(args)
	if m == nil || json.Unmarshal([]byte(m[1]), &about) != nil {
		return args
	}
	return strings.TrimPrefix(about, dir+"/")
}

// flush writes what the model said since the last time, and a call.
func (s *streamState) flush(calls ...agent.CallRecord) {
	s.lines.Flush()
	if s.text.Len() > 0 || len(calls) > 0 {
		s.log.Write(agent.Record{Turn: max(1, s.turns), Text: s.text.String(), Calls: calls})
		s.text.Reset()
	}
}

// end stops all timers and writes the rest.
func (s *streamState) end() {
	s.flush()
	s.cancel(nil)
	s.lingers.Stop()
	s.retries.Stop()
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
