package journal

import (
	"os"
	"slices"
	"time"

	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/git"
)

// A lock file of git belongs to whoever made it, who may have an editor open for hours, and no
// file says who that is. So one is removed only if a git of a git plan that died must have made it
// (outlast), or if it lies in a session's own clone, and the session has ended.

// brief is how long a lock file of git is waited for: a git that only writes the index is done by then.
const brief = 2 * time.Second

// FreeOfLocks waits until the index, HEAD, the branch and some other refs can be written, or
// returns a fault of kind git.ErrLocked that names the lock file in the way. No session is at work
// in r.
func FreeOfLocks(r *git.Repo, refs ...string) error {
	now := func() []git.Lock { return append(r.Locks(), r.RefLocks(refs...)...) }
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
	for _, l := range slices.Concat(locks, r.RefLocks(RefPrefix+id), r.SharedLocks()) {
		made := l.Info.ModTime()
		if slices.ContainsFunc(of.Children, func(c Child) bool {
			return made.After(c.Since.Add(-time.Second)) && made.Before(c.Since.Add(Patience))
		}) {
			_ = os.Remove(l.Path)
		}
	}
}
