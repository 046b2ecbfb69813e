package reviewers

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/git-plan/git-plan/gitplan"
	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/git"
)

// Branch is the review of the branch of a checkout, with or without a plan.
type Branch struct {
	*gitplan.Worker
	Base   string   // empty: the plan's, else the one that is found
	Only   []string // reviewers; nil: as configured
	Rounds int      // 0: as configured
	NoFix  bool

	began    time.Time
	checks   []string // of the plan, for its fixers
	attempts int
}

// BranchOutcome is how a branch's review ended, now or before.
type BranchOutcome struct {
	End     End
	Reason  string
	Outcome *Outcome // nil where an earlier verdict answered
	Head    string
}

// Review verifies, judges and mends the branch until a round leaves HEAD where
// it was. A verdict that is known for exactly these trees answers at once.
func (b *Branch) Review(ctx context.Context) (*BranchOutcome, error) {
	b.began = time.Now()
	if err := b.RecoverFix(ctx); err != nil {
		return nil, err
	}
	if err := b.Ready(ctx); err != nil {
		return nil, err
	}
	plan, base, mergeBase, err := b.frame(ctx)
	if err != nil {
		return nil, err
	}
	all, err := Configured(ctx, b.Checkout, mergeBase, b.Only, func(name string) Hold { return b.hold(name) })
	if err != nil {
		return nil, err
	}
	key, err := verdictKeyOf(ctx, b.Checkout, plan, all, mergeBase, "HEAD")
	if err != nil {
		return nil, err
	}
	if v := LoadVerdict(VerdictDir(b.Repo), key); v.Passes() {
		out := &BranchOutcome{End: v.End, Reason: "judged before, at " + v.Head, Head: v.Head}
		return out, b.catchUp(ctx, v, mergeBase)
	}
	if err := b.canJudge(all); err != nil {
		return nil, err
	}
	if plan != nil {
		if err := b.verification(ctx, plan); err != nil {
			return nil, err
		}
	}
	return b.judge(ctx, plan, base, mergeBase, all)
}

// frame finds what is judged against what.
func (b *Branch) frame(ctx context.Context) (plan *gitplan.Plan, base, mergeBase string, err error) {
	base = b.Base
	if b.Doc != nil {
		plan = b.Doc.Plan
		if base == "" {
			base = plan.Base
		}
		b.checks = append(gitplan.Commands(plan.Verification), gitplan.Commands(plan.Checks)...)
	}
	if base, err = b.Checkout.Base(ctx, base); err != nil {
		return nil, "", "", err
	}
	if b.attempts, err = b.Config.Int("plan.attempts"); err != nil {
		return nil, "", "", err
	}
	head, err := b.Repo.Resolve(ctx, "HEAD^{commit}")
	if errors.Is(err, git.ErrMissing) {
		return nil, "", "", &gitplan.Fault{Kind: gitplan.ErrUnborn, Text: "the branch has no commit yet, so there is nothing to review"}
	}
	if err != nil {
		return nil, "", "", err
	}
	if base == "" {
		return plan, b.Repo.EmptyTree(), b.Repo.EmptyTree(), nil
	}
	mergeBase, err = b.Repo.MergeBase(ctx, base, head)
	if errors.Is(err, git.ErrMissing) {
		err = &gitplan.Fault{Kind: gitplan.ErrNoBase, Text: fmt.Sprintf("the branch has no commit in common with %s", base)}
	}
	return plan, base, mergeBase, err
}

// canJudge makes sure that there is an agent before anything is started.
func (b *Branch) canJudge(all []Reviewer) error {
	for _, r := range all {
		if p, ok := r.(*Panelist); ok {
			if _, err := roleAgent(b.Checkout, agent.Reviewer, p.Agent); err != nil {
				return err
			}
		}
	}
	return nil
}

// hold holds the session of a reviewer or verifier in the round's clone.
func (b *Branch) hold(agentName string) Hold {
	return func(ctx context.Context, s agent.Session) agent.Result {
		a, err := roleAgent(b.Checkout, s.Role, agentName)
		if err != nil {
			return agent.Result{Status: agent.Failed, Reason: err.Error()}
		}
		return b.HoldReview(ctx, a, s)
	}
}

// verification runs the plan's Verification; where it fails a fixer gets its
// output, before anybody judges.
func (b *Branch) verification(ctx context.Context, plan *gitplan.Plan) error {
	commands := gitplan.Commands(plan.Verification)
	failure := b.Verify(ctx, commands)
	var failed *gitplan.CheckFailure
	if failure == nil || !errors.As(failure, &failed) {
		return failure
	}
	text := fmt.Sprintf("The plan's verification fails: %s\n%s", failed.Error(), failed.Output)
	if b.NoFix {
		return &gitplan.Fault{Kind: gitplan.ErrChecksFailed, Text: "the verification fails: " + failed.Error()}
	}
	m := b.mend(ctx, 0, text, agent.Review{})
	if m.Status != agent.Done || m.Head == "" {
		return &gitplan.Fault{Kind: gitplan.ErrChecksFailed, Text: "the verification fails: " + failed.Error() + "; the fixer: " + line(m.Reason, maxTitle)}
	}
	return nil
}

