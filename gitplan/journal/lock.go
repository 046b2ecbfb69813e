package journal

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/proc"
)

// Holder is who works on a plan.
type Holder struct {
	PID     int       `json:"pid"`
	Start   string    `json:"start,omitempty"` // when that process began, as the system counts
	Host    string    `json:"host"`
	Since   time.Time `json:"since"`
	Command string    `json:"command"`
	Step    string    `json:"step,omitempty"`  // the one that it began last
	Steps   []string  `json:"steps,omitempty"` // that are at work, if several may be
	GitDir  string    `json:"gitDir"`
	// Children are the git processes that write for the holder now; they may outlive it.
	Children []Child `json:"children,omitempty"`
}

// Child is a git process that writes for a holder.
type Child struct {
	PID   int       `json:"pid"`
	Start string    `json:"start"`
	Since time.Time `json:"since"`
}

// Name returns a name for the holder, as for a sentence.
func (h Holder) Name() string { return fmt.Sprintf("git plan %s (pid %d)", h.Command, h.PID) }

// Lock is the right to work on one plan. The kernel takes it back when its
// holder dies, however it dies.
//
// The locks of a plan are files beside each other, all released by the kernel; a process that takes several
// takes them in this order:
//
//	lock        who works on the plan (Acquire), for as long as that takes
//	lock-next   who waits for the text, so that a run lets them in (WaitText)
//	lock-text   who works from the text, or edits it (WaitText)
//	lock-write  who adds an event, for milliseconds (Store.Apply); only for fairness
type Lock struct {
	lock *flock.Flock
	path string

	feed feed

	noting   sync.Mutex
	who      Holder
	released bool
}

// LockPath returns the lock's file. The file that says who holds it is another one beside
// it: that is replaced whole, and a lock must stay on one file.
func LockPath(r *git.Repo, id string) string { return r.PlanDir(id, "lock") }

// feedPath returns the file of the feed.
func feedPath(r *git.Repo, id string) string { return LockPath(r, id) + ".feed" }

// Acquire takes the lock of a plan, or fails with ErrBusy and who has it. Until Release, r
// reports to the lock each git that writes.
func Acquire(r *git.Repo, id, command string) (*Lock, error) {
	path := LockPath(r, id)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	l := &Lock{lock: flock.New(path, flock.SetPermissions(0o600)), path: path, feed: feed{path: feedPath(r, id)}}
	ok, err := l.try()
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, ReadHolder(path).Busy()
	}
	if err := outlast(r, id, ReadHolder(path)); err != nil {
		_ = l.lock.Close()
		return nil, err
	}
	_ = os.Remove(l.feed.path) // of a holder that died
	host, _ := os.Hostname()
	_ = os.Remove(stopPath(r, id))
	l.who = Holder{PID: os.Getpid(), Start: proc.StartTime(os.Getpid()), Host: host, Since: time.Now(), Command: command, GitDir: r.GitDir}
	if err := l.note(); err != nil {
		_ = l.lock.Close()
		return nil, err
	}
	r.OnWrite = l.Writer()
	return l, nil
}

// Writer returns a Repo.OnWrite, which notes the git process that writes for us: if we die, the next
// holder waits for it.
func (l *Lock) Writer() func(pid int) {
	mine := 0
	return func(pid int) {
		l.noting.Lock()
		defer l.noting.Unlock()
		l.who.Children = slices.DeleteFunc(l.who.Children, func(c Child) bool { return c.PID == mine })
		if mine = pid; pid != 0 {
			l.who.Children = append(l.who.Children, Child{pid, proc.StartTime(pid), time.Now()})
		}
		_ = l.note()
	}
}

// Patience is how long a git that outlived its git plan is waited for.
const Patience = 10 * time.Second

// outlast waits for the git processes that a dead holder left running: a commit with a slow
// hook lands seconds later. If they died too, it removes their lock files.
func outlast(r *git.Repo, id string, before Holder) error {
	until := time.Now().Add(Patience)
	for _, child := range before.Children {
		for ; child.Start != "" && proc.StartTime(child.PID) == child.Start; time.Sleep(20 * time.Millisecond) {
			if time.Now().After(until) {
				return fault.New(fault.ErrBusy, "git (pid %d), started by a git plan that died, still works on this plan", child.PID)
			}
		}
	}
	clearOrphans(r, id, before)
	return nil
}

// takeTurn waits until no other git plan writes to a plan. Closing the lock ends the turn;
// it takes milliseconds.
func takeTurn(r *git.Repo, id string) (*flock.Flock, error) {
	path := LockPath(r, id) + "-write"
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	turn := flock.New(path, flock.SetPermissions(0o600))
	return turn, turn.Lock()
}

// WaitText waits until no session works from a plan's text, and keeps sessions from starting
// until the lock is closed. It calls waiting, which may be nil, if it has to wait. Whoever
// waits is next: without the first of the two locks, a run that goes from session to session
// would let nobody in.
func WaitText(ctx context.Context, r *git.Repo, id string, waiting func()) (*flock.Flock, error) {
	path := LockPath(r, id)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	next, text := flock.New(path+"-next", flock.SetPermissions(0o600)), flock.New(path+"-text", flock.SetPermissions(0o600))
	defer next.Close()
	for _, l := range []*flock.Flock{next, text} {
		ok, err := l.TryLock()
		if err == nil && !ok {
			if waiting != nil {
				waiting()
				waiting = nil
			}
			_, err = l.TryLockContext(ctx, 20*time.Millisecond)
		}
		if err != nil {
			text.Close()
			return nil, err
		}
	}
	return text, nil
}

