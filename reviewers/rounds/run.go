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

// Run runs the review to its end and returns how it ended. An error means that the review could not be run to an end.
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
		if l.Earlier != nil { // nothing was judged again
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

// resume continues a review that stopped or, if that one is about something else, takes over its confirmed findings.
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
	r.at.State.Rounds, r.at.State.NoFix = now.State.Rounds, now.State.NoFix // this command's options count
	if r.at.Secret = now.Secret; p.Secret != nil {
		r.at.Secret = p.Secret
	}
	if judged {
		r.at.State.Trees = p.State.Trees[:len(p.State.Trees)-1]
		r.at.Ledger.Rounds = p.Ledger.Rounds[:len(p.Ledger.Rounds)-1]
	}
}

// Loop is the configuration of a review by Reviewers, and by the built-in rules, which always judge.
type Loop struct {
	Change    panel.Target // the fields that all rounds share: Repo, Base, the plan and the guidelines
	Reviewers []*panel.Reviewer
	Verifier  panel.Verifier

	// Fix has a session repair findings, runs the checks and the guard, and commits: the Head of the record, or "". An
	// error means that the fix passed its checks and is not committed yet; the next review commits it.
	Fix func(ctx context.Context, repair Repair) (ledger.FixRecord, error)

	// Broken returns a hit for each check of a done step that fails on HEAD.
	Broken func(ctx context.Context, round int) ([]rules.Hit, error)

	NoFix     bool
	Rounds    int               // plan.reviewRounds
	BlockOn   finding.Severity  // plan.blockOn; empty: High
	Earlier   *ledger.Ledger    // the ledger of the previous review of this branch; may be nil
	Dismissed ledger.Dismissals // a person's dismissals in this clone

	// Resume is the progress of a stopped review; with nil, or another Subject, the review begins from the start. Keep
	// saves the progress, and is called by one goroutine at a time.
	Subject string
	Resume  *Progress
	Keep    func(*Progress)
	Report  func(journal.Notice) // never called by two goroutines at once
}

// Progress is how far a review has come. A resumed review repeats the current round, and reuses its reports.
type Progress struct {
	Schema     int
	Subject    string // identifies the reviewers, the plan's meaning and the settings: ledger.Judgeable.Key without trees
	Next       Do     // Judge: the round is under way; Fix: it was judged, and a fixer is at work
	State      State
	First      string              // HEAD when the review began
	Before     string              // HEAD in the previous round; empty in the first
	Secret     map[string]bool     // paths of files that no model may see
	Reports    []panel.Report      // the usable reports of the current round
	Ledger     *ledger.Ledger      // Head is the commit of HEAD now, or when the round began
	Unreported []journal.RoleUsage // the usage of sessions that no event has reported yet
}

// Repair is a fixer's task.
type Repair struct {
	Review   agent.Review // the file Findings is outside of any work tree, and removed when Fix returns
	Findings []finding.Finding
	Tried    string // the diffs of earlier fixers in the files of findings that still stand
	Resumed  bool   // an earlier fixer of this round was interrupted
}

// running is a review under way.
type running struct {
	*Loop
	at       Progress
	target   *panel.Target     // the target of the current round
	blocking []finding.Finding // the blocking findings of the current round
	verified panel.Use         // the usage of the round's verifier
	resumed  bool              // the review goes on where an earlier process stopped
	fixing   bool              // a fixer of this round was interrupted
	later    error             // why an agent could not answer now; else nil
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

// FixEnded returns the notice of a fixer's end; round 0 is the fix of a verification.
func FixEnded(round int, fix ledger.FixRecord) journal.Notice {
	n := journal.Notice{Kind: journal.FixEnd, Round: &round, Commit: fix.Head, Reason: fix.Reason,
		Text: "fixer: nothing committed"}
	if fix.Head != "" {
		n.Text = fmt.Sprintf("fixer: committed %.10s", fix.Head)
	} else if fix.Reason != "" {
		n.Text += ": " + finding.Line(fix.Reason, finding.MaxTitle)
	}
	allowed := []string{string(finding.Fixed), string(finding.Dismissed), string(finding.Asked)}
	for _, d := range fix.Dispositions {
		if !slices.Contains(allowed, d.Disposition) {
			n.Text += fmt.Sprintf("; its answer %q is not fixed, dismissed or asked: %s",
				finding.Line(d.Disposition, finding.MaxTitle), cmp.Or(finding.Line(d.Because, finding.MaxTitle), "without a reason"))
			break // the others have the same mistake
		}
	}
	return n
}