func (b *Branch) judge(ctx context.Context, plan *gitplan.Plan, base, mergeBase string, all []Reviewer) (*BranchOutcome, error) {
	rounds := b.Rounds
	if rounds == 0 {
		var err error
		if rounds, err = b.Config.Int("plan.reviewRounds"); err != nil {
			return nil, err
		}
	}
	l := &Loop{
		Repo: b.Repo, Base: base, Plan: plan, Guidelines: guidelines(ctx, b.Repo, mergeBase),
		Reviewers: all, Verifier: b.hold(""), NoFix: b.NoFix, Rounds: rounds, BlockOn: blockOn(b.Checkout),
		Report: b.report,
		Fix: func(ctx context.Context, r Repair) Mended {
			return b.mend(ctx, r.Round, findingsText(r.Findings), agent.Review{Base: r.Base, Head: r.Head, Round: r.Round, Findings: r.File})
		},
	}
	if b.Doc != nil {
		l.PlanID = b.Doc.ID
		if data, err := b.Store.File(ctx, b.Doc, gitplan.ReviewFile); err == nil && data != nil {
			l.Earlier, _ = ParseLedger(data)
		}
	}
	out, err := l.Run(ctx)
	if err != nil {
		return nil, err
	}
	return &BranchOutcome{End: out.End, Reason: out.Reason, Outcome: out, Head: out.Ledger.Head}, b.save(ctx, plan, all, out)
}

// save keeps the verdict in this clone and the ledger with the plan.
func (b *Branch) save(ctx context.Context, plan *gitplan.Plan, all []Reviewer, out *Outcome) error {
	base := out.Ledger.BaseTree
	j := Judgeable{BaseTree: base, HeadTree: out.Ledger.HeadTree, Reviewers: Digest(all), BlockOn: blockOn(b.Checkout)}
	if plan != nil {
		j.Meaning = gitplan.Digest(plan.Source)
	}
	if err := SaveVerdict(VerdictDir(b.Repo), j.Key(), out.Verdict(time.Now())); err != nil {
		return err
	}
	if b.Doc == nil {
		return nil
	}
	return b.keepLedger(ctx, out.Ledger)
}

// catchUp writes what a verdict knows into a plan that does not know it: a
// crash came between the two.
func (b *Branch) catchUp(ctx context.Context, v *Verdict, mergeBase string) error {
	if b.Doc == nil {
		return nil
	}
	head, err := b.Repo.ReadCommit(ctx, "HEAD")
	if err != nil {
		return err
	}
	if data, err := b.Store.File(ctx, b.Doc, gitplan.ReviewFile); err == nil && data != nil {
		if l, err := ParseLedger(data); err == nil && l.HeadTree == head.Tree && l.End == v.End {
			return nil
		}
	}
	baseTree, err := b.Repo.Resolve(ctx, mergeBase+"^{tree}")
	if err != nil {
		return err
	}
	return b.keepLedger(ctx, &Ledger{
		Schema: ledgerSchema, Plan: b.Doc.ID, Branch: b.Checkout.Branch, Base: mergeBase, Head: head.OID,
		BaseTree: baseTree, HeadTree: head.Tree, End: v.End, Reason: v.Reason, Rounds: []Round{}, Findings: []Finding{},
	})
}

// keepLedger writes the ledger into the plan's ref. A signal does not cut it short.
func (b *Branch) keepLedger(ctx context.Context, l *Ledger) error {
	data, err := l.Bytes()
	if err != nil {
		return err
	}
	tokens, cost := l.Tokens()
	var took time.Duration
	if len(l.Rounds) > 0 { // else this review held no session
		took = time.Since(b.began)
	}
	return b.Store.Apply(context.WithoutCancel(ctx), b.Doc, b.Checkout.Branch, gitplan.Change{
		Event: gitplan.Event{Kind: gitplan.Reviewed, Head: l.Head, By: gitplan.ByAgent, Reason: string(l.End), Tokens: tokens, Cost: cost, Took: took},
		Files: map[string][]byte{gitplan.ReviewFile: data},
	})
}

