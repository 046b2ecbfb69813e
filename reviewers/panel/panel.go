package panel

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"sync"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/reviewers/finding"
	"github.com/git-plan/git-plan/reviewers/ledger"
	"github.com/git-plan/git-plan/reviewers/rules"
)

// AskAll asks all reviewers at once and returns their reports in order. Reviewers with a report in known are not asked
// again. It calls each with every report as it comes, never in two goroutines at once.
func AskAll(ctx context.Context, all []*Reviewer, t *Target, known []Report, each func(Report)) []Report {
	reports := make([]Report, len(all))
	var mu sync.Mutex
	answered := func(i int, r Report) {
		mu.Lock()
		defer mu.Unlock()
		reports[i] = r
		each(r)
	}
	var wg sync.WaitGroup
	led := false // one session fills the provider's cache with the common prefix; the others wait for its first event
	primed := make(chan struct{})
	prime := sync.OnceFunc(func() { close(primed) })
	for i, r := range all {
		if at := slices.IndexFunc(known, func(k Report) bool { return k.Reviewer == r.Name }); at >= 0 {
			answered(i, known[at])
			continue
		}
		of, leads := *t, r.Shares && !led
		if leads {
			led, of.onEvent = true, func(agent.Event) { prime() }
		}
		wg.Go(func() {
			if leads {
				defer prime()
			} else if r.Shares {
				select {
				case <-primed:
				case <-ctx.Done():
				}
			}
			report := r.Review(ctx, &of)
			report.Reviewer = r.Name
			if ctx.Err() != nil { // the report may be incomplete without saying so
				report.Incomplete = cmp.Or(report.Incomplete, "it was interrupted")
			}
			answered(i, report)
		})
	}
	wg.Wait()
	return reports
}

// Digest identifies a set of reviewers with the built-in rules, whatever its order.
func Digest(all []*Reviewer) string {
	list := []string{rules.Digest()}
	for _, r := range all {
		line := ""
		if r.Command != nil {
			line = r.Command.Line
		}
		list = append(list, r.Name+" "+digest([]any{r.Persona, line, r.Auto, autoVersion, contract}))
	}
	slices.Sort(list)
	return digest(list)
}

// digest returns a hash of values.
func digest(v any) string { return fmt.Sprintf("%x", sha256.Sum256(fmt.Appendf(nil, "%q", v))) }

// Reviewer judges a target: by sessions of its Persona, or by a program.
type Reviewer struct {
	Persona
	Command    *Command // nil: sessions judge
	RunSession RunSession
	Auto       bool // it judges only changes that call for it: see [CalledFor]
	// Shares is true if its sessions are the built-in agent's. They cannot write, so they share the round's clone, and
	// they share a prefix in the provider's cache.
	Shares bool
}

// Review returns a report, which is incomplete after an error, or if the reviewer changed the judged files.
func (r *Reviewer) Review(ctx context.Context, t *Target) (rep Report) {
	judge := r.sessions
	if r.Command != nil { // secrets are hidden from models only
		full := *t
		full.Secret, t = nil, &full
		judge = r.run
	}
	err := t.inClone(ctx, r.Shares, func(own *Target) bool {
		rep = judge(ctx, own)
		return rep.Incomplete == ""
	})
	if err != nil {
		rep.Incomplete, rep.Covered, rep.Findings = finding.Line(err.Error(), finding.MaxText), nil, nil
	}
	return rep
}

// Report is one reviewer's answer in one round.
type Report struct {
	Use
	Reviewer string
	Covered  []string // the changed paths that it claims to have judged, among those it was shown
	Findings []finding.Finding
}

// Reviewed returns the ledger's record of the report.
func (r Report) Reviewed() ledger.Reviewed {
	v := r.recorded(r.Reviewer)
	v.Covered = r.Covered
	for _, f := range r.Findings {
		v.Findings = append(v.Findings, f.ID)
	}
	return v
}
