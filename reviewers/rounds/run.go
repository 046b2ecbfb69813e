package rounds

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/visible"
	"github.com/git-plan/git-plan/reviewers/finding"
	"github.com/git-plan/git-plan/reviewers/ledger"
	"github.com/git-plan/git-plan/reviewers/panel"
	"github.com/git-plan/git-plan/reviewers/rules"
)

// Run runs the review to its end. The error says why it could not; how it ended is the outcome.
func (l *Loop) Run(ctx context.Context) (*ledger.Outcome, error) {
	l.BlockOn = cmp.Or(l.BlockOn, finding.High)
	head, err := l.Change.Repo.ReadCommit(ctx, "HEAD")
	if err != nil {
		return nil, fmt.Errorf("HEAD: %w", err)
	}
	branch, err := l.Change.Repo.Branch(ctx)
	if err != nil {
		return nil, err
	}
	base, err := l.Change.Repo.Resolve(ctx, l.Change.Base+"^{tree}")
	if err != nil {
		return nil, err
	}
	at := &ledger.Ledger{Schema: ledger.Schema, Plan: l.Change.PlanID, Branch: branch, Base: l.Change.Base, BaseTree: base,
		Head: head.OID, HeadTree: head.Tree}
	if l.Earlier != nil {
		at.Findings = l.Earlier.CarryOver()
	}
	r := &running{Loop: l, at: Progress{Schema: ledger.Schema, Subject: l.Subject, State: Begin(l.Rounds, l.NoFix),
		First: head.OID, Secret: map[string]bool{}, Ledger: at}}
	if at.BaseTree == at.HeadTree {
		if l.Earlier != nil { // what it found was not judged again
			at.Findings = l.Earlier.Findings
		}
		return r.stop(end(ledger.Incomplete, "there is nothing to review: HEAD is identical to its base %.10s; to compare with another: --base REF", at.Base)), nil
	}
	r.resume()
	next := Action{Do: Judge}
	for next.Do != Stop {
		if next, err = r.round(ctx); err != nil {
			return nil, err
		}
	}
	return r.stop(next), nil
}

func (r *running) round(ctx context.Context) (Action, error) {
	remove, err := r.begin(ctx)
	if err != nil {
		return Action{}, err
	}
	defer remove()
	judged, err := r.judge(ctx)
	if err := cmp.Or(context.Cause(ctx), err); err != nil {
		return Action{}, err
	}
	var next Action
	if r.at.State, next = AfterJudging(r.at.State, judged); next.Do != Fix {
		return next, nil
	}
	r.keep(Fix)
	repaired, err := r.fix(ctx)
	if err := cmp.Or(context.Cause(ctx), err); err != nil {
		return Action{}, err
	}
	r.at.State, next = AfterFixing(r.at.State, repaired)
	if next.Do == Judge {
		r.at.Reports = nil
		r.keep(Judge)
	}
	return next, nil
}

func (r *running) stop(a Action) *ledger.Outcome {
	if open := r.at.Ledger.Blocking(); len(open) > 0 && a.End.Repairable() && a.End != ledger.Found {
		f := open[0]
		a.Reason += fmt.Sprintf("; first %s: %s (%s)", finding.ShowPath(f.Place()), f.Title, ledger.Short(f.ID))
	}
	r.at.Ledger.End, r.at.Ledger.Reason = a.End, a.Reason
	out := &ledger.Outcome{Ledger: r.at.Ledger}
	if a.End == ledger.Incomplete {
		out.Later = r.later
	}
	code := a.End.Code()
	r.Report(journal.Notice{Kind: journal.ReviewEnd, End: string(a.End), ExitCode: &code, Commit: r.at.Ledger.Head,
		Reason: a.Reason, Text: fmt.Sprintf("%s: %s", a.End.Words(), a.Reason)})
	return out
}

func (r *running) keep(next Do) {
	r.at.Next = next
	at := r.at
	r.Keep(&at)
}

// resume goes on with a review that stopped, or verifies again what that one had confirmed.
func (r *running) resume() {
	p := r.Resume
	if p == nil || p.Schema != ledger.Schema || p.Ledger == nil || p.Ledger.Branch != r.at.Ledger.Branch {
		return
	}
	judged := p.Next == Fix
	if p.Subject != r.Subject || p.Ledger.BaseTree != r.at.Ledger.BaseTree || p.Ledger.Head != r.at.Ledger.Head ||
		p.State.Round < 1 || judged && (len(p.State.Trees) == 0 || len(p.Ledger.Rounds) == 0) {
		known := func(f finding.Finding) bool { return r.at.Ledger.Finding(f.ID) != nil }
		r.at.Ledger.Findings = append(r.at.Ledger.Findings, slices.DeleteFunc(p.Ledger.CarryOver(), known)...)
		return
	}
	now := r.at
	r.at, r.resumed, r.fixing = *p, true, judged
	r.at.State.Rounds, r.at.State.NoFix = now.State.Rounds, now.State.NoFix // as they are asked for now
	if r.at.Secret = now.Secret; p.Secret != nil {
		r.at.Secret = p.Secret
	}
	if judged {
		r.at.State.Trees = p.State.Trees[:len(p.State.Trees)-1]
		r.at.Ledger.Rounds = p.Ledger.Rounds[:len(p.Ledger.Rounds)-1]
	}
}

