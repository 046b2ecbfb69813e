package wire

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"sync/atomic"
)

// Kind says what a frame holds. Unknown kinds from 128 on are skipped, others are refused.
type Kind byte

// The kinds of frames.
const (
	Hello   Kind = 'H' // far: who it is
	Want    Kind = 'W' // near: of which repository it has something
	Have    Kind = 'V' // far: which trees of that it has
	Bytes   Kind = 'B' // a piece of a pack, or of a job, which is compressed
	Tree    Kind = 'T' // the end of a pack: the tree that it brings
	Job     Kind = 'J' // near: the end of a job
	Event   Kind = 'e' // far: something happened in the session
	Usage   Kind = 'u' // far: what it has used; may it go on?
	Grant   Kind = 'g' // near: yes, or why not
	Turn    Kind = 't' // far: a line of the transcript
	Offer   Kind = 'o' // far: the session says that it is done with the tree just sent, or with an answer
	Verdict Kind = 'v' // near: accepted, or why not
	Look    Kind = 'l' // near, in place of Want: what is there? It is the last that it says
	Seen    Kind = 's' // far: that
	Checked Kind = 'c' // far: how one of the commands ended
	Ask     Kind = 'q' // far: questions for a person
	Told    Kind = 'a' // near: the answers, or why there are none
	Ping    Kind = 'p'
	Result  Kind = 'R' // far: how the session ended
)

const (
	maxFrame = 1 << 20   // bytes of a payload
	piece    = 64 << 10  // of a Bytes frame that is sent
	maxTalk  = 256 << 20 // of all frames but Bytes that one end may send
	// leastTalk is what each of them counts at least: somebody looks at what they say.
	leastTalk = 1 << 10
	ignored   = Kind(128) // the first kind that may be skipped
)

// Frame is one message.
type Frame struct {
	Kind    Kind
	Payload []byte
}

// Into decodes the payload.
func (f Frame) Into(v any) error {
	if err := json.Unmarshal(f.Payload, v); err != nil {
		return fmt.Errorf("a frame %q that cannot be read: %w", f.Kind, err)
	}
	return nil
}

// Conn is one end of a connection that has been greeted. Several goroutines may send; one may read.
type Conn struct {
	r *bufio.Reader
	w io.Writer

	message sync.Mutex // held while a message is sent, and a Stream is one
	frame   sync.Mutex // held while a frame is written
	group   int        // how many calls of Together are under way
	held    []byte     // frames that wait for the end of it

	talk    int64        // bytes that the other end has sent, without Bytes
	waiting atomic.Int64 // since when the reader waits for the next frame, 0 if it does not: see alive.go
}

// errTerminal says that what lies between the two ends changes bytes.
var errTerminal = errors.New("something between the two changes bytes, as a terminal does (ssh -t, podman run -t)")

// Send sends a message. v is encoded as JSON; nil is no payload.
func (c *Conn) Send(k Kind, v any) error {
	var payload []byte
	if v != nil {
		var err error
		if payload, err = json.Marshal(v); err != nil {
			return err
		}
	}
	c.message.Lock()
	defer c.message.Unlock()
	return c.write(k, payload)
}

// SendStream sends what write writes as one message, which ends in a frame of kind k. Nothing is
// sent in between but pings.
func (c *Conn) SendStream(k Kind, v any, write func(io.Writer) error) error {
	end, err := json.Marshal(v)
	if err != nil {
		return err
	}
	c.message.Lock()
	defer c.message.Unlock()
	return c.Together(func() error {
		if err := write(pieces{c}); err != nil {
			return err
		}
		return c.write(k, end)
	})
}

// Together sends the frames of several messages by as few writes as it can. An engine hands each write
// on as it is, and where that is a small packet on a network the next one waits until it has arrived: 40 ms
// by srun, where the other end delays what acknowledges it.
func (c *Conn) Together(send func() error) error {
	c.frame.Lock()
	c.group++
	c.frame.Unlock()
	err := send()
	c.frame.Lock()
	defer c.frame.Unlock()
	if c.group--; c.group == 0 {
		err = errors.Join(err, c.flush())
	}
	return err
}

