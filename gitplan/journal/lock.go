package journal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"github.com/git-plan/git-plan/gitplan/disk"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/proc"
)

// Lock is the right to work on one plan. The kernel takes it back when its holder dies, however it dies.
//
// The locks of a plan are files in one folder; a process that takes several takes them in this order:
//
//	lock        who works on the plan (Acquire), for as long as that takes
//	lock-next   who waits for the text, so that a run lets them in (WaitText)
//	lock-text   who works from the text, or edits it (WaitText)
//	lock-write  who adds an event, for milliseconds (Store.Apply); only for fairness
type Lock struct {
	lock *flock.Flock
	path string
	dir  *os.Root // the folder of path, held open since a session may put a link in its place

	feed feed

	mu       sync.Mutex
	holder   Holder // this process, as other processes read it
	released bool
}

// LockPath returns the path of the lock's file. A second file, path.json, names the holder.
func LockPath(r *git.Repo, id string) string { return r.PlanDir(id, "lock") }

func feedPath(r *git.Repo, id string) string { return LockPath(r, id) + ".feed" }

// Acquire takes the lock of a plan, or fails with ErrBusy; until Release, r records in it each git that writes.
func Acquire(r *git.Repo, id, command string) (*Lock, error) {
	path := LockPath(r, id)
	lock, err := newLock(r, path)
	l, ok := &Lock{lock: lock, path: path}, false
	for try := 0; try < 20 && !ok && err == nil; try++ { // a process that probes the lock holds it for a moment
		time.Sleep(min(time.Duration(try), 1) * 5 * time.Millisecond)
		ok, err = lock.TryLock()
	}
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, ReadHolder(path).Busy()
	}
	if err = awaitOrphans(r, id, ReadHolder(path)); err == nil {
		l.dir, err = os.OpenRoot(filepath.Dir(path))
	}
	if err != nil {
		_ = l.lock.Close()
		return nil, err
	}
	l.feed.lock, l.feed.name = l, filepath.Base(feedPath(r, id))
	_ = l.dir.Remove(l.feed.name) // the feed of a holder that died
	host, _ := os.Hostname()
	_ = os.Remove(stopPath(r, id))
	l.holder = Holder{PID: os.Getpid(), Start: proc.StartTime(os.Getpid()), Host: host, Since: time.Now(),
		Command: command, GitDir: r.GitDir}
	if err := l.write(); err != nil {
		_, _ = l.dir.Close(), l.lock.Close()
		return nil, err
	}
	r.OnWrite = l.Writer()
	return l, nil
}

// Writer returns a Repo.OnWrite that records the git which writes for us, so that the next holder waits for it.
func (l *Lock) Writer() func(pid int) {
	mine := 0
	return func(pid int) {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.holder.Children = slices.DeleteFunc(l.holder.Children, func(c Child) bool { return c.PID == mine })
		if mine = pid; pid != 0 {
			l.holder.Children = append(l.holder.Children, Child{pid, proc.StartTime(pid), time.Now()})
		}
		_ = l.write()
	}
}

const (
	OrphanTimeout  = 10 * time.Second // the longest wait for a git process that outlived its git plan
	gitLockTimeout = 2 * time.Second  // the longest wait for git's lock files; writing an index takes less
)

// awaitOrphans waits for the git processes of a dead holder, and removes the lock files of those that died. git takes
// its locks when it starts, so an older or much newer file is another git's.
func awaitOrphans(r *git.Repo, id string, before Holder) error {
	until := time.Now().Add(OrphanTimeout)
	for _, child := range before.Children {
		for ; child.Start != "" && proc.StartTime(child.PID) == child.Start; time.Sleep(20 * time.Millisecond) {
			if time.Now().After(until) {
				return fault.New(fault.ErrBusy, "git (pid %d), started by a git plan that died, still works on this plan", child.PID)
			}
		}
	}
	gitDir := before.GitDir // a session may have written another repository's folder here
	if real, err := filepath.EvalSymlinks(gitDir); err != nil || real != gitDir || !disk.Within(r.CommonDir, real) {
		gitDir = r.GitDir
	}
	locks := (&git.Repo{Top: r.Top, GitDir: gitDir, CommonDir: r.CommonDir}).Locks()
	for _, l := range slices.Concat(locks, r.LocksOf(RefPrefix+id), r.LocksOf(git.SharedLockNames...)) {
		made := l.Info.ModTime()
		if slices.ContainsFunc(before.Children, func(c Child) bool {
			return made.After(c.Since.Add(-time.Second)) && made.Before(c.Since.Add(OrphanTimeout))
		}) {
			_ = os.Remove(l.Path)
		}
	}
	return nil
}

