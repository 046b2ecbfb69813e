package reviewers

import (
	"cmp"
	"context"
	"sync"
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
