package journal

import (
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/git-plan/git-plan/gitplan/git"
)

// Bounds of a feed: its file in bytes, and how long notices may wait for others
// to be written with them.
const (
	feedSize = 1 << 20
	feedWait = 40 * time.Millisecond
)

// feed is where the holder of a plan's lock reports what happens, one JSON notice a line,
// for whoever follows (see [Follow]). It is private to this clone, is written in batches,
// starts over when it is full, and is removed with the lock. If it cannot be written, nobody
// follows and the work goes on.
type feed struct {
	path string

	mu      sync.Mutex
	off     bool // it cannot be written
	file    *os.File
	size    int
	pending []Notice
	timer   *time.Timer
	written time.Time
	open    []Notice // the beginnings of what is under way
}

// report adds a notice to the feed. What a session says or does is written only if nothing newer
// follows at once: there may be 100,000 such notices a second.
func (f *feed) report(n Notice) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if n.Kind == SessionText && n.Reason == "" {
		return // prose, which nobody is shown
	}
	if last := len(f.pending) - 1; last >= 0 && replaces(n, f.pending[last]) {
		f.pending[last] = n
		return
	}
	f.pending = append(f.pending, n)
	if f.timer == nil {
		f.timer = time.AfterFunc(feedWait-min(time.Since(f.written), feedWait), f.flush)
	}
}

// replaces reports whether a notice makes the one before it obsolete.
func replaces(n, before Notice) bool {
	return n.Kind == before.Kind && n.Session == before.Session && (n.Kind == SessionTool || n.Kind == SessionUsage)
}

func (f *feed) flush() {
	f.mu.Lock()
	defer f.mu.Unlock()
	var b bytes.Buffer
	for _, n := range f.pending {
		writeNotice(&b, n)
		f.open = after(f.open, n)
	}
	f.pending, f.timer, f.written = f.pending[:0], nil, time.Now()
	if f.off {
		return
	}
	if f.file == nil {
		var err error
		if f.file, err = os.OpenFile(f.path, os.O_CREATE|os.O_WRONLY|os.O_TRUNC|os.O_APPEND, 0o600); err != nil {
			f.off = true
			return
		}
	}
	if f.size+b.Len() > feedSize {
		f.again(&b)
	}
	n, _ := f.file.Write(b.Bytes())
	f.size += n
}

// again empties a file that is full, and begins it with what is under way.
func (f *feed) again(b *bytes.Buffer) {
	rest := bytes.Clone(b.Bytes())
	b.Reset()
	for _, n := range f.open {
		writeNotice(b, n)
	}
	if room := feedSize / 2; len(rest) > room { // the newest, in whole lines
		_, rest, _ = bytes.Cut(rest[len(rest)-room:], []byte("\n"))
	}
	b.Write(rest)
	if f.file.Truncate(0) == nil {
		f.size = 0
	}
}

// after returns what is under way after a notice, of what was before: the beginnings of steps, rounds
// and sessions.
func after(open []Notice, n Notice) []Notice {
	switch n.Kind {
	case StepStart, ReviewRound:
		return append(slices.DeleteFunc(open, func(o Notice) bool { return !slices.Contains(n.Steps, o.Step) || o.Step == n.Step }), n)
	case SessionStart:
		return append(open, n)
	case SessionEnd:
		return slices.DeleteFunc(open, func(o Notice) bool { return o.Session != "" && o.Session == n.Session })
	case StepDone, StepBlocked, StepFailed:
		if n.endsStep() {
			return slices.DeleteFunc(open, func(o Notice) bool { return o.Kind == StepStart && o.Step == n.Step && len(o.Steps) > 0 })
		}
	}
	return open
}

// UnderWay returns the beginnings of what the holder of a plan's lock is at: steps, rounds of a review,
// sessions. There are none where its feed cannot be read.
func UnderWay(r *git.Repo, id string) (open []Notice) {
	data, _ := ReadRegular(feedPath(r, id))
	for line := range bytes.Lines(data) {
		var n Notice
		if json.Unmarshal(line, &n) == nil {
			open = after(open, n)
		}
	}
	return open
}

func writeNotice(b *bytes.Buffer, n Notice) {
	if line, err := json.Marshal(n); err == nil {
		b.Write(line)
		b.WriteByte('\n')
	}
}

// end writes what is left and removes the file. Whoever has it open reads on to its end.
func (f *feed) end() {
	f.mu.Lock()
	if f.timer != nil {
		f.timer.Stop()
	}
	reported := f.file != nil || len(f.pending) > 0
	f.mu.Unlock()
	if !reported {
		return
	}
	f.flush()
	if f.file != nil {
		_, _ = f.file.Close(), os.Remove(f.path)
	}
}