// mend has findings, or a failing verification, repaired by a fixer session.
func (b *Branch) mend(ctx context.Context, round int, findings string, review agent.Review) Mended {
	failed := func(err error) Mended { return Mended{Status: agent.Failed, Reason: err.Error()} }
	a, err := roleAgent(b.Checkout, agent.Fixer, "")
	if err != nil {
		return failed(err)
	}
	if err := b.Ready(ctx); err != nil {
		return failed(err)
	}
	var plan *gitplan.Plan
	owner := strings.ToLower(gitplan.Slug(b.Checkout.Branch, 60))
	if b.Doc != nil {
		plan, owner = b.Doc.Plan, b.Doc.ID
	}
	subject := fmt.Sprintf("Fix what the review found in round %d", round)
	if round == 0 {
		subject = "Make the plan's verification pass"
	}
	instructions := gitplan.Instructions(b.Repo.Top)
	task := gitplan.Task{
		Role: agent.Fixer, Agent: a, Name: gitplan.FixName(round), Attempts: b.attempts,
		Checks: b.checks, Unchanged: round > 0, Review: review, Subject: subject,
		Trailer: fmt.Sprintf("%s: %s/%d", gitplan.ReviewTrailer, owner, round),
		Prompt: func(try gitplan.Attempt) agent.Prompt {
			return b.Prompts.Fix(plan, findings, instructions, round, b.checks, try)
		},
		Inspect: func(ctx context.Context, c gitplan.Changeset) ([]string, []string, error) {
			return FixGuard(change(ctx, b.Repo, c.Diff)), nil, nil
		},
	}
	if err := b.Limits(&task); err != nil {
		return failed(err)
	}
	out, err := b.Work(ctx, task)
	if err != nil {
		return failed(err)
	}
	m := Mended{Status: out.Status, Reason: out.Reason, Dispositions: out.Result.Dispositions, Tokens: out.Result.Tokens, Cost: out.Result.Cost}
	if out.Status == agent.Done && out.Commit != gitplan.None {
		m.Head = out.Commit
	}
	if out.Kept != "" {
		m.Reason += " (kept as " + out.Kept + ")"
	}
	return m
}

// findingsText is what a fixer is told of the findings.
func findingsText(list []Finding) string {
	var b strings.Builder
	for _, f := range list {
		fmt.Fprintf(&b, "Finding: %s\n%s, %s, in %s\n%s\n", f.ID, f.Severity, f.Category, f.where(), f.Title)
		for _, p := range [][2]string{{"The code", f.Quote}, {"Why", f.Detail}, {"What shows it", f.Trigger}, {"The verifier", f.Because}} {
			if p[1] != "" {
				fmt.Fprintf(&b, "%s: %s\n", p[0], p[1])
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}

// report tells people and programs what happens in the review.
func (b *Branch) report(e Event) {
	n := gitplan.Notice{Round: e.Round}
	switch e.Kind {
	case RoundStarted:
		n.Event = gitplan.ReviewRound
	case ReviewerEnded:
		n.Event, n.Reviewer, n.Reason = gitplan.ReviewerEnd, e.Reviewer.Reviewer, e.Reviewer.Incomplete
		n.Text = fmt.Sprintf("%s: %s, %s judged", e.Reviewer.Reviewer, count(len(e.Reviewer.Findings), "finding"), count(len(e.Reviewer.Covered), "file"))
		if e.Reviewer.Incomplete != "" {
			n.Text = fmt.Sprintf("%s gave no answer: %s", e.Reviewer.Reviewer, e.Reviewer.Incomplete)
		}
	case FindingSeen:
		n.Event, n.Finding = gitplan.FindingSeen, e.Finding
		n.Text = fmt.Sprintf("%s: %s %s: %s (%s)", showPath(e.Finding.where()), e.Finding.Severity, e.Finding.Category, e.Finding.Title, e.Finding.Status)
	case FixEnded:
		n.Event, n.Commit, n.Reason = gitplan.FixEnd, e.Mended.Head, e.Mended.Reason
		if n.Text = "fixer: nothing committed"; n.Commit != "" {
			n.Text = fmt.Sprintf("fixer: committed %.10s", n.Commit)
		}
	case ReviewEnded:
		n.Event, n.Text, n.Reason = gitplan.ReviewEnd, fmt.Sprintf("%s: %s", e.Outcome.End, e.Outcome.Reason), e.Outcome.Reason
	}
	b.Tell(n)
}

// StepGuard is the guard that looks at what a step's session changed.
func StepGuard(c *gitplan.Checkout) gitplan.Guard {
	drift := c.Config.String("plan.drift")
	return func(ctx context.Context, step *gitplan.Step, set gitplan.Changeset) (failing, reported []string, err error) {
		g := Guard(change(ctx, c.Repo, set.Diff), step, drift)
		return g.Fails, g.Reports, nil
	}
}
