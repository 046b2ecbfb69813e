package journal

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"github.com/git-plan/git-plan/gitplan/disk"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/proc"
)

// Holder is the process that works on a plan.
type Holder struct {
	PID      int       `json:"pid"`
	Start    string    `json:"start,omitempty"` // when that process began, as the system counts
	Host     string    `json:"host"`
	Since    time.Time `json:"since"`
	Command  string    `json:"command"`
	Open     []Notice  `json:"open,omitempty"` // the beginnings of the steps, rounds and sessions at work
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
	if path := LockPath(r, id); held(path) {
		return ReadHolder(path), true
	}
	return Holder{}, false
}

// held reports whether a process has the lock at a path, which need not exist.
func held(path string) bool {
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
	on := cmp.Or(map[string]string{"review": "in this work tree"}[h.Command], "on this plan") // a review may have none
	return fault.New(fault.ErrBusy, "git plan %s (pid %d on %s, since %s) works %s", h.Command, h.PID, h.Host,
		h.Since.Local().Format("15:04:05"), on)
}

// ReadHolder returns the process that holds the lock at a path, or held it last.
func ReadHolder(path string) (h Holder) {
	data, _ := disk.ReadRegular(path + ".json")
	_ = json.Unmarshal(data, &h)
	return h
}

// stopPath returns the file that a run looks for between two steps, to stop.
func stopPath(r *git.Repo, id string) string { return LockPath(r, id) + ".stop" }

// key names one holder of a lock: a request to stop is not for the next one.
func (h Holder) key() string { return fmt.Sprintf("%d %d\n", h.PID, h.Since.UnixNano()) }

// AskToStop asks the holder of a plan's lock to end once its running work is finished.
func AskToStop(r *git.Repo, id string, who Holder) error {
	return WriteFile(stopPath(r, id), []byte(who.key()))
}

// AskedToStop reports whether a stop was requested.
func AskedToStop(r *git.Repo, id string, who Holder) bool { return asked(stopPath(r, id), who) }

// UndoStop withdraws the request of AskToStop.
func UndoStop(r *git.Repo, id string) error { return os.Remove(stopPath(r, id)) }

func asked(path string, who Holder) bool {
	data, err := disk.ReadRegular(path)
	return err == nil && string(data) == who.key()
}

// Stopping reports whether a stop of this holder was requested.
func (l *Lock) Stopping() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return asked(l.path+".stop", l.who)
}

// StopNow ends the holder of a plan's lock as Ctrl-C would, and waits for at most OrphanTimeout.
func StopNow(ctx context.Context, r *git.Repo, id string, who Holder) error {
	if host, _ := os.Hostname(); who.Host != host {
		return fault.New(fault.ErrBusy, "%s runs on %s, and can be stopped only there", who.Name(), who.Host)
	}
	its, _ := os.Readlink(fmt.Sprintf("/proc/%d/exe", who.PID))
	mine, _ := os.Executable()
	another := its != "" && filepath.Base(strings.TrimSuffix(its, " (deleted)")) != filepath.Base(mine)
	// its number is another program's by now, or a session wrote it
	if another || who.Start == "" || who.Start != proc.StartTime(who.PID) {
		return fault.New(fault.ErrBusy, "%s is no longer there", who.Name())
	}
	if err := proc.Interrupt(who.PID); err != nil {
		return fault.New(fault.ErrBusy, "%s cannot be stopped: %v", who.Name(), err)
	}
	ctx, cancel := context.WithTimeout(ctx, OrphanTimeout)
	defer cancel()
	gone := flock.New(LockPath(r, id), flock.SetPermissions(0o600))
	defer gone.Close()
	if ok, _ := gone.TryRLockContext(ctx, 20*time.Millisecond); !ok {
		return fault.New(fault.ErrBusy, "%s has been asked to stop, and has not ended yet", who.Name())
	}
	return nil
}
