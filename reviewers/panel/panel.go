package panel

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"sync"
)

// AskAll asks all reviewers at once and returns their reports in the order of the
// reviewers. It calls each with every report as it comes, never in two goroutines at
// once.
//
// A program in whose clone something was changed is asked again when all others have
// answered: what is changed then it changed itself, as a linter does that fixes what it
// finds.
func AskAll(ctx context.Context, all []Reviewer, t *Target, each func(Report)) []Report {
	reports := make([]Report, len(all))
	var mu sync.Mutex
	var wg sync.WaitGroup
	var again []int
	ask := func(i int, before Report) {
		report := all[i].Review(ctx, t)
		report.Reviewer = all[i].Name()
		if ctx.Err() != nil { // what it read last may be incomplete
			report.Incomplete = cmp.Or(report.Incomplete, "it was interrupted")
		}
		mu.Lock()
		defer mu.Unlock()
		_, program := all[i].(*Command)
		if reports[i] = report; program && report.Spoiled != "" && report.Incomplete == "" && before.Spoiled == "" {
			again = append(again, i)
			return
		}
		reports[i].Spoiled = cmp.Or(before.Spoiled, report.Spoiled)
		each(reports[i])
	}
	for i := range all {
		wg.Go(func() { ask(i, Report{}) })
	}
	wg.Wait()
	for len(again) > 0 {
		i := again[0]
		again = again[1:]
		ask(i, reports[i])
	}
	return reports
}

// Digest identifies a set of reviewers with the built-in rules, whatever its order.
func Digest(all []Reviewer) string {
	list := []string{Rules{}.Digest()}
	for _, r := range all {
		list = append(list, r.Name()+" "+r.Digest())
	}
	slices.Sort(list)
	sum := sha256.Sum256(fmt.Appendf(nil, "%q", list))
	return hex.EncodeToString(sum[:])
}
