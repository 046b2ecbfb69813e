package cli

import (
	"bytes"
)

// maxLine bounds one line of a program's stream, in bytes. A tool's output of
// 3 MB comes as one line of 3 MB (measured).
const maxLine = 64 << 20

// lineWriter calls to with every line that is written to it, without its end. It skips a line
// longer than maxLine: the events around it say enough.
type lineWriter struct {
	to   func([]byte)
	rest []byte
	over bool
}

// Write never fails, so that the program is not ended by what it says.
func (w *lineWriter) Write(p []byte) (int, error) {
	n := len(p)
	for {
		i := bytes.IndexByte(p, '\n')
		if i < 0 {
			w.keep(p)
			return n, nil
		}
		if w.keep(p[:i]); !w.over && len(bytes.TrimSpace(w.rest)) > 0 {
			w.to(w.rest)
		}
		p = p[i+1:]
		w.over = false
		if w.rest = w.rest[:0]; cap(w.rest) > 1<<20 {
			w.rest = nil
		}
	}
}

func (w *lineWriter) keep(p []byte) {
	if w.over || len(w.rest)+len(p) > maxLine {
		w.rest, w.over = w.rest[:0], true
		return
	}
	w.rest = append(w.rest, p...)
}

// end hands over a last line without an end.
func (w *lineWriter) end() {
	if !w.over && len(bytes.TrimSpace(w.rest)) > 0 {
		w.to(w.rest)
	}
	w.rest = nil
}
