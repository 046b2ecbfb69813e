package reviewers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/integrity"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/remote"
	"github.com/git-plan/git-plan/gitplan/work"
	"github.com/git-plan/git-plan/gitplan/workspace"
	"github.com/git-plan/git-plan/reviewers/finding"
	"github.com/git-plan/git-plan/reviewers/ledger"
	"github.com/git-plan/git-plan/reviewers/panel"
	"github.com/git-plan/git-plan/reviewers/rounds"
	"github.com/git-plan/git-plan/reviewers/rules"
)

// Branch is the review of the branch of a checkout, with or without a plan.
type Branch struct {
	Worker   *work.Worker
	Checkout *checkout.Checkout // the Worker's checkout
	Base     string             // the base's ref; empty: the plan's, or the one that Checkout.Base finds
	Only     []string           // names of reviewers; nil: as configured
	Rounds   int                // maximum number of rounds; 0: as configured
	NoFix    bool
	Force    bool // review even if a verdict exists
	Clean    bool // the fixer starts over and discards the work of an interrupted one

	since    time.Time        // when this review began
	checks   []string         // the plan's check commands, for its fixers
	attempts int              // plan.attempts
	blockOn  finding.Severity // plan.blockOn
	subset   []string         // Only, if it selects fewer reviewers than are configured; else nil
}

// New returns the configured review of a worker's branch.
func New(w *work.Worker) *Branch { return &Branch{Worker: w, Checkout: w.Checkout} }

// Review verifies, judges and fixes the branch until a round leaves HEAD where it was. A verdict saves all of that.
func (b *Branch) Review(ctx context.Context) (_ *ledger.Outcome, err error) {
	b.since = time.Now()
	defer func() {
		err = b.Worker.AccountFailed(ctx, err)
		if p := b.progress(); p != nil { // findings reported now are not reported again
			b.keepProgress(p)
		}
	}()
	if p := b.progress(); p != nil {
		b.Worker.Remember(p.Unreported)
	}
	b.endLeftoverSessions()
	if err := b.Worker.RecoverFix(ctx); err != nil {
		return nil, err
	}
	plan, mergeBase, err := b.frame(ctx)
	if err != nil {
		return nil, err
	}
	all, err := Configured(ctx, b.Checkout, mergeBase, b.Only, b)
	if err != nil {
		return nil, err
	}
	if b.Only != nil {
		if whole, err := Configured(ctx, b.Checkout, mergeBase, nil, nil); err != nil ||
			panel.Digest(whole) != panel.Digest(all) {
			b.subset = b.Only
		}
	}
	j, err := judgeable(ctx, b.Checkout, b.Checkout.Doc, all, mergeBase, "HEAD")
	if err != nil {
		return nil, err
	}
	last := b.ledger(ctx)
	blocked := len(last.Blocking()) > 0 && last.HeadTree == j.HeadTree
	if v := ledger.LoadVerdict(integrity.VerdictDir(b.Checkout.Repo), j); v.Passes() && !b.Force && !blocked {
		good, err := b.historyPasses(ctx, plan, mergeBase)
		if err != nil {
			return nil, err
		}
		if good {
			return judgedBefore(v, last, j.HeadTree), b.catchUp(ctx, v, mergeBase)
		}
	}
	ready, err := workspace.Ready(ctx, b.Worker.Runner)
	if err != nil {
		return nil, err
	}
	if err := b.canJudge(all); err != nil {
		return nil, err
	}
	if plan != nil {
		if err := b.verification(ctx, ready, plan, mergeBase); err != nil {
			return nil, err
		}
	}
	return b.judge(ctx, plan, mergeBase, all, j)
}

// historyPasses applies the rules about commits, which a verdict about two trees does not cover.
func (b *Branch) historyPasses(ctx context.Context, p *plan.Plan, mergeBase string) (bool, error) {
	list, err := rules.CommitsOf(ctx, b.Checkout.Repo, mergeBase, "HEAD")
	if err != nil {
		return false, err
	}
	hits := rules.Find(rules.Change{Diff: &git.Diff{}, Commits: list, Plan: p}, rules.All())
	lost, err := rules.NewHistory(b.Checkout.Repo).Secrets(ctx, list, nil) // the diff that passed has no hits
	if err != nil {
		return false, err
	}
	dismissed := Dismissed(b.Checkout, b.Checkout.Doc, b.Checkout.Branch)
	for _, h := range append(hits, lost...) {
		if f := finding.FromHit(h); f.Blocks(b.blockOn) && dismissed[f.ID].Why == "" {
			return false, nil
		}
	}
	return true, nil
}

// judgedBefore returns the outcome of the review that led to a verdict, without findings if its ledger is gone.
func judgedBefore(v *ledger.Verdict, l *ledger.Ledger, tree string) *ledger.Outcome {
	last := ledger.Ledger{Schema: ledger.Schema, Head: v.Head, End: v.End}
	if l != nil && l.HeadTree == tree && l.End.Passes() {
		last = *l
	}
	last.Reason = fmt.Sprintf("judged before, at %.10s", v.Head)
	return &ledger.Outcome{Ledger: &last, Earlier: true}
}

