package agent

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"mime"
	"net/http"
)

// Bounds of what a model server may send in one answer.
const (
	maxEvent  = 8 << 20
	maxStream = 256 << 20 // providers pad the events of long answers
)

// events calls f for the data of each server-sent event. A server that ignores
// "stream" and answers with one JSON object is taken as one event. done reports
// that the stream came to its proper end.
func events(h http.Header, r io.Reader, f func(data []byte) error) (done bool, err error) {
	br := bufio.NewReaderSize(r, 32<<10)
	if kind, _, _ := mime.ParseMediaType(h.Get("Content-Type")); kind != "text/event-stream" {
		switch first, err := firstByte(br); {
		case err != nil:
			return false, &fault{kind: faultCut, text: "the body is empty"}
		case first == '{':
			return true, wholeBody(br, f)
		case first == '<':
			return false, &fault{kind: faultProtocol, text: "the endpoint answered with a web page", hint: hintHost}
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
		return &fault{kind: faultProtocol, text: "the answer is too large"}
	case !json.Valid(body):
		return &fault{kind: faultCut, text: "the body is no whole JSON object"}
	}
	return f(body)
}

// firstByte is the first byte that is no white space, left unread.
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

// stream reads server-sent events as the WHATWG names them, as far as model
// servers use them: data lines, comments, and an empty line at an event's end.
type stream struct {
	r    *bufio.Reader
	f    func([]byte) error
	data []byte
	done bool // [DONE] was seen
}

func (s *stream) read() (bool, error) {
	for !s.done {
		line, err := s.line()
		if err == io.EOF {
			// The last event may lack its empty line; half an event may not count.
			if json.Valid(s.data) || string(bytes.TrimSpace(s.data)) == "[DONE]" {
				err = s.flush()
			} else {
				err = nil
			}
			return s.done, err
		}
		if err != nil {
			return false, err
		}
		if len(line) == 0 {
			if err := s.flush(); err != nil {
				return false, err
			}
		} else if d, ok := bytes.CutPrefix(line, []byte("data:")); ok {
			if len(s.data) > 0 {
				s.data = append(s.data, '\n')
			}
			s.data = append(s.data, bytes.TrimPrefix(d, []byte(" "))...)
		}
		if len(s.data) > maxEvent {
			return false, errEventSize()
		}
	}
	return true, nil
}

// line is the next line without its end. Text after the last line end is kept
// as a line, for streams that end without one.
func (s *stream) line() ([]byte, error) {
	var line []byte
	for {
		part, err := s.r.ReadSlice('\n')
		line = append(line, part...)
		if len(line) > maxEvent {
			return nil, errEventSize()
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
	switch {
	case len(data) == 0:
		return nil
	case string(data) == "[DONE]":
		s.done = true
		return nil
	}
	return s.f(data)
}

func errEventSize() error {
	return &fault{kind: faultProtocol, text: "an event of the answer is too large"}
}