// newLock returns a lock on a file, and creates its folder unless the repository is gone.
func newLock(r *git.Repo, path string) (*flock.Flock, error) {
	lock := flock.New(path, flock.SetPermissions(0o600))
	if _, err := os.Stat(r.CommonDir); err != nil {
		return lock, err
	}
	return lock, os.MkdirAll(filepath.Dir(path), 0o700)
}

// WaitText waits until no session works from a plan's text, and keeps sessions from starting until the lock is
// closed. It calls waiting, unless nil, if it has to wait. Without the first of the two locks a run that goes from
// session to session would keep others out.
func WaitText(ctx context.Context, r *git.Repo, id string, waiting func()) (*flock.Flock, error) {
	next, err := newLock(r, LockPath(r, id)+"-next")
	if err != nil {
		return nil, err
	}
	defer next.Close()
	text, _ := newLock(r, LockPath(r, id)+"-text")
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
func TextWanted(r *git.Repo, id string) bool { return isLocked(LockPath(r, id) + "-next") }

// Report shows what the holder does to git plan status and to followers.
func (l *Lock) Report(n Notice) {
	n = n.Safe()
	l.mu.Lock()
	l.holder.Open = openAfter(l.holder.Open, n)
	// Not when a session ends: it may have planted a link there, which the integrity check finds first.
	if n.Kind == StepStart || n.Kind == SessionStart || n.Kind == ReviewRound || n.endsStep() {
		_ = l.write() // an error costs only this display
	}
	l.mu.Unlock()
	l.feed.report(n)
}

// write records the holder of the lock.
func (l *Lock) write() error {
	if l.released {
		return nil
	}
	name := filepath.Base(l.path) + ".json"
	next, err := replacement(l.dir, name)
	if err == nil {
		err = errors.Join(json.NewEncoder(next).Encode(l.holder), next.Close())
	}
	if err != nil {
		return err
	}
	return l.dir.Rename(name+nextSuffix, name)
}

// Release gives the lock back, once.
func (l *Lock) Release() {
	l.feed.end()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.released { // another process may have the lock by now
		return
	}
	l.released = true
	_ = l.dir.Remove(filepath.Base(l.path) + ".json")
	_, _ = l.dir.Close(), l.lock.Close()
}

// A lock file of git may be held by an editor for hours, and no file names its owner. So one is removed only if a
// git of a git plan that died must have made it, or if it lies in a session's own clone and the session has ended.

// FreeOfLocks waits until the index, HEAD, the branch and some refs can be written, while no session is at work in
// r, or returns git.ErrLocked with the file in the way.
func FreeOfLocks(r *git.Repo, refs ...string) error {
	now := func() []git.Lock { return append(r.Locks(), r.LocksOf(refs...)...) }
	locks := now()
	for until := time.Now().Add(gitLockTimeout); len(locks) > 0; locks = now() {
		if time.Now().After(until) {
			return &fault.Fault{Kind: git.ErrLocked, Path: locks[0].Path, Text: (&git.Error{Lock: locks[0].Path}).Error()}
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

// Holder is the process that works on a plan.
type Holder struct {
	PID      int       `json:"pid"`
	Start    string    `json:"start,omitempty"` // the system's start time of the process; see proc.StartTime
	Host     string    `json:"host"`
	Since    time.Time `json:"since"`
	Command  string    `json:"command"`
	Open     []Notice  `json:"open,omitempty"` // the notices that began the running steps, rounds and sessions
	GitDir   string    `json:"gitDir"`
	Children []Child   `json:"children,omitempty"`
}

// Child is a git process that writes for a holder, and may outlive it.
type Child struct {
	PID   int       `json:"pid"`
	Start string    `json:"start"`
	Since time.Time `json:"since"`
}

// Name returns a name for the holder, as in a sentence.
func (h Holder) Name() string { return fmt.Sprintf("git plan %s (pid %d)", h.Command, h.PID) }

// Working returns the process that works on the plan now.
func Working(r *git.Repo, id string) (Holder, bool) {
	if path := LockPath(r, id); isLocked(path) {
		return ReadHolder(path), true
	}
	return Holder{}, false
}

// isLocked reports whether a process has the lock at a path, which need not exist.
func isLocked(path string) bool {
	if _, err := os.Stat(path); err != nil {
		return false
	}
	probe := flock.New(path)
	defer probe.Close()
	free, err := probe.TryRLock()
	return err == nil && !free
}

// Busy returns the error for a plan whose lock is held.
func (h Holder) Busy() error {
	where := "on this plan"
	if h.Command == "review" { // a review may have no plan
		where = "in this work tree"
	}
	return fault.New(fault.ErrBusy, "git plan %s (pid %d on %s, since %s) works %s", h.Command, h.PID, h.Host,
		h.Since.Local().Format("15:04:05"), where)
}

// ReadHolder returns the process that holds the lock at a path, or held it last.
func ReadHolder(path string) (h Holder) {
	data, _ := disk.ReadRegular(path + ".json")
	_ = json.Unmarshal(data, &h)
	return h
}

// stopPath returns the file that asks a run to stop before its next step.
func stopPath(r *git.Repo, id string) string { return LockPath(r, id) + ".stop" }

// key identifies one holder of a lock, so that a request to stop does not reach the next one.
func (h Holder) key() string { return fmt.Sprintf("%d %d\n", h.PID, h.Since.UnixNano()) }

// AskToStop asks the holder of a plan's lock to end once its running work is finished.
func AskToStop(r *git.Repo, id string, who Holder) error {
	return WriteFile(stopPath(r, id), []byte(who.key()))
}

// AskedToStop reports whether a stop was requested.
func AskedToStop(r *git.Repo, id string, who Holder) bool { return stopRequested(stopPath(r, id), who) }

// UndoStop withdraws the request of AskToStop.
func UndoStop(r *git.Repo, id string) error { return os.Remove(stopPath(r, id)) }

func stopRequested(path string, who Holder) bool {
	data, err := disk.ReadRegular(path)
	return err == nil && string(data) == who.key()
}

// Stopping reports whether a stop of this holder was requested.
func (l *Lock) Stopping() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return stopRequested(l.path+".stop", l.holder)
}

// StopNow ends the holder of a plan's lock as Ctrl-C would, and waits for at most OrphanTimeout.
func StopNow(ctx context.Context, r *git.Repo, id string, who Holder) error {
	if host, _ := os.Hostname(); who.Host != host {
		return fault.New(fault.ErrBusy, "%s runs on %s, and can be stopped only there", who.Name(), who.Host)
	}
	program, _ := os.Readlink(fmt.Sprintf("/proc/%d/exe", who.PID))
	own, _ := os.Executable()
	foreign := program != "" && filepath.Base(strings.TrimSuffix(program, " (deleted)")) != filepath.Base(own)
	// The process ID is another program's by now, or a session wrote it.
	if foreign || who.Start == "" || who.Start != proc.StartTime(who.PID) {
		return fault.New(fault.ErrBusy, "%s is no longer there", who.Name())
	}
	if err := proc.Interrupt(who.PID); err != nil {
		return fault.New(fault.ErrBusy, "%s cannot be stopped: %v", who.Name(), err)
	}
	ctx, cancel := context.WithTimeout(ctx, OrphanTimeout)
	defer cancel()
	lock := flock.New(LockPath(r, id), flock.SetPermissions(0o600))
	defer lock.Close()
	if released, _ := lock.TryRLockContext(ctx, 20*time.Millisecond); !released {
		return fault.New(fault.ErrBusy, "%s has been asked to stop, and has not ended yet", who.Name())
	}
	return nil
}