// flush writes what is held; the caller has the lock.
func (c *Conn) flush() error {
	out := c.held
	c.held = nil
	if len(out) == 0 {
		return nil
	}
	_, err := c.w.Write(out)
	return err
}

type pieces struct{ c *Conn }

func (p pieces) Write(b []byte) (int, error) {
	for part := range slices.Chunk(b, piece) {
		if err := p.c.write(Bytes, part); err != nil {
			return 0, err
		}
	}
	return len(b), nil
}

func (c *Conn) write(k Kind, payload []byte) error {
	if len(payload) > maxFrame {
		return fmt.Errorf("a frame %q of %d bytes is too large to be sent", k, len(payload))
	}
	c.frame.Lock()
	defer c.frame.Unlock()
	c.held = binary.BigEndian.AppendUint32(append(c.held, byte(k)), uint32(len(payload)))
	c.held = append(append(c.held, payload...), '\n')
	if c.group > 0 && k != Ping && len(c.held) < piece { // who waits must hear that we are there
		return nil
	}
	return c.flush()
}

// Next returns the next message, which must be of one of these kinds.
func (c *Conn) Next(kinds ...Kind) (Frame, error) {
	defer c.waiting.Store(0)
	for {
		c.listen()
		f, err := c.read()
		switch {
		case err != nil:
			return Frame{}, err
		case f.Kind == Ping, f.Kind >= ignored && !slices.Contains(kinds, f.Kind):
		case !slices.Contains(kinds, f.Kind):
			return Frame{}, fmt.Errorf("a frame %q, which has no place there", f.Kind)
		default:
			return f, nil
		}
	}
}

func (c *Conn) read() (Frame, error) {
	var head [5]byte
	if _, err := io.ReadFull(c.r, head[:]); err != nil {
		return Frame{}, err
	}
	k, n := Kind(head[0]), binary.BigEndian.Uint32(head[1:])
	if n > maxFrame {
		return Frame{}, fmt.Errorf("a frame %q of %d bytes, which is too large", k, n)
	}
	if k != Bytes {
		if c.talk += max(int64(n)+6, leastTalk); c.talk > maxTalk {
			return Frame{}, fmt.Errorf("more than %d MiB of messages, or than %d", maxTalk>>20, maxTalk/leastTalk)
		}
	}
	payload := make([]byte, n+1)
	if _, err := io.ReadFull(c.r, payload); err != nil {
		return Frame{}, unexpected(err)
	}
	if payload[n] != '\n' {
		return Frame{}, errTerminal
	}
	return Frame{k, payload[:n]}, nil
}

// unexpected is the error of an end in the middle of a frame.
func unexpected(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// Stream reads what SendStream sent, of at most so many bytes. Its end is the frame of kind end.
type Stream struct {
	End Frame // once Read has returned io.EOF

	c    *Conn
	end  Kind
	left int64
	rest []byte
}

// Stream returns the reader of the next message; first is its first frame, if that was read already.
func (c *Conn) Stream(end Kind, limit int64, first ...Frame) *Stream {
	s := &Stream{c: c, end: end, left: limit}
	for _, f := range first {
		_ = s.take(f)
	}
	return s
}

func (s *Stream) take(f Frame) error {
	if f.Kind == s.end {
		s.End = f
		return nil
	}
	if s.left -= int64(len(f.Payload)); s.left < 0 {
		return errTooMuch
	}
	s.rest = f.Payload
	return nil
}

var errTooMuch = errors.New("it is too large")

func (s *Stream) Read(p []byte) (int, error) {
	for len(s.rest) == 0 {
		if s.left < 0 {
			return 0, errTooMuch
		}
		if s.End.Kind != 0 {
			return 0, io.EOF
		}
		f, err := s.c.Next(Bytes, s.end)
		if err == nil {
			err = s.take(f)
		}
		if err != nil {
			return 0, unexpected(err)
		}
	}
	n := copy(p, s.rest)
	s.rest = s.rest[n:]
	return n, nil
}

// Drain reads the rest of the message, and returns its end.
func (s *Stream) Drain() (Frame, error) {
	_, err := io.Copy(io.Discard, s)
	return s.End, err
}
