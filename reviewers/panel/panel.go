package panel

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"sync"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/reviewers/finding"
	"github.com/git-plan/git-plan/reviewers/ledger"
	"github.com/git-plan/git-plan/reviewers/rules"
)

// AskAll asks all reviewers at once and returns their reports in order. It calls each with every report as it comes,
// never in two goroutines at once.
func AskAll(ctx context.Context, all []Reviewer, t *Target, each func(Report)) []Report {
	reports := make([]Report, len(all))
	var mu sync.Mutex
	var wg sync.WaitGroup
	first := slices.IndexFunc(all, primes)
	primed := make(chan struct{})
	prime := sync.OnceFunc(func() { close(primed) })
	for i, r := range all {
		wg.Go(func() {
			defer proc.Panicked()
			of := *t
			switch {
			case i == first:
				of.onEvent = func(agent.Event) { prime() }
				defer prime()
			case primes(r):
				select {
				case <-primed:
				case <-ctx.Done():
				}
			}
			report := r.Review(ctx, &of)
			report.Reviewer = r.Name()
			if ctx.Err() != nil { // the last text that it read may be incomplete
				report.Incomplete = cmp.Or(report.Incomplete, "it was interrupted")
			}
			mu.Lock()
			defer mu.Unlock()
			reports[i] = report
			each(report)
		})
	}
	wg.Wait()
	return reports
}

// primes reports whether a reviewer asks a model's service from here: of these, the first fills the cache with the
// common beginning. The others wait for its first event.
func primes(r Reviewer) bool {
	p, ok := r.(*Panelist)
	return ok && p.Primes
}

// Digest identifies a set of reviewers with the built-in rules, whatever its order.
func Digest(all []Reviewer) string {
	list := []string{rules.Digest()}
	for _, r := range all {
		list = append(list, r.Name()+" "+r.Digest())
	}
	slices.Sort(list)
	return digest(list)
}

// digest identifies values.
func digest(v any) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q", v))
	return hex.EncodeToString(sum[:])
}

// Reviewer judges a target: a [Panelist], which is a [Persona] with what runs its sessions, or a [Command].
type Reviewer interface {
	Name() string
	// Digest identifies what judges: if it differs, an earlier verdict is not its own.
	Digest() string
	// Review never fails: what went wrong is in the report. It ends when ctx does.
	Review(ctx context.Context, t *Target) Report
}

// Report is one reviewer's answer in one round.
type Report struct {
	Use
	Reviewer string
	Required bool     // an incomplete report of it makes the round incomplete
	Covered  []string // changed paths that it says it judged, out of those it could see
	Findings []finding.Finding
}

func (r Report) with(o Report) Report {
	r.Use = r.Use.and(o.Use)
	r.Incomplete, r.Spent, r.Later = cmp.Or(r.Incomplete, o.Incomplete), cmp.Or(r.Spent, o.Spent), cmp.Or(r.Later, o.Later)
	r.Covered = plan.Unique(append(r.Covered, o.Covered...))
	r.Findings = finding.Merge(r.Findings, o.Findings)
	return r
}

func (r Report) failed(err error) Report {
	if err != nil {
		r.Incomplete, r.Covered, r.Findings = finding.Line(err.Error(), finding.MaxText), nil, nil
	}
	return r
}

// Reviewed returns what the ledger keeps of the report.
func (r Report) Reviewed() ledger.Reviewed {
	v := r.recorded(r.Reviewer)
	v.Covered = r.Covered
	for _, f := range r.Findings {
		v.Findings = append(v.Findings, f.ID)
	}
	return v
}
