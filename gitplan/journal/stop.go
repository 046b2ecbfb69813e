package journal

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/gofrs/flock"

	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/proc"
)

// A run is stopped from elsewhere by a file beside its lock, which it looks for between two
// steps, or by a signal.

func stopPath(r *git.Repo, id string) string { return LockPath(r, id) + ".stop" }

// key names one holder of a lock: a request to stop is for it, and not for the next one.
func (h Holder) key() string { return fmt.Sprintf("%d %d\n", h.PID, h.Since.UnixNano()) }

// AskToStop requests that the holder of a plan's lock ends after what is at work now.
func AskToStop(r *git.Repo, id string, who Holder) error {
	return WriteFile(stopPath(r, id), []byte(who.key()))
}

// AskedToStop reports whether a stop was requested.
func AskedToStop(r *git.Repo, id string, who Holder) bool { return asked(stopPath(r, id), who) }

// UndoStop withdraws the request of AskToStop, if the holder still works.
func UndoStop(r *git.Repo, id string, who Holder) error {
	if !AskedToStop(r, id, who) {
		return nil
	}
	return os.Remove(stopPath(r, id))
}

func asked(path string, who Holder) bool {
	data, err := ReadRegular(path)
	return err == nil && string(data) == who.key()
}

// Stopping reports whether the holder was asked to end after what is at work.
func (l *Lock) Stopping() bool {
	l.noting.Lock()
	defer l.noting.Unlock()
	return asked(l.path+".stop", l.who)
}

// StopNow ends the holder of a plan's lock as Ctrl-C would, and waits until it has ended. The error
// says that it cannot be stopped from here, or that it takes longer than Patience.
func StopNow(ctx context.Context, r *git.Repo, id string, who Holder) error {
	if host, _ := os.Hostname(); who.Host != host {
		return fault.New(fault.ErrBusy, "%s runs on %s, and can be stopped only there", who.Name(), who.Host)
	}
	if who.Start != proc.StartTime(who.PID) { // another program has its number by now
		return fault.New(fault.ErrBusy, "%s is no longer there", who.Name())
	}
	if err := proc.Terminate(who.PID); err != nil {
		return fault.New(fault.ErrBusy, "%s cannot be stopped: %v", who.Name(), err)
	}
	ctx, cancel := context.WithTimeout(ctx, Patience)
	defer cancel()
	gone := flock.New(LockPath(r, id), flock.SetPermissions(0o600))
	defer gone.Close()
	if ok, _ := gone.TryRLockContext(ctx, 20*time.Millisecond); !ok {
		return fault.New(fault.ErrBusy, "%s has been asked to stop, and has not ended yet", who.Name())
	}
	return nil
}
