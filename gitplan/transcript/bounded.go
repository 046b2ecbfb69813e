package transcript

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// Bounds of a transcript, in bytes. The first has room for 150 turns whose answers to calls are
// as large as those of a turn may be, 96 KiB.
const (
	maxSize = 16 << 20
	endSize = 8 << 10 // kept free for the last two lines
)

// bounded is the file of a session's turns, one JSON object a line, of at most maxSize
// bytes. When it is full, further lines are left out, except the last, which says how the session
// ended; after it a line {"cut": ...} says how much is missing.
type bounded struct {
	file    *os.File
	written int
	missing int
	last    []byte // of the lines left out
}

func create(path string) (*bounded, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	return &bounded{file: f}, err
}

// Write takes one whole line.
func (t *bounded) Write(line []byte) (int, error) {
	if t.missing == 0 && t.written+len(line) <= maxSize-endSize {
		n, err := t.file.Write(line)
		t.written += n
		return n, err
	}
	t.missing += len(line)
	if t.last = nil; len(line) < endSize/2 {
		t.last = slices.Clone(line)
	}
	return len(line), nil
}

// Close ends the transcript.
func (t *bounded) Close() error {
	if t.missing > 0 {
		const note = `{"time":%q,"cut":"%d bytes are left out: a transcript holds at most %d"}` + "\n"
		_, _ = t.file.Write(t.last)
		t.missing -= len(t.last)
		_, _ = fmt.Fprintf(t.file, note, time.Now().UTC().Format(time.RFC3339Nano), t.missing, maxSize)
	}
	return t.file.Close()
}