// frame reads the settings, and returns the plan, if any, and the merge base with the base branch.
func (b *Branch) frame(ctx context.Context) (p *plan.Plan, mergeBase string, err error) {
	base := b.Base
	if b.Checkout.Doc != nil {
		p = b.Checkout.Doc.Plan
		base = cmp.Or(base, p.Base)
		b.checks = plan.Commands(p.Verification, p.Checks)
	}
	if base, err = b.Checkout.Base(ctx, base); err != nil {
		return nil, "", err
	}
	if b.Base == "" && base != "" && base == b.Checkout.Branch {
		if base, err = b.Checkout.OwnBase(ctx); err != nil {
			return nil, "", err
		}
	}
	if b.blockOn, err = BlockOn(b.Checkout); err != nil {
		return nil, "", err
	}
	if b.attempts, err = b.Checkout.Config.Int("plan.attempts"); err != nil {
		return nil, "", err
	}
	head, err := b.Checkout.Repo.Lookup(ctx, "HEAD^{commit}")
	if err == nil && head == "" {
		err = &fault.Fault{Kind: fault.ErrUnborn, Text: "the branch has no commit yet, so there is nothing to review"}
	}
	if err != nil {
		return nil, "", err
	}
	if base == "" {
		return p, b.Checkout.Repo.EmptyTree(), nil
	}
	mergeBase, err = b.Checkout.Repo.MergeBase(ctx, base, head)
	if err == nil && mergeBase == "" {
		err = &fault.Fault{Kind: fault.ErrNoBase, Text: fmt.Sprintf("the branch has no commit in common with %s", base)}
	}
	return p, mergeBase, err
}

// canJudge checks, before the first session, that each role that may be needed has an agent.
func (b *Branch) canJudge(all []*panel.Reviewer) (err error) {
	asks := false
	for _, r := range all {
		if r.Command == nil && err == nil {
			asks = true
			_, err = roleAgent(b.Checkout, agent.Reviewer, r.Agent)
		}
	}
	if asks && err == nil {
		_, err = remote.Of(b.Checkout.Config, agent.Fixer)
	}
	if asks && err == nil {
		_, err = roleAgent(b.Checkout, agent.Verifier, "")
	}
	if asks && err == nil && !b.NoFix {
		_, err = roleAgent(b.Checkout, agent.Fixer, "")
	}
	if errors.Is(err, fault.ErrNoAgent) { // the hint names commands as reviewers
		return &fault.Fault{Kind: fault.ErrNoReviewer, Text: err.Error()}
	}
	return err
}

// runSession returns the function that runs a session of a reviewer or verifier in the round's clone.
func (b *Branch) runSession(agentName string) panel.RunSession {
	return func(ctx context.Context, s agent.Session) agent.Result {
		a, err := roleAgent(b.Checkout, s.Role, agentName)
		if err != nil {
			return agent.Result{Status: agent.Failed, Reason: err.Error()}
		}
		s.ID = fmt.Sprintf("%s-%d-%s", s.Role, s.Review.Round, integrity.Random(3))
		b.recordSession(s.ID)
		return b.Worker.RunReview(ctx, a, s)
	}
}

func (b *Branch) judge(ctx context.Context, pl *plan.Plan, mergeBase string, all []*panel.Reviewer,
	j ledger.Judgeable) (*ledger.Outcome, error) {
	most, err := b.Rounds, error(nil)
	if most == 0 {
		if most, err = b.Checkout.Config.Int("plan.reviewRounds"); err != nil {
			return nil, err
		}
	}
	dismissed := Dismissed(b.Checkout, b.Checkout.Doc, b.Checkout.Branch)
	progressed := false
	j.BaseTree, j.HeadTree = "", "" // fixers change the tree
	l := &rounds.Loop{
		Change: panel.Target{Repo: b.Checkout.Repo, Base: mergeBase, Plan: pl, PlanID: b.Checkout.Loaded(),
			Progress: b.Checkout.Progress, Guidelines: guidelines(ctx, b.Checkout.Repo, mergeBase)},
		Reviewers: all, Verifier: panel.Verifier{RunSession: b.runSession(""),
			Shares: onlyReads(b.Checkout, agent.Verifier, "")}, NoFix: b.NoFix, Rounds: most, BlockOn: b.blockOn,
		Report: b.Worker.Runner.Report, Earlier: b.earlier(ctx, dismissed), Dismissed: dismissed,
		Subject: j.Key(), Resume: b.progress(), Broken: b.broken,
		Keep: func(p *rounds.Progress) { progressed = true; b.keepProgress(p) },
		Fix: func(ctx context.Context, r rounds.Repair) (ledger.FixRecord, error) {
			return b.fix(ctx, finding.Text(r.Findings...), r)
		},
	}
	out, err := l.Run(ctx)
	if err != nil && progressed {
		return nil, cmp.Or(b.keepStopped(ctx, err), err)
	}
	if err != nil {
		return nil, err
	}
	return out, b.save(ctx, j, out.Ledger)
}
