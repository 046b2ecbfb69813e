package reviewers

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/integrity"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/gitplan/progress"
	"github.com/git-plan/git-plan/reviewers/finding"
	"github.com/git-plan/git-plan/reviewers/ledger"
	"github.com/git-plan/git-plan/reviewers/rounds"
)

// save keeps the verdict in this clone and the ledger with the plan.
func (b *Branch) save(ctx context.Context, j ledger.Judgeable, l *ledger.Ledger) error {
	l.Only = b.subset
	b.invalidate(l)
	j.BaseTree, j.HeadTree = l.BaseTree, l.HeadTree
	if err := ledger.SaveVerdict(integrity.VerdictDir(b.Checkout.Repo), j, l.Verdict()); err != nil {
		return err
	}
	_ = journal.Note{Path: reviewFile(b.Checkout, "dismissed")}.Save(l.With(finding.Dismissed)) // kept as judged
	_ = os.Remove(reviewFile(b.Checkout, "sessions"))                                           // the sessions have ended
	if was := b.ledger(ctx); l.BaseTree == l.HeadTree && was != nil && was.HeadTree == l.HeadTree {
		return nil // merged since it was reviewed: nothing is left to record
	}
	if l.End != ledger.Incomplete && l.End != ledger.Budget {
		_ = os.Remove(reviewFile(b.Checkout, "progress.json")) // otherwise the next review asks only the missing reviewers
	}
	return b.keepLedger(ctx, l.After(b.ledger(ctx)))
}

// invalidate removes the verdicts for HEAD's tree if a finding blocks.
func (b *Branch) invalidate(l *ledger.Ledger) {
	if len(l.Blocking()) > 0 {
		ledger.RemoveVerdicts(integrity.VerdictDir(b.Checkout.Repo), l.HeadTree)
	}
}

// earlier returns the ledger of the last review. It may come from a remote, so only dismissals made in this clone stay:
// those of a person, and of a fixer with the verifier's consent.
func (b *Branch) earlier(ctx context.Context, dismissed ledger.Dismissals) *ledger.Ledger {
	l := b.ledger(ctx)
	if l != nil {
		here := journal.Loaded[[]finding.Finding](journal.Note{Path: reviewFile(b.Checkout, "dismissed")})
		l.Findings = slices.DeleteFunc(l.Findings, func(f finding.Finding) bool {
			same := func(h finding.Finding) bool { return h.ID == f.ID && h.Near == f.Near }
			return f.Status == finding.Dismissed && dismissed[f.ID].Why == "" && !slices.ContainsFunc(here, same)
		})
	}
	return l
}

// reviewFile returns the path of a file about the branch's review, which stays in this clone.
func reviewFile(c *checkout.Checkout, name string) string {
	return filepath.Join(integrity.ReviewDir(c.Repo, c.Branch), name)
}

// recordSession records a session before it begins, so that the next command can end it if this program is killed.
func (b *Branch) recordSession(session string) {
	name := reviewFile(b.Checkout, "sessions")
	_ = os.MkdirAll(filepath.Dir(name), 0o700)
	if f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600); err == nil {
		_, _ = f.WriteString(session + "\n") // one write: sessions begin side by side
		_ = f.Close()
	}
}

// endLeftoverSessions ends the sessions of a review that was killed.
func (b *Branch) endLeftoverSessions() {
	name := reviewFile(b.Checkout, "sessions")
	data, _ := os.ReadFile(name)
	for _, session := range strings.Fields(string(data)) {
		proc.Sweep(proc.Mark(session))
	}
	_ = os.Remove(name)
}

func (b *Branch) progress() *rounds.Progress {
	data, err := os.ReadFile(reviewFile(b.Checkout, "progress.json"))
	var p rounds.Progress
	if err != nil || json.Unmarshal(data, &p) != nil {
		return nil
	}
	return &p
}

// keepProgress saves the state of a review. If that fails, the review cannot be resumed.
func (b *Branch) keepProgress(p *rounds.Progress) {
	p.Unreported = b.Worker.Unreported()
	if data, err := json.Marshal(p); err == nil {
		_ = journal.WriteFile(reviewFile(b.Checkout, "progress.json"), data)
	}
}

func (b *Branch) ledger(ctx context.Context) *ledger.Ledger {
	l, err := ledger.Last(ctx, b.Checkout.Store, b.Checkout.Doc, b.Checkout.Branch)
	if l == nil && err == nil && b.Checkout.Doc != nil { // the branch was reviewed before it had a plan
		l, _ = ledger.Last(ctx, b.Checkout.Store, nil, b.Checkout.Branch)
	}
	return l
}

// catchUp writes a verdict into a ledger that lacks it, after a crash, or if other trees were judged since.
func (b *Branch) catchUp(ctx context.Context, v *ledger.Verdict, mergeBase string) error {
	l, err := b.ended(ctx, mergeBase, v.End, v.Reason)
	if err != nil {
		return err
	}
	if earlier := b.ledger(ctx); earlier != nil {
		if earlier.HeadTree == l.HeadTree && earlier.End.Passes() && len(earlier.Only) == len(b.subset) {
			return nil
		}
		l.Findings = append(l.Findings, earlier.CarryOver()...)
	}
	return b.keepLedger(ctx, l.After(b.ledger(ctx)))
}

