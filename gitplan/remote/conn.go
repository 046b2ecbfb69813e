package remote

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
)

// The protocol, and its bounds in bytes.
const (
	version = "3"
	opening = "git-plan-wire"
	answer  = "\x00git-plan-worker"

	maxNoise    = 64 << 10  // the output of shells and engines before the worker answers
	maxFrame    = 16 << 20  // the payload of a frame: a job has a prompt
	chunk       = 64 << 10  // the payload of a sent FrameBytes
	maxReceived = 256 << 20 // all received frames except FrameBytes
	perFrame    = 1 << 10   // the minimum that a frame counts toward maxReceived
)

var (
	errSilent   = errors.New("no worker answers") // the command ended without one, or something else answered
	errLate     = errors.New("no worker answered in time")
	errTerminal = errors.New("something between the two changes bytes, as a terminal does (ssh -t, podman run -t)")
)

// Call speaks first, and returns the connection when a worker answers. Other errors than errSilent are about that one.
func Call(r io.Reader, w io.Writer, nonce string) (*Conn, error) {
	_, _ = fmt.Fprintf(w, "%s %s %s\n", opening, version, nonce) // a program that has ended may have said why
	in := bufio.NewReaderSize(r, maxNoise)
	for noise := 0; ; {
		line, err := in.ReadSlice('\n')
		noise += len(line)
		if at := bytes.LastIndex(line, []byte(answer+" ")); at >= 0 && err == nil {
			theirs, echoed, _ := strings.Cut(string(line[at+len(answer)+1:]), " ")
			switch strings.TrimSuffix(echoed, "\n") {
			case nonce + "\r":
				return nil, errTerminal
			case nonce:
				if theirs != version {
					return nil, fmt.Errorf("the worker speaks version %.10q of the protocol, this git plan version %q", theirs, version)
				}
				return &Conn{r: in, w: w}, nil
			}
		}
		if err != nil || noise > maxNoise {
			return nil, errSilent
		}
	}
}

// Answer waits for the local end, which speaks first, and answers.
func Answer(r io.Reader, w io.Writer) (*Conn, error) {
	in := bufio.NewReaderSize(r, chunk)
	line, err := in.ReadSlice('\n')
	words := strings.Fields(string(line))
	if err != nil || len(words) != 3 || words[0] != opening {
		return nil, errors.New("git plan starts this through a launcher, see gitplan-elsewhere(7)")
	}
	if _, err := fmt.Fprintf(w, "%s %s %s\n", answer, version, words[2]); err != nil {
		return nil, err
	}
	if words[1] != version {
		return nil, fmt.Errorf("git plan speaks version %.10q of the protocol, this worker version %q", words[1], version)
	}
	return &Conn{r: in, w: w}, nil
}

// Kind says what a frame holds.
type Kind byte

const (
	FrameBytes Kind = 'B' // a piece of a pack
	FrameTree  Kind = 'T' // the end of a pack: the tree that it brings

	FrameJob    Kind = 'J' // the task, for the worker
	FrameHello  Kind = 'H' // the worker's description of itself
	FrameEvent  Kind = 'e' // something happened in the session
	FrameUsage  Kind = 'u' // the usage so far
	FrameTurn   Kind = 't' // a line of the transcript
	FrameResult Kind = 'R' // how the session ended
)

// Frame is one message.
type Frame struct {
	Kind    Kind
	Payload []byte
}

// decode returns what the payload of a frame says.
func decode[T any](f Frame) (v T, err error) {
	if err = json.Unmarshal(f.Payload, &v); err != nil {
		err = fmt.Errorf("a frame %q cannot be read: %w", f.Kind, err)
	}
	return v, err
}

// receive returns what the next message says, which must be of kind k.
func receive[T any](c *Conn, k Kind) (v T, err error) {
	f, err := c.Next(k)
	if err != nil {
		return v, err
	}
	return decode[T](f)
}

// Conn is one end of a connection. Several goroutines may send; one may read.
type Conn struct {
	r        *bufio.Reader
	w        io.Writer
	received int64      // bytes read, without FrameBytes
	mu       sync.Mutex // held while a message is sent; a stream is one message
}

// Send sends a message, encoded as JSON.
func (c *Conn) Send(k Kind, v any) error {
	return c.SendStream(k, v, func(io.Writer) error { return nil })
}

// SendStream sends what write writes, and a frame of kind k at its end, as one message.
func (c *Conn) SendStream(k Kind, v any, write func(io.Writer) error) error {
	end, err := json.Marshal(v)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := write(chunks{c}); err != nil {
		return err
	}
	return c.write(k, end)
}

type chunks struct{ c *Conn }

func (p chunks) Write(b []byte) (int, error) {
	for part := range slices.Chunk(b, chunk) {
		if err := p.c.write(FrameBytes, part); err != nil {
			return 0, err
		}
	}
	return len(b), nil
}

