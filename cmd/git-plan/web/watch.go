package web

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/journal"
)

// watch is the plan as browsers see it: parts, each with the version of the page in which it became
// what it is, the newest events, and what sessions do. While somebody watches, one goroutine follows
// the plan for all of them; each is sent what is newer than what it has.
type watch struct {
	mu      sync.Mutex
	page    *Page            // as it was read last; nil before
	version int64            // grows, also from one server to the next
	whole   int64            // the version in which the page must be asked for again
	parts   map[string]int64 // the version of each part that changed since
	log     []Event          // newest first
	events  []journal.Event  // of the plan, oldest first
	calls   []Call
	heard   int           // how many calls there were
	news    chan struct{} // closed when there is something new; nil if nobody waits

	watchers int
	end      context.CancelFunc
	ended    <-chan struct{}

	reading sync.Mutex // one page is read at a time, so that the newest is taken last
}

// position is what a browser has.
type position struct {
	version       int64
	events, calls int
}

func (p position) String() string { return fmt.Sprintf("%d.%d.%d", p.version, p.events, p.calls) }

// positionOf reads one; nonsense is the beginning.
func positionOf(text string) (p position) {
	if n, _ := fmt.Sscanf(text, "%d.%d.%d", &p.version, &p.events, &p.calls); n != 3 {
		return position{}
	}
	return p
}

// tell wakes all who wait; the caller has the lock.
func (w *watch) tell() {
	if w.news != nil {
		close(w.news)
		w.news = nil
	}
}

// next is the version of what changes now.
func (w *watch) next() int64 { return max(w.version+1, time.Now().UnixNano()) }

// noteEvents notes the newest events of a plan that was just read.
func (w *watch) noteEvents(co *checkout.Checkout) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.hear(co.Branch, co.Doc.Events, w.next())
}

// take notes a page that was read now, and what of it differs from the one before. It returns what a
// browser has that shows it.
func (w *watch) take(p *Page, branch string) position {
	w.mu.Lock()
	defer w.mu.Unlock()
	before := w.page
	now := w.next()
	w.hear(branch, p.events, now)
	switch {
	case before == nil || !slices.EqualFunc(before.Steps, p.Steps, func(a, b Step) bool { return a.ID == b.ID }) || before.ID != p.ID:
		w.version, w.whole, w.parts = now, now, map[string]int64{}
	default:
		was := before.parts()
		for id, part := range p.parts() {
			if !reflect.DeepEqual(part, was[id]) {
				w.version, w.parts[id] = now, now
			}
		}
	}
	w.page = p
	if w.version == now {
		w.tell()
	}
	return position{w.version, len(p.events), 0}
}

// hear notes the newest events. Where they do not follow the ones before, as after a merge, the page is
// another.
func (w *watch) hear(branch string, events []journal.Event, version int64) {
	known, n := len(w.events), len(events)
	both := min(known, n)
	switch same := both == 0 || events[both-1].Commit == w.events[both-1].Commit; {
	case same && n <= known:
		return // somebody read more before
	case same:
		w.log = append(history(branch, events, known), w.log...)
	default:
		w.version, w.whole, w.parts = version, version, map[string]int64{}
		w.log = history(branch, events, 0)
	}
	w.log = slices.Clone(w.log[:min(len(w.log), mostEvents)])
	w.events = events
	w.tell()
}

// news is what is sent to a browser: its parts and events as HTML, the newest first, and what sessions do.
type news struct {
	Whole bool   `json:"whole,omitempty"` // all must be asked for again
	Parts string `json:"parts,omitempty"`
	Log   string `json:"log,omitempty"`
	Calls []Call `json:"calls,omitempty"`
}

// since returns what is newer than what a browser has, what it has then, and what is closed when there is
// more.
func (w *watch) since(at position, acts bool) (news, position, <-chan struct{}, error) {
	w.mu.Lock()
	if w.news == nil {
		w.news = make(chan struct{})
	}
	more, p, now := w.news, w.page, position{w.version, len(w.events), w.heard}
	var ids []string
	for id, version := range w.parts {
		if version > at.version {
			ids = append(ids, id)
		}
	}
	n := news{Whole: at.version < w.whole}
	log := w.log[:min(len(w.log), max(0, now.events-at.events))]
	n.Calls = slices.Clone(w.calls)
	w.mu.Unlock()

	n.Calls = slices.DeleteFunc(n.Calls, func(c Call) bool { return c.N <= at.calls })
	if n.Whole || p == nil {
		return n, now, more, nil
	}
	shown := *p
	shown.Live, shown.Acts = true, acts
	var b strings.Builder
	slices.Sort(ids)
	for _, id := range ids {
		if err := shown.part(&b, id); err != nil {
			return n, now, more, err
		}
	}
	n.Parts = b.String()
	b.Reset()
	err := pages().ExecuteTemplate(&b, "events", log)
	n.Log = strings.TrimSpace(b.String())
	return n, now, more, err
}

// empty reports whether there is nothing to send.
func (n news) empty() bool { return !n.Whole && n.Parts == "" && n.Log == "" && len(n.Calls) == 0 }

// String returns it as JSON, in one line.
func (n news) String() string {
	var b strings.Builder
	to := json.NewEncoder(&b)
	to.SetEscapeHTML(false) // nobody reads it as HTML, and half of it would be escapes
	_ = to.Encode(n)
	return strings.TrimSpace(b.String())
}

// call notes what a notice says. Those of a session's predecessor at the same thing are forgotten.
func (w *watch) call(n journal.Notice) {
	c := callOf(n)
	if c.Text == "" {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if c.Fresh {
		w.calls = slices.DeleteFunc(w.calls, func(o Call) bool { return o.Step == c.Step && o.Who == c.Who })
	}
	if last := len(w.calls) - 1; last >= 0 && w.calls[last].Brief && w.calls[last].Step == c.Step {
		w.calls = w.calls[:last]
	}
	w.heard++
	c.N = w.heard
	w.calls = append(w.calls[max(0, len(w.calls)+1-mostCalls):], c)
	w.tell()
}

// step returns a step of the page that was read last.
func (w *watch) step(id string) (shownStep, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.page == nil {
		return shownStep{}, false
	}
	n, ok := w.page.steps[id]
	if !ok {
		return shownStep{}, false
	}
	return shownStep{Step: w.page.Steps[n]}, true
}
