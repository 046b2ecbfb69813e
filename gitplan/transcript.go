package gitplan

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// Bounds of a transcript, in bytes. The first has room for 150 turns whose calls
// are answered with as much as one turn may be answered with, 96 KiB.
const (
	transcriptSize = 16 << 20
	transcriptEnd  = 8 << 10 // kept free for the last two lines
)

// transcript is the file of a session's turns, one JSON object a line, of at
// most transcriptSize bytes. When it is full the lines that follow are left
// out, but for the last, which says how the session ended; behind it a line
// {"cut": ...} says how much is missing.
type transcript struct {
	file    *os.File
	written int
	missing int
	last    []byte // of the lines left out
}

func openTranscript(path string) (*transcript, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	return &transcript{file: f}, err
}

// Write takes one whole line.
func (t *transcript) Write(line []byte) (int, error) {
	if t.missing == 0 && t.written+len(line) <= transcriptSize-transcriptEnd {
		n, err := t.file.Write(line)
		t.written += n
		return n, err
	}
	t.missing += len(line)
	if t.last = nil; len(line) < transcriptEnd/2 {
		t.last = slices.Clone(line)
	}
	return len(line), nil
}

// Close ends the transcript.
func (t *transcript) Close() error {
	if t.missing > 0 {
		const note = `{"time":%q,"cut":"%d bytes are left out: a transcript holds at most %d"}` + "\n"
		_, _ = t.file.Write(t.last)
		t.missing -= len(t.last)
		_, _ = fmt.Fprintf(t.file, note, time.Now().UTC().Format(time.RFC3339Nano), t.missing, transcriptSize)
	}
	return t.file.Close()
}