func (c *Conn) write(k Kind, payload []byte) error {
	if len(payload) > maxFrame {
		return fmt.Errorf("a frame %q of %d bytes is too large to be sent", k, len(payload))
	}
	frame := binary.BigEndian.AppendUint32([]byte{byte(k)}, uint32(len(payload)))
	_, err := c.w.Write(append(append(frame, payload...), '\n'))
	return err
}

// Next returns the next message, which must be of one of these kinds.
func (c *Conn) Next(kinds ...Kind) (Frame, error) {
	var head [5]byte
	if _, err := io.ReadFull(c.r, head[:]); err != nil {
		return Frame{}, err
	}
	k, n := Kind(head[0]), binary.BigEndian.Uint32(head[1:])
	switch {
	case !slices.Contains(kinds, k):
		return Frame{}, fmt.Errorf("a frame %q is not expected here", k)
	case n > maxFrame:
		return Frame{}, fmt.Errorf("a frame %q of %d bytes is too large", k, n)
	case k != FrameBytes:
		c.received += max(int64(n), perFrame)
	}
	if c.received > maxReceived {
		return Frame{}, fmt.Errorf("more than %d MiB of messages", maxReceived>>20)
	}
	payload := make([]byte, n+1)
	if _, err := io.ReadFull(c.r, payload); err != nil {
		return Frame{}, err
	}
	if payload[n] != '\n' {
		return Frame{}, errTerminal
	}
	return Frame{k, payload[:n]}, nil
}

// stream reads what SendStream sent, of at most left bytes.
type stream struct {
	c    *Conn
	end  Frame // the FrameTree at its end, once it was read
	left int64
	rest []byte
}

func (s *stream) take(f Frame) error {
	if f.Kind != FrameBytes {
		s.end = f
		return nil
	}
	s.left -= int64(len(f.Payload))
	s.rest = f.Payload
	if s.left < 0 {
		return errors.New("it is too large")
	}
	return nil
}

func (s *stream) Read(p []byte) (int, error) {
	for len(s.rest) == 0 {
		if s.end.Kind != 0 {
			return 0, io.EOF
		}
		f, err := s.c.Next(FrameBytes, FrameTree)
		if err == nil {
			err = s.take(f)
		}
		if err == io.EOF {
			err = io.ErrUnexpectedEOF // io.Copy would take io.EOF for the end of the tree
		}
		if err != nil {
			return 0, err
		}
	}
	n := copy(p, s.rest)
	s.rest = s.rest[n:]
	return n, nil
}

// Greeting is a worker's description of itself: a FrameHello.
type Greeting struct {
	About   string `json:"about"`             // the version of git plan, the system, and what confines its sessions
	Problem string `json:"problem,omitempty"` // keeps it from running any session
}

// Work is the session that a worker is to run with the tree that it was sent: a FrameJob.
type Work struct {
	Format   string        `json:"format"` // the object format: sha1 or sha256
	Agent    string        `json:"agent"`
	Session  agent.Session `json:"session"`
	Settings []string      `json:"settings"` // keys and values in turn, as by git -c
	Env      []string      `json:"env"`      // NAME=value: see planLauncher.NAME.passEnv
	Setup    string        `json:"setup"`    // plan.worktreeSetup
	Findings []byte        `json:"findings"` // the file Session.Review.Findings; "" without one
}

// Used is the usage of a session so far: a FrameUsage.
type Used struct {
	Tokens agent.Tokens `json:"tokens"`
	Cost   agent.Cost   `json:"cost"`
}

func (u Used) Add(o Used) Used { return Used{u.Tokens.Add(o.Tokens), u.Cost.Add(o.Cost)} }

const maxWait = 24 * time.Hour

// TidyEvent brings a worker's report about a session within bounds. ok is false if it is not an event.
func TidyEvent(e agent.Event) (_ agent.Event, ok bool) {
	e.Text, e.Tool = agent.OneLine(e.Text, agent.MaxEvent), agent.OneLine(e.Tool, agent.MaxEvent)
	e.Wait = min(max(e.Wait, 0), maxWait)
	return e, e.Kind == agent.SaidText || e.Kind == agent.CalledTool || e.Kind == agent.Waiting
}

// TidyResult brings a worker's result within bounds. Next is for a person there.
func TidyResult(r agent.Result) agent.Result {
	r.Tokens, r.Cost = r.Tokens.Believed(), r.Cost.Believed()
	r.Next = ""
	r.RetryAfter = min(max(r.RetryAfter, 0), maxWait)
	r.Reason, r.Agent = agent.OneLine(agent.Mask(r.Reason, ""), agent.MaxReason), agent.OneLine(r.Agent, 200)
	if r.ExitCode != nil {
		*r.ExitCode = min(max(*r.ExitCode, 0), 255)
	}
	if !r.Status.Known() || r.Status == agent.Lost {
		r.Status, r.Reason = agent.Failed, "the worker gave no end of the session"
	}
	return r.Tidy()
}
