package reviewers

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/proc"
)

// Panel asks all reviewers at once and returns their reports in the order of the
// reviewers. told is called with each report as it comes, never by two goroutines
// at once.
func Panel(ctx context.Context, all []Reviewer, t *Target, told func(Report)) []Report {
	reports := make([]Report, len(all))
	var mu sync.Mutex
	var wg sync.WaitGroup
	for i, r := range all {
		wg.Go(func() {
			report := r.Review(ctx, t)
			report.Reviewer = r.Name()
			if ctx.Err() != nil { // whatever it read last it may not have read
				report.Incomplete = cmp.Or(report.Incomplete, "it was interrupted")
			}
			mu.Lock()
			defer mu.Unlock()
			reports[i] = report
			told(report)
		})
	}
	wg.Wait()
	return reports
}

// throwaway clones the repository at commit into a new folder that remove
// deletes again.
func throwaway(ctx context.Context, repo *git.Repo, commit string) (dir string, remove func(), err error) {
	parent, err := os.MkdirTemp("", "git-plan-review-")
	if err != nil {
		return "", nil, err
	}
	remove = func() { _ = proc.RemoveTree(parent) }
	dir = filepath.Join(parent, "tree")
	if err := repo.Clone(ctx, dir, commit); err != nil {
		remove()
		return "", nil, err
	}
	return dir, remove, nil
}

// stateOf fingerprints a clone: its files, ignored ones too, and what of its .git
// decides how git reads them. Two that are equal say that nobody wrote in between.
// git itself is not asked: whoever wrote there could make it run something, or
// have told it which files not to look at.
func stateOf(dir string) (string, error) {
	sum := sha256.New()
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, p)
		if err != nil {
			return err
		}
		switch parts := strings.Split(rel, string(filepath.Separator)); {
		case parts[0] != ".git" || len(parts) == 1:
		case !slices.Contains([]string{"HEAD", "config", "config.worktree", "packed-refs", "refs", "info", "hooks"}, parts[1]):
			if d.IsDir() {
				return fs.SkipDir // the index and what git writes by itself
			}
			return nil
		}
		if d.IsDir() {
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		target, _ := os.Readlink(p) // empty for what is no link
		fmt.Fprintf(sum, "%q %v %d %d %q\n", rel, info.Mode(), info.Size(), info.ModTime().UnixNano(), target)
		return nil
	})
	return hex.EncodeToString(sum.Sum(nil)), err
}
