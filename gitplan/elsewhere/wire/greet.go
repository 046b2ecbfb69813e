package wire

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Protocol is the version of what this package speaks.
const Protocol = 1

const (
	opening = "git-plan-wire"
	answer  = "\x00git-plan-worker"
)

// maxNoise bounds what shells, engines and texts of welcome may say before a worker does, in bytes.
const maxNoise = 64 << 10

// NoWorker says that what was started is no worker that this program can talk to.
type NoWorker struct {
	Said  string // the end of what it said in place of that
	Why   string // what is wrong with what it is; "" if it is nothing
	Cause error  // of the end of what it says
}

func (e *NoWorker) Error() string {
	if e.Why != "" {
		return e.Why
	}
	return "no worker answers"
}

func (e *NoWorker) Unwrap() error { return e.Cause }

// Call speaks first, and returns the connection when a worker answers. The error is a *NoWorker if
// none does.
func Call(r io.Reader, w io.Writer, nonce string) (*Conn, error) {
	_, _ = fmt.Fprintf(w, "%s %d %s\n", opening, Protocol, nonce) // who is gone already may have said why
	in := bufio.NewReaderSize(r, maxNoise)
	var noise []byte
	for {
		line, err := in.ReadSlice('\n')
		if at := bytes.LastIndex(line, []byte(answer+" ")); at >= 0 && err == nil {
			if why, ok := answered(string(line[at+len(answer)+1:]), nonce); ok {
				if why != "" {
					return nil, &NoWorker{Why: why}
				}
				return &Conn{r: in, w: w}, nil
			}
		}
		if noise = append(noise, line...); err == nil && len(noise) <= maxNoise {
			continue
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			err = nil
		}
		return nil, &NoWorker{Said: string(noise[max(0, len(noise)-4096):]), Why: echoed(noise, nonce), Cause: err}
	}
}

// answered reads the rest of a worker's first line. ok is false if it is not the answer to us.
func answered(rest, nonce string) (why string, ok bool) {
	version, said, _ := strings.Cut(strings.TrimSuffix(rest, "\n"), " ")
	switch {
	case strings.TrimSuffix(said, "\r") != nonce:
		return "", false
	case strings.HasSuffix(said, "\r"):
		return errTerminal.Error(), true
	case version != fmt.Sprint(Protocol):
		return fmt.Sprintf("the worker speaks version %.10q of the protocol, this git plan version %d", version, Protocol), true
	}
	return "", true
}

// echoed recognises a terminal, which says what it hears.
func echoed(noise []byte, nonce string) string {
	if bytes.Contains(noise, []byte(opening+" ")) && bytes.Contains(noise, []byte(nonce+"\r\n")) {
		return errTerminal.Error()
	}
	return ""
}

// Answer waits for who speaks first, and answers.
func Answer(r io.Reader, w io.Writer) (*Conn, error) {
	in := bufio.NewReaderSize(r, piece)
	line, err := in.ReadSlice('\n')
	words := strings.Fields(string(line))
	if err != nil || len(words) != 3 || words[0] != opening {
		return nil, errors.New("git plan starts this through a launcher; it is not for people: see gitplan-elsewhere(7)")
	}
	if _, err := fmt.Fprintf(w, "%s %d %s\n", answer, Protocol, words[2]); err != nil {
		return nil, err
	}
	if words[1] != fmt.Sprint(Protocol) {
		return nil, fmt.Errorf("git plan speaks version %.10q of the protocol, this worker version %d", words[1], Protocol)
	}
	return &Conn{r: in, w: w}, nil
}