// keepStopped saves the findings of a review that could not go on, so that the next one asks about them again.
func (b *Branch) keepStopped(ctx context.Context, why error) error {
	p := b.progress()
	if p == nil || p.Ledger == nil || len(p.Ledger.Rounds) == 0 { // there was no review
		return nil
	}
	l := p.Ledger
	l.End, l.Reason, l.Only = ledger.Incomplete, finding.Line(why.Error(), finding.MaxText), b.subset
	if context.Cause(ctx) != nil {
		l.Reason = journal.Interrupted
	}
	b.invalidate(l)
	return b.keepLedger(ctx, l.After(b.ledger(ctx)))
}

// keepUnverified records a failed verification without a round. The findings of the last review stay.
func (b *Branch) keepUnverified(ctx context.Context, mergeBase, why string) error {
	l, err := b.ended(ctx, mergeBase, ledger.Incomplete, finding.Line(why, finding.MaxText))
	if err != nil {
		return err
	}
	if earlier := b.ledger(ctx); earlier != nil {
		l.Rounds, l.Findings = append(l.Rounds, earlier.EarlierRounds()...), append(l.Findings, earlier.Findings...)
	}
	return b.keepLedger(ctx, l)
}

// ended returns a ledger of HEAD without rounds and findings.
func (b *Branch) ended(ctx context.Context, mergeBase string, end ledger.End, why string) (*ledger.Ledger, error) {
	head, err := b.Checkout.Repo.ReadCommit(ctx, "HEAD")
	if err != nil {
		return nil, err
	}
	l := &ledger.Ledger{
		Schema: ledger.Schema, Plan: b.Checkout.Loaded(), Branch: b.Checkout.Branch, Base: mergeBase, Head: head.OID,
		HeadTree: head.Tree, End: end, Reason: why, Only: b.subset, Rounds: []ledger.Round{}, Findings: []finding.Finding{},
	}
	l.BaseTree, err = b.Checkout.Repo.Resolve(ctx, mergeBase+"^{tree}")
	return l, err
}

// keepLedger writes the ledger of this review, even after a signal.
func (b *Branch) keepLedger(ctx context.Context, l *ledger.Ledger) error {
	ctx = context.WithoutCancel(ctx)
	if b.Checkout.Doc == nil {
		return keepLedger(ctx, b.Checkout, l, journal.Event{})
	}
	e := journal.Event{Kind: journal.Reviewed, Head: l.Head, By: journal.ByAgent, Reason: l.End.Words()}
	began := l.Head
	// without a round of its own this review ran no session
	if own := slices.IndexFunc(l.Rounds, func(r ledger.Round) bool { return !r.Earlier }); own >= 0 {
		e.Took, began = time.Since(b.since), l.Rounds[own].Head
	}
	if last := b.ledger(ctx); last != nil && last.End.Repairable() { // e.Unstuck: a person fixed the findings since
		since, ok := b.Checkout.Repo.Chain(ctx, began, last.Head, 50)
		for _, c := range since {
			ok = ok && len(journal.NamedSteps(c.Message)) == 0 // otherwise a session may have made the commits before it
			e.Unstuck = e.Unstuck || !strings.Contains(c.Message, "\n"+journal.ReviewTrailer+": ")
		}
		e.Unstuck = e.Unstuck && ok
	}
	return keepLedger(ctx, b.Checkout, l, b.Worker.WithSessions(e))
}

// keepLedger writes a ledger into the plan's ref, with an event, or without a plan into this clone.
func keepLedger(ctx context.Context, c *checkout.Checkout, l *ledger.Ledger, e journal.Event) error {
	data, err := l.Bytes()
	if err != nil {
		return err
	}
	if c.Doc == nil {
		return journal.WriteFile(reviewFile(c, journal.ReviewFile), data)
	}
	return c.Store.Apply(ctx, c.Doc, c.Branch, journal.Change{Event: e, Files: map[string][]byte{journal.ReviewFile: data}})
}

// PullRequest returns the text of a pull request for the branch and its plan.
func PullRequest(ctx context.Context, co *checkout.Checkout) ([]byte, error) {
	tree, err := co.Repo.Resolve(ctx, "HEAD^{tree}")
	if err != nil {
		return nil, err
	}
	pr := &ledger.PullRequest{Plan: co.Doc.Plan, Progress: co.Progress, HeadTree: tree,
		Manual: progress.Manuals(co.Doc.Plan, co.Doc.Events), LeftOut: progress.Unreviewed(co.Doc.Events)}
	for _, e := range slices.Backward(co.Doc.Events) {
		if e.Kind == journal.Reviewed { // its rounds ran the commands of the plan's text at that time
			text, err := co.Version(ctx, e.Commit)
			if err != nil {
				return nil, err
			}
			if pr.Reviewed, err = plan.Parse(text); err != nil {
				return nil, err
			}
			break
		}
	}
	pr.Ledger, err = ledger.Last(ctx, co.Store, co.Doc, co.Branch)
	return []byte(pr.Text()), err
}
