package journal

import (
	"os"
	"path/filepath"
	"time"

	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/proc"
)

// A lock file of git belongs to whoever made it, who may have an editor open for
// hours. It is removed only if it was made while a session, or a git of a git plan
// that died, was at work, and no git that could have made it is alive.

// brief is how long we wait for a lock file of git: whoever only writes the index
// is done by then.
const brief = 2 * time.Second

// FreeOfLocks waits until the index, HEAD, the branch and some other refs can be written, or
// returns a fault of kind git.ErrLocked that names the lock file in the way. It removes lock
// files left by a git that died after since, including those that few commands
// need; with the zero time it removes none.
func FreeOfLocks(r *git.Repo, since time.Time, refs ...string) error {
	if !since.IsZero() {
		for _, l := range r.SharedLocks() {
			removeOrphan(r, l, since, false)
		}
	}
	locks := waitForLocks(r, brief/10, refs)
	if len(locks) == 0 {
		return nil
	}
	if _, alive := holder(r, locks[0]); alive || !since.IsZero() { // otherwise nobody would remove it
		locks = waitForLocks(r, brief, refs)
	}
	for _, l := range locks {
		if who, removed := removeOrphan(r, l, since, false); !removed {
			return &fault.Fault{Kind: git.ErrLocked, Path: l.Path, Text: git.InTheWay(l.Path, who)}
		}
	}
	return nil
}

func waitForLocks(r *git.Repo, long time.Duration, refs []string) []git.Lock {
	now := func() []git.Lock { return append(r.Locks(), r.RefLocks(refs...)...) }
	locks := now()
	for until := time.Now().Add(long); len(locks) > 0 && time.Now().Before(until); locks = now() {
		time.Sleep(20 * time.Millisecond)
	}
	return locks
}

// clockStep is how far the time of a new file may be behind the clock.
const clockStep = 20 * time.Millisecond

// removeOrphan removes a lock file that was made after since, if no living git can have made
// it; else it returns who may have. If processes cannot be seen, only a git that is known to
// be dead (recorded) is believed to have made it.
func removeOrphan(r *git.Repo, l git.Lock, since time.Time, recorded bool) (who string, removed bool) {
	who, alive := holder(r, l)
	if alive && (who != "" || !recorded) || since.IsZero() || l.Info.ModTime().Before(since.Add(-clockStep)) {
		return who, false
	}
	now, err := os.Lstat(l.Path)
	if err != nil {
		return "", os.IsNotExist(err)
	}
	if !os.SameFile(now, l.Info) || !now.ModTime().Equal(l.Info.ModTime()) {
		return "", false // it is another one by now
	}
	return "", os.Remove(l.Path) == nil
}

// holder returns who may hold a lock file, and whether somebody may. If processes cannot be
// seen, nobody has a name.
func holder(r *git.Repo, l git.Lock) (who string, alive bool) {
	folders := []string{r.Top, r.GitDir, filepath.Dir(l.Path)}
	if l.Whole {
		folders = append(folders, r.CommonDir, filepath.Dir(r.CommonDir))
		folders = append(folders, r.WorkTrees()...)
	}
	who, known := proc.LockHolder(l.Path, folders...)
	return who, who != "" || !known
}
