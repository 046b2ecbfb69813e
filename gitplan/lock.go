package gitplan

import (
	"encoding/json"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"github.com/git-plan/git-plan/gitplan/git"
)

// Holder is who works on a plan.
type Holder struct {
	PID     int       `json:"pid"`
	Host    string    `json:"host"`
	Since   time.Time `json:"since"`
	Command string    `json:"command"`
	Step    string    `json:"step,omitempty"`
}

// Lock is the right to work on one plan. The kernel takes it back when its
// holder dies, however it dies.
type Lock struct {
	lock *flock.Flock
	path string
	who  Holder
}

// lockPath is beside the file that says who holds it: that one is replaced
// whole, and a lock must stay on one file.
func lockPath(r *git.Repo, id string) string { return r.PlanDir(id, "lock") }

// Acquire takes the lock of a plan, or says who has it (ErrBusy).
func Acquire(r *git.Repo, id, command string) (*Lock, error) {
	path := lockPath(r, id)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	l := &Lock{lock: flock.New(path, flock.SetPermissions(0o600)), path: path}
	ok, err := l.try()
	if err != nil {
		return nil, err
	}
	if !ok {
		h := readHolder(path)
		return nil, fault(ErrBusy, "git plan %s (pid %d on %s, since %s) works on this plan",
			h.Command, h.PID, h.Host, h.Since.Local().Format("15:04:05"))
	}
	host, _ := os.Hostname()
	l.who = Holder{PID: os.Getpid(), Host: host, Since: time.Now(), Command: command}
	return l, l.note()
}

// try takes the lock, and again for a moment: somebody who only looks whether
// it is held holds it himself meanwhile.
func (l *Lock) try() (ok bool, err error) {
	for range 20 {
		if ok, err = l.lock.TryLock(); ok || err != nil {
			return ok, err
		}
		time.Sleep(5 * time.Millisecond)
	}
	return false, nil
}

// Working says which step the holder works on, for `git plan status`.
func (l *Lock) Working(step string) {
	l.who.Step = step
	_ = l.note() // only for show
}

func (l *Lock) note() error {
	data, err := json.Marshal(l.who)
	if err != nil {
		return err
	}
	return writeFile(l.path+".json", data)
}

// Release gives the lock back.
func (l *Lock) Release() {
	_ = os.Remove(l.path + ".json")
	_ = l.lock.Close()
}

// Working returns who works on the plan now.
func Working(r *git.Repo, id string) (Holder, bool) {
	path := lockPath(r, id)
	if _, err := os.Stat(path); err != nil {
		return Holder{}, false
	}
	probe := flock.New(path)
	if ok, err := probe.TryRLock(); err != nil || ok {
		_ = probe.Close()
		return Holder{}, false
	}
	return readHolder(path), true
}

func readHolder(path string) Holder {
	var h Holder
	data, _ := os.ReadFile(path + ".json")
	_ = json.Unmarshal(data, &h)
	return h
}