// Loop is a review to be run by Reviewers, and by the built-in rules, which always judge.
type Loop struct {
	Change    panel.Target // what all rounds know of it: Repo, Base, the plan and the guidelines
	Reviewers []*panel.Reviewer
	Verifier  panel.Verifier

	// Fix has findings repaired by a session, its checks, the guard, and one commit: the Head of the record, or "". An
	// error means that the fix passed its checks and is not committed yet; the next review commits it.
	Fix func(ctx context.Context, repair Repair) (ledger.FixRecord, error)

	// Broken returns a hit for each check of a done step that fails on HEAD.
	Broken func(ctx context.Context, round int) ([]rules.Hit, error)

	NoFix     bool
	Rounds    int               // plan.reviewRounds
	BlockOn   finding.Severity  // plan.blockOn; empty: High
	Earlier   *ledger.Ledger    // of an earlier review of this branch; may be nil
	Dismissed ledger.Dismissals // by a person, in this clone

	// Resume is where a review of Subject stopped; nil, or another subject, begins from the start. Keep is called with
	// where the review is, by one goroutine at a time.
	Subject string
	Resume  *Progress
	Keep    func(*Progress)
	Report  func(journal.Notice) // never called by two goroutines at once
}

// Progress is how far a review has come. When it goes on, the round under way is repeated, and answers are reused.
type Progress struct {
	Schema     int
	Subject    string // who judges which change; another subject is another review
	Next       Do     // Judge: the round is under way; Fix: it was judged, and a fixer is at work
	State      State
	First      string          // HEAD when the review began
	Before     string          // the head of the round before; empty in the first
	Secret     map[string]bool // files that no model sees
	Reports    []panel.Report  // usable ones of the round under way
	Ledger     *ledger.Ledger  // its Head is where HEAD is, or was when the round began
	Unreported []journal.RoleUsage
}

// Repair is what a fixer is asked to do.
type Repair struct {
	Review   agent.Review // its file of findings is outside of any tree, and gone when Fix returns
	Findings []finding.Finding
	Tried    string // what fixers of earlier rounds did to the files of findings that still stand
	Resumed  bool   // a fixer was asked for this before, and did not come to its end
}

// running is a review under way.
type running struct {
	*Loop
	at       Progress
	target   *panel.Target // of the round under way
	blocking []finding.Finding
	verified panel.Use // of the round's verifier
	resumed  bool      // this is not its beginning
	fixing   bool      // a fixer of this round was interrupted
	later    error     // why an agent could not answer now
}

// moved returns how the branch was moved from outside; "" if it was not.
func (r *running) moved(ctx context.Context, want string) (string, error) {
	branch, err := r.Change.Repo.Branch(ctx)
	if err != nil {
		return "", err
	}
	if branch != r.at.Ledger.Branch {
		const detached = "a detached HEAD"
		return fmt.Sprintf("the branch was switched from %s to %s", cmp.Or(finding.ShowPath(r.at.Ledger.Branch), detached),
			cmp.Or(finding.ShowPath(branch), detached)), nil
	}
	head, err := r.Change.Repo.Resolve(ctx, "HEAD")
	if err != nil || head == want {
		return "", err
	}
	return fmt.Sprintf("HEAD was moved from %.10s to %.10s meanwhile", want, head), nil
}

func reviewerEnded(round int, r panel.Report) journal.Notice {
	n := journal.Notice{Kind: journal.ReviewerEnd, Round: &round, Reviewer: r.Reviewer, Reason: r.Incomplete}
	n.Text = fmt.Sprintf("%s: %s, %s judged", r.Reviewer, visible.Count(len(r.Findings), "finding"),
		visible.Count(len(r.Covered), "file"))
	if r.Incomplete != "" {
		n.Text = fmt.Sprintf("%s did not judge: %s", r.Reviewer, r.Incomplete)
	}
	return n
}

// FixEnded says what a fixer did; round 0 is the fix of a verification.
func FixEnded(round int, m ledger.FixRecord) journal.Notice {
	n := journal.Notice{Kind: journal.FixEnd, Round: &round, Commit: m.Head, Reason: m.Reason, Text: "fixer: nothing committed"}
	if m.Head != "" {
		n.Text = fmt.Sprintf("fixer: committed %.10s", m.Head)
	} else if m.Reason != "" {
		n.Text += ": " + finding.Line(m.Reason, finding.MaxTitle)
	}
	allowed := []string{string(finding.Fixed), string(finding.Dismissed), string(finding.Asked)}
	for _, d := range m.Dispositions {
		if !slices.Contains(allowed, d.Disposition) {
			n.Text += fmt.Sprintf("; its answer %q is not fixed, dismissed or asked: %s",
				finding.Line(d.Disposition, finding.MaxTitle), cmp.Or(finding.Line(d.Because, finding.MaxTitle), "without a reason"))
			break // the others have the same mistake
		}
	}
	return n
}
