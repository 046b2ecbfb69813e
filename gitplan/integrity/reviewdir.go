package integrity

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"

	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/markdown"
)

// ReviewDir returns the folder where this clone keeps what it knows of the review of a branch.
// Two branches never share one, whatever their names have in common.
func ReviewDir(r *git.Repo, branch string) string {
	sum := sha256.Sum256([]byte(branch))
	return r.PlanDir("reviews", markdown.Slug(branch, 60)+"-"+hex.EncodeToString(sum[:4]))
}

// VerdictDir returns the folder where the verdicts of a repository's reviews are kept, a file each:
// like notes, where no sandbox lets a session write.
func VerdictDir(r *git.Repo) string { return journal.NotesOf(r, "verdicts").Dir }

// DismissalNote returns the note of what a person dismissed of the findings about a plan, or
// about a branch without one.
func DismissalNote(r *git.Repo, plan, branch string) journal.Note {
	name := cmp.Or(plan, filepath.Base(ReviewDir(r, branch)))
	return journal.NotesOf(r, "dismissals").Note(name + journal.NoteExt)
}

// ReviewLockPrefix begins the names of the locks of reviews without a plan.
const ReviewLockPrefix = "branch-"

// ReviewLock returns the name of the lock for the review of a branch without a plan; see
// journal.Acquire.
func ReviewLock(branch string) string { return ReviewLockPrefix + markdown.Slug(branch, 60) }
