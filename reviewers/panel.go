package reviewers

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/git-plan/git-plan/gitplan/git"
)

// Panel asks all reviewers at once, each until the deadline (0: none), and
// returns their reports in the order of the reviewers. told is called with each
// report as it comes, never by two goroutines at once; it may be nil.
func Panel(ctx context.Context, all []Reviewer, t *Target, deadline time.Duration, told func(Report)) []Report {
	reports := make([]Report, len(all))
	var mu sync.Mutex
	var wg sync.WaitGroup
	for i, r := range all {
		wg.Go(func() {
			report := withDeadline(ctx, r, t, deadline)
			mu.Lock()
			defer mu.Unlock()
			reports[i] = report
			if told != nil {
				told(report)
			}
		})
	}
	wg.Wait()
	return reports
}

func withDeadline(ctx context.Context, r Reviewer, t *Target, deadline time.Duration) Report {
	if deadline > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, deadline)
		defer cancel()
	}
	report := r.Review(ctx, t)
	report.Reviewer = r.Name()
	if ctx.Err() == context.DeadlineExceeded && report.Incomplete != "" {
		report.Incomplete = fmt.Sprintf("it did not end within %s", deadline)
	}
	return report
}

// throwaway clones the repository at commit into a new folder that remove
// deletes again.
func throwaway(ctx context.Context, repo *git.Repo, commit string) (dir string, remove func(), err error) {
	parent, err := os.MkdirTemp("", "git-plan-review-")
	if err != nil {
		return "", nil, err
	}
	remove = func() { removeAll(parent) }
	dir = filepath.Join(parent, "tree")
	if err := repo.Clone(ctx, dir, commit); err != nil {
		remove()
		return "", nil, err
	}
	return dir, remove, nil
}

// removeAll also removes folders that somebody made read-only (Go's module
// cache is).
func removeAll(dir string) {
	if os.RemoveAll(dir) == nil {
		return
	}
	_ = filepath.WalkDir(dir, func(p string, d os.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			_ = os.Chmod(p, 0o700)
		}
		return nil
	})
	_ = os.RemoveAll(dir)
}

// stateOf is what git says of a clone: where its HEAD is and what differs from
// it. Two that are equal say that nobody wrote in between.
func stateOf(ctx context.Context, dir string) (string, error) {
	clone, err := git.At(ctx, dir)
	if err != nil {
		return "", err
	}
	defer clone.Close()
	s, err := clone.Status(ctx)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%q", []any{s.Head, s.Branch, s.Changed, s.Untracked}), nil
}
