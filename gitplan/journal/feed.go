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
	feedSize    = 1 << 20               // the maximum size of a feed's file in bytes
	feedWait    = 40 * time.Millisecond // the interval in which notices are collected for one write
	followEvery = 60 * time.Millisecond // a follower's polling interval: a few stats, and a read by the kept git process
	aliveEvery  = time.Second           // the interval of a follower's check that the holder is alive
)

// feed is where the holder of a plan's lock reports what happens, one JSON notice a line, for followers (see [Follow]).
// It is written in batches, replaced when it is full, and removed with the lock. Without it, work goes on unreported.
type feed struct {
	lock *Lock
	name string // the name of the feed's file in the lock's folder

	mu      sync.Mutex
	off     bool // set once the file cannot be written
	file    *os.File
	size    int
	pending []Notice
	timer   *time.Timer
	written time.Time
}

// report adds a notice. Of a session's tool calls, up to 100,000 a second, only the newest is written.
func (f *feed) report(n Notice) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if n.Kind == SessionText && n.Reason == "" {
		return // prose, which is not shown
	}
	if last := len(f.pending) - 1; last >= 0 && (n.Kind == SessionTool || n.Kind == SessionUsage) {
		if before := f.pending[last]; n.Kind == before.Kind && n.Session == before.Session { // n replaces it
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

// restart replaces a full file by one that begins with the running work, and drops the oldest lines of too many.
func (f *feed) restart(b *bytes.Buffer) (err error) {
	rest := bytes.Clone(b.Bytes())
	if f.file != nil {
		_ = f.file.Close()
		b.Reset()
		f.lock.mu.Lock()
		for _, n := range f.lock.holder.Open {
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

// nextSuffix ends the name of a file that is about to replace another one.
const nextSuffix = ".next"

// replacement creates the file that is about to replace another one. A session may have put something in its place.
func replacement(dir *os.Root, name string) (*os.File, error) {
	_ = dir.Remove(name + nextSuffix)
	return dir.OpenFile(name+nextSuffix, os.O_CREATE|os.O_EXCL|os.O_WRONLY|os.O_APPEND, 0o600)
}

// openAfter returns the running work after a notice: the notices that began its steps, rounds and sessions.
func openAfter(open []Notice, n Notice) []Notice {
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
	Began  func(Holder) // called when a process begins to work on the plan
	Notice func(Notice) // called for each notice of that process
	Ended  func()       // called when that process has released the lock
	// Changed is called at the beginning and when the plan has new events; live if the holder reports them too.
	Changed func(live bool) error
}

// follower reads the feeds of the processes that work on a plan, one after the other.
type follower struct {
	Following
	repo   *git.Repo
	id     string
	tip    string   // the newest commit of the plan's chain
	file   *os.File // the open feed; nil if no process works on the plan (closing nil is harmless)
	holder Holder
	rest   []byte    // the beginning of an incomplete line
	looked time.Time // when the holder was last known to be alive
}

// Follow reports what happens to a plan until the context ends.
func Follow(ctx context.Context, r *git.Repo, id string, calls Following) error {
	f := &follower{Following: calls, repo: r, id: id}
	defer f.close()
	if err := f.news(ctx, false); err != nil {
		return err
	}
	for {
		if err := f.poll(ctx); err != nil {
			return err
		}
		if err := f.news(ctx, f.file != nil); err != nil {
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
func (f *follower) news(ctx context.Context, live bool) error {
	now, _ := f.repo.Resolve(ctx, RefPrefix+f.id)
	if now == f.tip {
		return nil
	}
	f.tip = now
	return f.Changed(live)
}

// poll reads new notices from the feed, and reports its beginning and end.
func (f *follower) poll(ctx context.Context) error {
	path := feedPath(f.repo, f.id)
	if f.file == nil {
		if f.file, f.holder = f.current(path); f.file == nil {
			return nil
		}
		f.looked = time.Now()
		f.Began(f.holder)
	}
	mine, _ := f.file.Stat()
	theirs, err := os.Lstat(path)
	ended := err != nil || !os.SameFile(mine, theirs) // determined before reading, so that all of the feed is read
	if !ended && time.Since(f.looked) >= aliveEvery {
		f.looked = time.Now()
		_, alive := Working(f.repo, f.id)
		ended = !alive
	}
	f.read()
	if !ended {
		return nil
	}
	next, holder := f.current(path)
	if next != nil && holder.key() == f.holder.key() { // the file was full
		f.close()
		f.file = next
		f.read()
		return nil
	}
	_ = next.Close()
	f.close()
	// The holder reported every change until now, and none from now on.
	err = f.news(ctx, true)
	f.Ended()
	return err
}

// current opens the feed of the process that works on the plan now; nil without one.
func (f *follower) current(path string) (*os.File, Holder) {
	file, err := disk.OpenRegular(path) // a session may have put something else in its place
	if err != nil {
		return nil, Holder{}
	}
	h, alive := Working(f.repo, f.id)
	if !alive { // the file was left by a dead process
		_ = file.Close()
		return nil, h
	}
	return file, h
}

func (f *follower) close() {
	_ = f.file.Close()
	f.file, f.rest = nil, nil
}

// read reports the notices written since the last read.
func (f *follower) read() {
	data, _ := io.ReadAll(io.LimitReader(f.file, 2*feedSize))
	f.rest = append(f.rest, data...)
	for {
		line, rest, whole := bytes.Cut(f.rest, []byte("\n"))
		if !whole {
			break
		}
		f.rest = rest
		var n Notice
		if json.Unmarshal(line, &n) == nil {
			f.Notice(n)
		}
	}
	if len(f.rest) > feedSize {
		f.rest = nil
	}
}
