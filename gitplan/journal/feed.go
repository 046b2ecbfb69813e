package journal

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/git-plan/git-plan/gitplan/disk"
	"github.com/git-plan/git-plan/gitplan/git"
)

const (
	feedSize    = 1 << 20               // the most bytes of a feed's file
	feedWait    = 40 * time.Millisecond // for notices to be written together
	followEvery = 60 * time.Millisecond // a follower polls: a few stats, and a read by the kept git process
	aliveEvery  = time.Second           // it makes sure that the holder is alive
)

// feed is where the holder of a plan's lock reports what happens, one JSON notice a line, for followers (see [Follow]).
// It is written in batches, replaced when it is full, and removed with the lock; if it cannot be, there are none.
type feed struct {
	lock *Lock
	name string // of its file, in the folder of the lock

	mu      sync.Mutex
	off     bool // it cannot be written
	file    *os.File
	size    int
	pending []Notice
	timer   *time.Timer
	written time.Time
}

// report adds a notice; of what a session does, up to 100,000 times a second, only the newest is written.
func (f *feed) report(n Notice) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if n.Kind == SessionText && n.Reason == "" {
		return // prose, which is not shown
	}
	if last := len(f.pending) - 1; last >= 0 && (n.Kind == SessionTool || n.Kind == SessionUsage) {
		if before := f.pending[last]; n.Kind == before.Kind && n.Session == before.Session { // which is obsolete
			f.pending[last] = n
			return
		}
	}
	f.pending = append(f.pending, n)
	if f.timer == nil {
		f.timer = time.AfterFunc(feedWait-min(time.Since(f.written), feedWait), f.flush)
	}
}

func (f *feed) flush() {
	f.mu.Lock()
	defer f.mu.Unlock()
	var b bytes.Buffer
	for _, n := range f.pending {
		_ = json.NewEncoder(&b).Encode(n)
	}
	f.pending, f.timer, f.written = f.pending[:0], nil, time.Now()
	if !f.off && (f.file == nil || f.size+b.Len() > feedSize) {
		f.off = f.restart(&b) != nil
	}
	if !f.off {
		n, _ := f.file.Write(b.Bytes())
		f.size += n
	}
}

// restart replaces a full file by one that begins with what is under way, and drops the oldest of too much.
func (f *feed) restart(b *bytes.Buffer) (err error) {
	rest := bytes.Clone(b.Bytes())
	if f.file != nil {
		_ = f.file.Close()
		b.Reset()
		f.lock.mu.Lock()
		for _, n := range f.lock.who.Open {
			_ = json.NewEncoder(b).Encode(n)
		}
		f.lock.mu.Unlock()
		if room := feedSize / 2; len(rest) > room { // the newest, in whole lines
			_, rest, _ = bytes.Cut(rest[len(rest)-room:], []byte("\n"))
		}
		b.Write(rest)
	}
	f.size = 0
	if f.file, err = replacement(f.lock.dir, f.name); err != nil {
		return err
	}
	return f.lock.dir.Rename(f.name+nextSuffix, f.name)
}

// nextSuffix ends the name of a file that will replace another one.
const nextSuffix = ".next"

// replacement makes the file that will replace another one, where a session may have put a link or a pipe of its name.
func replacement(dir *os.Root, name string) (*os.File, error) {
	_ = dir.Remove(name + nextSuffix)
	return dir.OpenFile(name+nextSuffix, os.O_CREATE|os.O_EXCL|os.O_WRONLY|os.O_APPEND, 0o600)
}

// after returns the running work after a notice: the beginnings of steps, rounds and sessions.
func after(open []Notice, n Notice) []Notice {
	open = slices.DeleteFunc(slices.Clone(open), func(o Notice) bool {
		switch {
		case n.Kind == StepStart, n.Kind == ReviewRound:
			return !slices.Contains(n.Steps, o.Step) || o.Step == n.Step
		case n.Kind == SessionEnd:
			return o.Session != "" && o.Session == n.Session
		}
		return n.endsStep() && o.Kind == StepStart && o.Step == n.Step && len(o.Steps) > 0
	})
	if n.Kind == StepStart || n.Kind == ReviewRound || n.Kind == SessionStart {
		open = append(open, n)
	}
	return open
}

// end writes the rest and removes the file; a follower that has it open reads on to its end.
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
		_, _ = f.file.Close(), f.lock.dir.Remove(f.name)
	}
}

// Following holds the functions that a follower of a plan calls.
type Following struct {
	Began  func(Holder) // work on it has begun
	Notice func(Notice) // what happens there
	Ended  func()
	// Changed is called at the beginning and when the plan has new events; live says that the holder reports them too.
	Changed func(live bool) error
}

// follower reads the feeds of the processes that work on a plan, one after the other.
type follower struct {
	Following
	repo   *git.Repo
	id     string
	tip    string   // of the plan's chain
	file   *os.File // nil without a holder, which is closed like any other
	holder Holder
	rest   []byte // the beginning of a line that is not whole yet
	looked time.Time
}

// Follow reports what happens to a plan until the context ends.
func Follow(ctx context.Context, r *git.Repo, id string, f Following) error {
	w := &follower{Following: f, repo: r, id: id}
	defer w.close()
	if err := w.news(ctx, false); err != nil {
		return err
	}
	for {
		if err := w.look(ctx); err != nil {
			return err
		}
		if err := w.news(ctx, w.file != nil); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(followEvery):
		}
	}
}

// news reports that the plan's chain has changed, if it has.
func (w *follower) news(ctx context.Context, live bool) error {
	now, _ := w.repo.Resolve(ctx, RefPrefix+w.id)
	if now == w.tip {
		return nil
	}
	w.tip = now
	return w.Changed(live)
}

// look reads what the feed has that is new, and notices its beginning and end.
func (w *follower) look(ctx context.Context) error {
	path := feedPath(w.repo, w.id)
	if w.file == nil {
		if w.file, w.holder = w.current(path); w.file == nil {
			return nil
		}
		w.looked = time.Now()
		w.Began(w.holder)
	}
	mine, _ := w.file.Stat()
	theirs, err := os.Lstat(path)
	ended := err != nil || !os.SameFile(mine, theirs) // before reading: all was written then
	if !ended && time.Since(w.looked) >= aliveEvery {
		w.looked = time.Now()
		_, alive := Working(w.repo, w.id)
		ended = !alive
	}
	w.read()
	if !ended {
		return nil
	}
	next, holder := w.current(path)
	if next != nil && holder.key() == w.holder.key() { // the file was full
		w.close()
		w.file = next
		w.read()
		return nil
	}
	_ = next.Close()
	w.close()
	// What changed until now was reported by the holder; what changes from now on is not its doing.
	err = w.news(ctx, true)
	w.Ended()
	return err
}

// current opens the feed of who works on the plan now; nil without one.
func (w *follower) current(path string) (*os.File, Holder) {
	f, err := disk.OpenRegular(path) // a session may have put something else in its place
	if err != nil {
		return nil, Holder{}
	}
	h, alive := Working(w.repo, w.id)
	if !alive { // it is stale
		_ = f.Close()
		return nil, h
	}
	return f, h
}

func (w *follower) close() {
	_ = w.file.Close()
	w.file, w.rest = nil, nil
}

// read reports the notices that were written since the last time.
func (w *follower) read() {
	data, _ := io.ReadAll(io.LimitReader(w.file, 2*feedSize))
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
