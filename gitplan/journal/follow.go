package journal

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"time"

	"github.com/git-plan/git-plan/gitplan/git"
)

// A follower looks this often, while somebody works and while nobody does: four
// stats each time, which every file system and every store of refs can answer, while
// not all can notify. At every 50 ms that takes 0.6 % of a processor (measured).
const (
	followWork = 50 * time.Millisecond
	followRest = 150 * time.Millisecond
)

// aliveEvery is how often a follower makes sure that whoever works is still there.
const aliveEvery = time.Second

// Following holds the functions that a follower of a plan calls.
type Following struct {
	Began  func(Holder) // somebody works on it
	Notice func(Notice) // what happens there
	Ended  func(died bool)
	// Changed says that the plan's chain has new events, and is called once at the beginning:
	// something may have happened since the caller read it. live says whether whoever works is
	// followed too, and so has reported its own events by Notice.
	Changed func(live bool) error
}

// follower reads the feeds of those who work on a plan, one after the other.
type follower struct {
	Following
	repo   *git.Repo
	id     string
	chain  string   // what the plan's ref looks like, "" at first
	file   *os.File // nil while nobody works
	rest   []byte   // the beginning of a line that is not whole yet
	at     int64
	looked time.Time
	there  time.Time // when somebody was followed last, or something happened
}

// Follow reports what happens to a plan, until the context ends.
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

// open opens the current holder's feed, and skips that of one who died.
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
	w.file, w.at, w.rest, w.looked = f, 0, nil, time.Now()
	w.Began(h)
}

func (w *follower) close() {
	if w.file != nil {
		_ = w.file.Close()
		w.file = nil
	}
}

// read reports the notices that were written since the last time. A file that is
// shorter than it was has started over.
func (w *follower) read() {
	info, err := w.file.Stat()
	if err != nil {
		return
	}
	size := info.Size()
	if size < w.at {
		w.at, w.rest = 0, nil
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
