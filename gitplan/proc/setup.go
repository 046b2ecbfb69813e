package proc

import (
	"errors"
	"io"
	"os"
	"strings"

	"github.com/git-plan/git-plan/gitplan/fault"
)

// bwrap sets a sandbox up from a list of files, and ends if one of them is gone by then, as
// the socket of an editor that was closed can be. That says nothing of the program, which was
// never started: the list is made again.

// setUps is how often at most a sandbox is set up for one program.
const setUps = 10

// Why bwrap did not start a program. It may with a new list, but not if it has no namespaces here.
var (
	errSetUp       = errors.New("bwrap could not set up the sandbox")
	errNoNamespace = errors.New("bwrap exits with 1")
)

// neverBegan returns the error of a program that bwrap did not start, and what bwrap said.
func neverBegan(why error, said string) error {
	if !errors.Is(why, errSetUp) && !errors.Is(why, errNoNamespace) {
		return why
	}
	text := why.Error()
	if line, _, _ := strings.Cut(strings.TrimSpace(said), "\n"); line != "" {
		text += ": " + strings.ToValidUTF8(line, "?")
	}
	return &fault.Fault{Kind: fault.ErrSandbox, Cause: why, Text: text}
}

// rewound brings an input back to its start for another try, and reports whether it could. A
// file is the program's own: nobody has read of it.
func rewound(in io.Reader) bool {
	if _, isFile := in.(*os.File); in == nil || isFile {
		return true
	}
	s, ok := in.(io.Seeker)
	if !ok {
		return false
	}
	_, err := s.Seek(0, io.SeekStart)
	return err == nil
}

// bwrapSays is what each message of bwrap begins with.
const bwrapSays = "bwrap: "

// preface withholds what begins as a message of bwrap does until it is known whether the
// program began, whose output it then is.
type preface struct {
	to   io.Writer
	held []byte
	open bool
}

func (p *preface) Write(b []byte) (int, error) {
	if p.open {
		return p.to.Write(b)
	}
	p.held = append(p.held, b...)
	n := min(len(p.held), len(bwrapSays))
	if len(p.held) < 4<<10 && string(p.held[:n]) == bwrapSays[:n] {
		return len(b), nil
	}
	return len(b), p.end(true)
}

// end passes on what is withheld if the program began.
func (p *preface) end(began bool) (err error) {
	if began && !p.open && len(p.held) > 0 {
		_, err = p.to.Write(p.held)
		p.held = nil
	}
	p.open = true
	return err
}
