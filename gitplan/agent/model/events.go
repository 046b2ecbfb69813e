package model

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"

	"github.com/git-plan/git-plan/gitplan/agent"
)

// maxEvent bounds one event, and an answer that is not sent as events.
const maxEvent = 8 << 20

// errFinal is returned for an event after which the answer is complete.
var errFinal = errors.New("the answer is complete")

// bounded ends a body that is larger than it may be, with that reason: it is not cut
// off, and would be no shorter if it were asked for again.
type bounded struct {
	r          io.Reader
	left, most int
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, tooLarge("the answer", b.most)
	}
	n, err := b.r.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}

// tooLarge returns the fault of an answer, or a part of it, that is larger than it may be.
func tooLarge(what string, most int) error {
	return &Fault{kind: faultProtocol, text: fmt.Sprintf("%s is larger than %d MiB", what, most>>20)}
}

// readEvents calls f for the data of each server-sent event. A server that ignores
// "stream" and answers with one JSON object is taken as one event. done reports
// that the stream came to its proper end.
func readEvents(h http.Header, r io.Reader, f func(data []byte) error) (done bool, err error) {
	if how := h.Get("Content-Encoding"); how != "" && how != "identity" { // a little of it could be any amount
		return false, &Fault{kind: faultProtocol, text: "the answer is compressed (" + agent.OneLine(how, 40) + "), which was not asked for"}
	}
	br := bufio.NewReaderSize(r, 32<<10)
	if kind, _, _ := mime.ParseMediaType(h.Get("Content-Type")); kind != "text/event-stream" {
		switch first, err := firstByte(br); {
		case errors.As(err, new(*Fault)):
			return false, err
		case err != nil:
			return false, &Fault{kind: faultCut, text: "the body is empty"}
		case first == '{':
			return true, wholeBody(br, f)
		case first == '<':
			return false, &Fault{kind: faultProtocol, hint: hintHost, page: true, text: "the endpoint answered with a web page"}
		}
	}
	s := stream{r: br, f: f}
	return s.read()
}

func wholeBody(r io.Reader, f func([]byte) error) error {
	body, err := io.ReadAll(io.LimitReader(r, maxEvent+1))
	switch {
	case err != nil:
		return err
	case len(body) > maxEvent:
		return tooLarge("the answer", maxEvent)
	case !json.Valid(body):
		return &Fault{kind: faultCut, text: "the body is not a whole JSON object"}
	}
	if err := f(body); err != errFinal {
		return err
	}
	return nil
}

// firstByte returns the first byte that is no white space, left unread.
func firstByte(r *bufio.Reader) (byte, error) {
	for {
		b, err := r.ReadByte()
		if err != nil {
			return 0, err
		}
		if b > ' ' {
			return b, r.UnreadByte()
		}
	}
}

// stream reads server-sent events as the WHATWG defines them, as far as model servers use them: data
// lines, comments, and an empty line at an event's end.
type stream struct {
	r     *bufio.Reader
	f     func([]byte) error
	data  []byte
	done  bool // [DONE] was read
	final bool // the answer is complete; only its usage may follow
}

func (s *stream) read() (bool, error) {
	for !s.done {
		line, err := s.line()
		if err == io.EOF {
			// The last event may lack its empty line; half an event does not count.
			if json.Valid(s.data) || string(bytes.TrimSpace(s.data)) == "[DONE]" {
				return s.done, s.flush()
			}
			return s.done, nil
		}
		if err == nil && len(line) == 0 {
			err = s.flush()
		}
		if err != nil {
			return s.done, s.unless(err)
		}
		if d, ok := bytes.CutPrefix(line, []byte("data:")); ok {
			if len(s.data) > 0 {
				s.data = append(s.data, '\n')
			}
			s.data = append(s.data, bytes.TrimPrefix(d, []byte(" "))...)
		}
		if len(s.data) > maxEvent {
			return s.done, s.unless(tooLarge("an event of the answer", maxEvent))
		}
	}
	return true, nil
}

// unless returns an error that came before the answer was complete; what comes after it is ignored.
func (s *stream) unless(err error) error {
	if s.final {
		return nil
	}
	return err
}

// line returns the next line without its end. Text after the last line end is a line, too, for
// streams that end without one.
func (s *stream) line() ([]byte, error) {
	var line []byte
	for {
		part, err := s.r.ReadSlice('\n')
		line = append(line, part...)
		if len(line) > maxEvent {
			return nil, tooLarge("an event of the answer", maxEvent)
		}
		if err == bufio.ErrBufferFull {
			continue
		}
		if err == io.EOF && len(line) > 0 {
			err = nil
		}
		return bytes.TrimRight(line, "\r\n"), err
	}
}

func (s *stream) flush() error {
	data := bytes.TrimSpace(s.data)
	s.data = nil
	if string(data) == "[DONE]" {
		s.done = true
	}
	if len(data) == 0 || s.done {
		return nil
	}
	err := s.f(data)
	if err == errFinal {
		s.final, err = true, nil
	}
	return err
}
