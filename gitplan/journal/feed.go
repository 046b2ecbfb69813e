package journal

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"slices"
	"strings"
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
// for followers (see [Follow]). It is private to this clone, is written in batches, starts over when it
// is full, and is removed with the lock. If it cannot be written, the work goes on without followers.
type feed struct {
	path string

	mu      sync.Mutex
	off     bool // it cannot be written
	file    *os.File
	size    int
	begins  int // how many empty lines it begins with, see again
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
		return // prose, which is not shown
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

// mostBegins is how many empty lines a feed begins with at most.
const mostBegins = 32

// again empties a file that is full, and begins it with what is under way, after another number of empty
// lines than before: by its size alone a follower could not tell that it began again.
func (f *feed) again(b *bytes.Buffer) {
	rest := bytes.Clone(b.Bytes())
	b.Reset()
	f.begins = f.begins%mostBegins + 1
	b.WriteString(strings.Repeat("\n", f.begins))
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

// A follower polls this often, while the plan is worked on and while it is not: four stats each time,
// which every file system and every store of refs can answer, while not all can notify. At every 50 ms
// that takes 0.6 % of a processor (measured).
const (
	followWork = 50 * time.Millisecond
	followRest = 150 * time.Millisecond
)

// aliveEvery is how often a follower makes sure that the holder is alive.
const aliveEvery = time.Second

// Following holds the functions that a follower of a plan calls.
type Following struct {
	Began  func(Holder) // work on it has begun
	Notice func(Notice) // what happens there
	Ended  func(died bool)
	// Changed says that the plan's chain has new events, and is called once at the beginning:
	// something may have happened since the caller read it. live says whether the holder is
	// followed too, and so has reported its own events by Notice.
	Changed func(live bool) error
}

// follower reads the feeds of those who work on a plan, one after the other.
type follower struct {
	Following
	repo   *git.Repo
	id     string
	chain  string   // what the plan's ref looks like, "" at first
	file   *os.File // nil while there is no holder
	begins int      // how many empty lines the file begins with
	rest   []byte   // the beginning of a line that is not whole yet
	at     int64
	looked time.Time
	there  time.Time // when a holder was followed last, or something happened
}

// Follow reports what happens to a plan until the context ends.
func Follow(ctx context.Context, r *git.Repo, id string, f Following) error {
	w := &follower{Following: f, repo: r, id: id}
	defer w.close()
	if err := w.news(false); err != nil {
		return err
	}
	for {
		if err := w.look(); err != nil {
			return err
		}
		if err := w.news(w.file != nil); err != nil {
			return err
		}
		if w.file != nil {
			w.there = time.Now()
		}
		every := followRest
		if time.Since(w.there) < time.Second { // the next step of a loop may be short
			every = followWork
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(every):
		}
	}
}

// news reports that the plan's chain has changed, if it has.
func (w *follower) news(live bool) error {
	now := w.repo.RefStamp(RefPrefix + w.id)
	if now == w.chain {
		return nil
	}
	if w.chain != "" {
		w.there = time.Now() // more may follow
	}
	w.chain = now
	return w.Changed(live)
}

// look reads what the feed has that is new, and notices its beginning and end.
func (w *follower) look() error {
	path := feedPath(w.repo, w.id)
	if w.file == nil {
		w.open(path)
		if w.file == nil {
			return nil
		}
	}
	ended, died := w.removed(path), false // before reading: all was written then
	if !ended && time.Since(w.looked) >= aliveEvery {
		w.looked = time.Now()
		if _, alive := Working(w.repo, w.id); !alive {
			died = !w.removed(path) // it may have ended in order just now
			ended = true
		}
	}
	w.read()
	if !ended {
		return nil
	}
	w.close()
	// What changed until now was reported by the holder; what changes from now on is not its doing.
	err := w.news(true)
	w.Ended(died)
	return err
}

// removed reports whether the feed that is read is no longer the plan's.
func (w *follower) removed(path string) bool {
	mine, err := w.file.Stat()
	if err != nil {
		return true
	}
	theirs, err := os.Stat(path)
	return err != nil || !os.SameFile(mine, theirs)
}

// open opens the current holder's feed and skips a stale one.
func (w *follower) open(path string) {
	f, err := os.Open(path)
	if err != nil {
		return
	}
	h, alive := Working(w.repo, w.id)
	if !alive {
		_ = f.Close()
		return
	}
	w.file, w.at, w.begins, w.rest, w.looked = f, 0, 0, nil, time.Now()
	w.Began(h)
}

func (w *follower) close() {
	if w.file != nil {
		_ = w.file.Close()
		w.file = nil
	}
}

// read reports the notices that were written since the last time. A file that is shorter than it was, or
// begins otherwise, has started over.
func (w *follower) read() {
	info, err := w.file.Stat()
	if err != nil {
		return
	}
	size := info.Size()
	head := make([]byte, mostBegins+1)
	n, _ := w.file.ReadAt(head, 0)
	if begins := n - len(bytes.TrimLeft(head[:n], "\n")); size < w.at || begins != w.begins && n > 0 {
		w.at, w.begins, w.rest = 0, begins, nil
	}
	if size == w.at {
		return
	}
	data, err := io.ReadAll(io.NewSectionReader(w.file, w.at, min(size-w.at, 2*feedSize)))
	if err != nil {
		return
	}
	w.at += int64(len(data))
	w.rest = append(w.rest, data...)
	for {
		line, rest, whole := bytes.Cut(w.rest, []byte("\n"))
		if !whole {
			break
		}
		w.rest = rest
		var n Notice
		if json.Unmarshal(line, &n) == nil {
			w.Notice(n)
		}
	}
	if len(w.rest) > feedSize {
		w.rest = nil
	}
}
