package cli

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/testdata/race"
)

// hearAs feeds every dialect a text, at once and in pieces, and checks the invariants of the result.
func hearAs(t *testing.T, text []byte, exit int) {
	for _, name := range Names() {
		d := dialectOf(name)
		if d.acp { // see FuzzACP
			continue
		}
		h, e := hearAll(d, text, exit, "")
		r := e.result(agent.Session{Role: agent.Executor, Nonce: "\x00"})
		if r.Status == "" || r.Status == agent.Done {
			t.Errorf("%s made %s of %.200q", name, r.Status, text)
		}
		if r.Status == agent.Blocked && r.Question == "" {
			t.Errorf("%s is blocked without a question by %.200q", name, text)
		}
		if r.RetryAfter < 0 || r.RetryAfter > 0 && r.Status != agent.Limited {
			t.Errorf("%s: %s after %s of %.200q", name, r.Status, r.RetryAfter, text)
		}
		if h.turns > 2*bytes.Count(text, []byte("\n"))+2 {
			t.Errorf("%s counts %d turns in %.200q", name, h.turns, text)
		}
	}
}

// FuzzStreams feeds every decoder every stream, its own and those of the others, cut, mixed and broken. None
// panics, hangs or finds a success.
func FuzzStreams(f *testing.F) {
	for _, s := range capturedStreams(f) {
		if len(s.text) < 12<<10 {
			f.Add(s.text, s.Exit)
		}
	}
	f.Add([]byte("\x00\xff\xfe\n{\n[]\nnull\n\"x\"\n{\"type\":7}\n{\"type\":\"result\",\"usage\":[]}\n"), 0)
	f.Add([]byte(`{"type":"system","subtype":"api_retry","retry_delay_ms":1e300,"error_status":-1}`), 1)
	f.Add([]byte(`{"type":"turn.failed","error":{"message":"unexpected status 4"}}`), 1)
	f.Add([]byte(`{"type":"error","error":{"name":"APIError","data":{"statusCode":429,"responseHeaders":{"retry-after":"1e999"}}}}`), 1)
	f.Fuzz(hearAs)
}

// A line of 64 MiB is read; a longer one is skipped, and reading continues after it.
func TestLongLines(t *testing.T) {
	race.Skip(t)
	line := func(n int) string {
		return `{"type":"item.completed","item":{"id":"i","type":"command_execution","aggregated_output":"` + strings.Repeat("x", n) + `","exit_code":0}}` + "\n"
	}
	var log bytes.Buffer
	h := listening(codex, agent.Session{Transcript: &log})
	w := &lineWriter{to: h.listener.line}
	begin := time.Now()
	for _, n := range []int{3 << 20, maxLine - 1<<10, maxLine, 10} {
		text := []byte(line(n))
		for len(text) > 0 { // as a pipe gives it
			k := min(len(text), 32<<10)
			_, _ = w.Write(text[:k])
			text = text[k:]
		}
	}
	if answers := strings.Count(log.String(), `"answers"`); answers != 3 {
		t.Errorf("%d of 3 lines were heard", answers)
	}
	if cap(w.rest) > 1<<20 {
		t.Errorf("%d bytes are kept", cap(w.rest))
	}
	t.Logf("took %s", time.Since(begin))
}
