package reviewers

import (
	"context"
	"path"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/git/diffs"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/progress"
)

// Target is what one round judges: the branch as it was when the round froze it.
type Target struct {
	Branch     string
	Base, Head string // commits, full names; Base is where the branch left its base
	Round      int    // from 1
	Nonce      string // must come back in every answer of this round
	Dir        string // a throwaway clone at Head; empty if nobody shares one

	Plan       *plan.Plan // nil without a plan
	Progress   *progress.Progress
	PlanID     string
	Guidelines string       // the repository's own instructions, from the base
	Commits    []git.Commit // Base..Head, newest first

	// Diff is the whole change. Judge is what this round looks at: the whole
	// change in the first round, then what the fixer changed since.
	Diff, Judge *diffs.Diff

	Open, Dismissed []Finding    // of earlier rounds
	Fixes           []git.Commit // written by the fixer, newest first
	Fixed           *diffs.Diff  // what they changed; nil in the first round

	// Attributes are those git attributes of the changed files that say what kind they
	// are, as the base sets them.
	Attributes map[string]map[string]string

	// Secret has the paths in which a secret was found: no model sees them.
	Secret map[string]bool

	repo  *git.Repo
	fresh map[string]string // what a clone of one's own had before; see look
}

// file reads a file as it is in Head; false if it is not there, is not an ordinary file,
// or is not a path of a repository.
func (t *Target) file(ctx context.Context, p string) ([]byte, bool) {
	if !inRepository(p) {
		return nil, false
	}
	o, err := t.repo.Read(ctx, t.Head+":"+p)
	return o.Data, err == nil && o.Type == "blob"
}

// changed returns the part of the diff that is about one path; nil without one.
func changed(d *diffs.Diff, p string) *diffs.FileDiff {
	for i := range d.Files {
		if d.Files[i].Path == p {
			return &d.Files[i]
		}
	}
	return nil
}

// inRepository reports whether p can be a path inside a repository: relative,
// with slashes, without a way out and not git's own folder.
func inRepository(p string) bool {
	if p == "" || len(p) > maxPath || path.IsAbs(p) || path.Clean(p) != p || p == ".." || strings.HasPrefix(p, "../") ||
		strings.ContainsAny(p, "\x00") {
		return false
	}
	first, _, _ := strings.Cut(p, "/")
	return p != "." && !strings.EqualFold(first, ".git")
}

// added are the numbers of the lines that a change added, in order.
type added []int

func addedIn(f *diffs.FileDiff) (lines added) {
	if f == nil {
		return nil
	}
	for _, h := range f.Hunks {
		for _, l := range h.Lines {
			if l.Kind == '+' {
				lines = append(lines, l.New)
			}
		}
	}
	slices.Sort(lines)
	return lines
}

// touches reports whether the change added one of the lines from first to last.
func (a added) touches(first, last int) bool {
	at, _ := slices.BinarySearch(a, first)
	return at < len(a) && a[at] <= last
}

// lastHeld returns the last line of a file that is kept of its difference.
func lastHeld(f *diffs.FileDiff) int {
	if len(f.Hunks) == 0 {
		return 0
	}
	h := f.Hunks[len(f.Hunks)-1]
	for _, l := range slices.Backward(h.Lines) {
		if l.New > 0 {
			return l.New
		}
	}
	return h.NewStart
}

// commits returns those from one (exclusive) to another, newest first.
func commits(ctx context.Context, repo *git.Repo, from, to string) ([]git.Commit, error) {
	if from == repo.EmptyTree() {
		return repo.Log(ctx, to)
	}
	return repo.Log(ctx, from+".."+to)
}
