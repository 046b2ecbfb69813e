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

// AskAll asks all reviewers at once and returns their reports in order; of those that have answered, known has the
// reports. It calls each with every report as it comes, never in two goroutines at once.
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
	led := false // one fills the cache of a model's service with the common beginning; the others wait for its first event
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
			if ctx.Err() != nil { // the last text that it read may be incomplete
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
	for _, r := range all { // what judges: if it differs, an earlier verdict is not its own
		line := ""
		if r.Command != nil {
			line = r.Command.Line
		}
		list = append(list, r.Name+" "+digest([]any{r.Persona, line, r.Auto, autoVersion, contract}))
	}
	slices.Sort(list)
	return digest(list)
}

// digest identifies values.
func digest(v any) string { return fmt.Sprintf("%x", sha256.Sum256(fmt.Appendf(nil, "%q", v))) }

// Reviewer judges a target: by sessions of its Persona, or by a program.
type Reviewer struct {
	Persona
	Command    *Command // nil: sessions judge
	RunSession RunSession
	Auto       bool // it is asked only of changes that call for it: see [CalledFor]
	// Shares says that its sessions are the built-in agent's: they cannot write, so they read the clone that a round
	// has, and they ask the model's service from here, whose cache others may use.
	Shares bool
}

// Review never fails: the report says what went wrong. A reviewer that changed the judged files has no say.
func (r *Reviewer) Review(ctx context.Context, t *Target) (rep Report) {
	judge := r.sessions
	if r.Command != nil { // from which no secret is hidden: it is no model
		whole := *t
		whole.Secret, t = nil, &whole
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
	Covered  []string // changed paths that it says it judged, out of those it could see
	Findings []finding.Finding
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