// TextWanted reports whether a process waits in WaitText while sessions work from the text.
func TextWanted(r *git.Repo, id string) bool {
	next := flock.New(LockPath(r, id) + "-next")
	if _, err := os.Stat(next.Path()); err != nil {
		return false
	}
	free, err := next.TryRLock()
	_ = next.Close()
	return err == nil && !free
}

// try takes the lock. It tries for a moment, since a process that only probes the lock holds it
// meanwhile.
func (l *Lock) try() (ok bool, err error) {
	for range 20 {
		if ok, err = l.lock.TryLock(); ok || err != nil {
			return ok, err
		}
		time.Sleep(5 * time.Millisecond)
	}
	return false, nil
}

// working says which steps the holder works on, for `git plan status`.
func (l *Lock) working(n Notice) {
	l.noting.Lock()
	defer l.noting.Unlock()
	switch {
	case n.Kind == StepStart:
		l.who.Step, l.who.Steps = n.Step, n.Steps
	case n.endsStep() && slices.Contains(l.who.Steps, n.Step):
		l.who.Steps = slices.DeleteFunc(slices.Clone(l.who.Steps), func(id string) bool { return id == n.Step })
		if l.who.Step == n.Step {
			l.who.Step = ""
		}
	default:
		return
	}
	_ = l.note() // only for show
}

// Report shows what the holder does to `git plan status` and to followers.
func (l *Lock) Report(n Notice) {
	n = n.Safe()
	l.working(n)
	l.feed.report(n)
}

// note writes who holds the lock.
func (l *Lock) note() error {
	if l.released {
		return nil
	}
	data, err := json.Marshal(l.who)
	if err != nil {
		return err
	}
	return WriteFile(l.path+".json", data)
}

// Release gives the lock back, once.
func (l *Lock) Release() {
	l.feed.end()
	l.noting.Lock()
	defer l.noting.Unlock()
	if l.released { // it may be another's by now
		return
	}
	l.released = true
	_ = os.Remove(l.path + ".json")
	_ = l.lock.Close()
}

// Working returns who works on the plan now.
func Working(r *git.Repo, id string) (Holder, bool) {
	path := LockPath(r, id)
	if _, err := os.Stat(path); err != nil {
		return Holder{}, false
	}
	probe := flock.New(path)
	if ok, err := probe.TryRLock(); err != nil || ok {
		_ = probe.Close()
		return Holder{}, false
	}
	return ReadHolder(path), true
}

// Busy returns the error for a plan whose lock is held.
func (h Holder) Busy() error {
	return fault.New(fault.ErrBusy, "git plan %s (pid %d on %s, since %s) works on this plan",
		h.Command, h.PID, h.Host, h.Since.Local().Format("15:04:05"))
}

// ReadHolder returns who holds the lock at a path, or held it last if they died.
func ReadHolder(path string) (h Holder) {
	data, _ := ReadRegular(path + ".json")
	_ = json.Unmarshal(data, &h)
	return h
}

// A lock file of git belongs to the process that made it, which may wait for an editor for hours, and no
// file says who that is. So one is removed only if a git of a git plan that died must have made it
// (outlast), or if it lies in a session's own clone, and the session has ended.

// brief is how long a lock file of git is waited for: a git that only writes the index is done by then.
const brief = 2 * time.Second

// FreeOfLocks waits until the index, HEAD, the branch and some other refs can be written, or
// returns a fault of kind git.ErrLocked that names the lock file in the way. No session is at work
// in r.
func FreeOfLocks(r *git.Repo, refs ...string) error {
	now := func() []git.Lock { return append(r.Locks(), r.LocksOf(refs...)...) }
	locks := now()
	for until := time.Now().Add(brief); len(locks) > 0; locks = now() {
		if time.Now().After(until) {
			return &fault.Fault{Kind: git.ErrLocked, Path: locks[0].Path, Text: git.InTheWay(locks[0].Path)}
		}
		for _, l := range locks {
			if r.PrivateWorktree && !l.Shared {
				_ = os.Remove(l.Path)
			}
		}
		time.Sleep(20 * time.Millisecond)
	}
	return nil
}

// clearOrphans removes the lock files that git processes of a holder left, which all have died:
// those of its work tree, of the plan, and those that all work trees share. git takes its locks as
// soon as it starts, so a file that is older or much newer is another git's.
func clearOrphans(r *git.Repo, id string, of Holder) {
	locks := (&git.Repo{Top: r.Top, GitDir: of.GitDir, CommonDir: r.CommonDir}).Locks()
	for _, l := range slices.Concat(locks, r.LocksOf(RefPrefix+id), r.LocksOf(git.SharedLockNames...)) {
		made := l.Info.ModTime()
		if slices.ContainsFunc(of.Children, func(c Child) bool {
			return made.After(c.Since.Add(-time.Second)) && made.Before(c.Since.Add(Patience))
		}) {
			_ = os.Remove(l.Path)
		}
	}
}
