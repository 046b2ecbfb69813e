package gitplan

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"strings"

	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/markdown"
)

// ReviewDir is where this clone keeps what it knows of the review of a branch.
// Two branches never share one, whatever their names have in common.
func ReviewDir(r *git.Repo, branch string) string {
	sum := sha256.Sum256([]byte(branch))
	return r.PlanDir("reviews", markdown.Slug(branch, 60)+"-"+hex.EncodeToString(sum[:4]))
}

// VerdictDir is where the verdicts of a repository's reviews are kept, a file each: as notes
// are, where no sandbox lets a session write.
func VerdictDir(r *git.Repo) string {
	dirs := journal.NotesOf(r, "verdicts").Dirs()
	if len(dirs) > 1 && !journal.CanWrite(dirs[0]) {
		return dirs[1]
	}
	return dirs[0]
}

// reviewLock begins the names of the locks of reviews without a plan.
const reviewLock = "branch-"

// ReviewLock is the lock of the review of a branch without a plan; see Acquire.
func ReviewLock(branch string) string { return reviewLock + markdown.Slug(branch, 60) }

// aloneHere refuses (ErrBusy) while another review without a plan works in this work
// tree: it began on another branch, which was left since, and its fixer's note and
// clone would be taken for those of this one.
func (c *Checkout) aloneHere() error {
	entries, _ := os.ReadDir(c.Repo.PlanDir())
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), reviewLock) {
			continue
		}
		if h, busy := journal.Working(c.Repo, e.Name()); busy && h.PID != os.Getpid() && h.GitDir == c.Repo.GitDir {
			return fault.New(fault.ErrBusy, "%s works in this work tree, for another branch", h.Name())
		}
	}
	return nil
}
