package gitplan

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/git-plan/git-plan/gitplan/git"
)

// ReviewDir is where this clone keeps what it knows of the review of a branch.
// Two branches never share one, whatever their names have in common.
func ReviewDir(r *git.Repo, branch string) string {
	sum := sha256.Sum256([]byte(branch))
	return r.PlanDir("reviews", Slug(branch, 60)+"-"+hex.EncodeToString(sum[:4]))
}

// VerdictDir is where the verdicts of a repository's reviews are kept, a file each.
func VerdictDir(r *git.Repo) string { return r.PlanDir("verdicts") }
