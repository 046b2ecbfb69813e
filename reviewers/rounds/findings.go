package rounds

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/reviewers/finding"
	"github.com/git-plan/git-plan/reviewers/ledger"
	"github.com/git-plan/git-plan/reviewers/panel"
)

// A confirmed finding stays confirmed, even if later rounds omit it, rate it lower or do not confirm it.

// confirmed returns the finding in the state in which this review or the previous one confirmed it; nil if it was never
// confirmed or has been settled.
func (r *running) confirmed(id string) *finding.Finding {
	all := []*ledger.Ledger{r.at.Ledger, r.Earlier}
	if r.Resume != nil {
		all = append(all, r.Resume.Ledger)
	}
	for _, l := range all {
		if l == nil {
			continue
		}
		f := l.Finding(id)
		switch {
		case f == nil || f.Status == finding.Fixed: // the state before an unjudged fix counts
		case f.Status == finding.Confirmed || f.Status == finding.Asked:
			return f
		default:
			return nil
		}
	}
	return nil
}

// keepConfirmed confirms findings that were confirmed before, even if they do not block now, since they may under
// another plan.blockOn; and, if nothing was judged again, findings that a fixer says it fixed.
func (r *running) keepConfirmed(found []finding.Finding, judged bool) {
	for i := range found {
		f := &found[i]
		if f.Status != finding.Open {
			continue
		}
		old := r.confirmed(f.ID)
		if was := r.at.Ledger.Finding(f.ID); !judged && was != nil && was.Status == finding.Fixed {
			old = was
		}
		if old != nil {
			f.Status, f.Because = finding.Confirmed, old.Because
		}
	}
}

// followRenames gives findings the new paths of files that were renamed since the previous round (since), or in the
// first round since the previous review.
func (r *running) followRenames(ctx context.Context, since *git.Diff) {
	if r.at.Before == "" {
		if r.Earlier == nil || strings.Trim(r.Earlier.Head, "0123456789abcdef") != "" { // a remote may have forged it
			return
		}
		var err error
		if since, err = git.DiffTrees(ctx, r.Change.Repo, r.Earlier.Head, r.at.Ledger.Head); err != nil {
			return // git no longer has that commit
		}
	}
	for i := range r.at.Ledger.Findings {
		f := &r.at.Ledger.Findings[i]
		at := slices.IndexFunc(since.Files, func(d git.FileDiff) bool { return d.Status == 'R' && d.OldPath == f.File })
		if at >= 0 && !f.Verified {
			f.File = since.Files[at].Path
		}
	}
}

// restoreJudgement gives a finding its earlier judgement (old) if the code around it is the same.
func (r *running) restoreJudgement(ctx context.Context, f, old *finding.Finding) {
	if old != nil {
		f.Round = min(f.Round, max(old.Round, 1))
	}
	if f.Answer = r.Dismissed[f.ID].Answer; f.Answer != "" {
		defer func() { f.Remedy = "fix" }() // the next fixer reads it
	}
	if r.Dismissed.Settle(f, r.target.Code(ctx).File) || old == nil {
		return
	}
	if was := r.confirmed(f.ID); was != nil && !f.Verified { // a repeated finding is not weaker
		f.NonBlocking = f.NonBlocking && was.NonBlocking
		if !f.Severity.AtLeast(was.Severity) {
			f.Severity = was.Severity
		}
	}
	same := old.Near == f.Near && (f.Near != "" || f.Verified)
	switch {
	case old.Status == finding.Asked && (same || r.at.State.Round > 1): // other fixes do not answer it
		f.Status, f.Because, f.Remedy = finding.Asked, old.Because, "ask"
	case old.Status == finding.Dismissed && same,
		f.Status == finding.Open && same &&
			slices.Contains([]finding.Status{finding.Confirmed, finding.Plausible, finding.Refuted}, old.Status):
		f.Status, f.Because, f.By = old.Status, old.Because, old.By
	}
}

// unmentioned returns the open findings of earlier rounds that no report mentions now, to be verified again. Findings
// of a rule or a program, and findings whose code is gone, are taken as fixed instead.
func (r *running) unmentioned(ctx context.Context, found []finding.Finding) []finding.Finding {
	again := map[string]bool{}
	for _, f := range found {
		again[f.ID] = true
	}
	known := r.at.Ledger.ByID()
	for _, f := range r.at.Ledger.With(finding.Open, finding.Plausible) {
		if !again[f.ID] && (f.Verified || !f.Unquoted() && r.target.Code(ctx).Now(f).Line == 0) {
			known[f.ID].TakeAsFixed()
		}
	}
	var out []finding.Finding
	for _, f := range r.target.Open {
		if f.NonBlocking || again[f.ID] {
			continue
		}
		now := r.target.Code(ctx).Now(f)
		if f.Verified || now.Line == 0 {
			known[f.ID].TakeAsFixed()
			continue
		}
		now.Status = finding.Open // restoreJudgement restores its earlier judgement
		out = append(out, now)
	}
	return out
}

// bar returns the severity from which a finding blocks. It rises with each round, so that the loop converges, except
// for findings in a fixer's code or by a reviewer of the last look.
func (r *running) bar(f *finding.Finding) finding.Severity {
	ofLastLook := func(v *panel.Reviewer) bool { return v.Rounds == panel.Last && slices.Contains(f.Reviewers, v.Name) }
	if f.Round <= 1 || r.target.Fixed == nil || slices.ContainsFunc(r.Reviewers, ofLastLook) || f.AddedBy(r.target.Fixed) {
		return r.BlockOn
	}
	return r.BlockOn.Raised(f.Round - 1)
}

// fix hands the blocking findings to the fixer and determines the outcome.
func (r *running) fix(ctx context.Context) (Repaired, error) {
	list := slices.DeleteFunc(slices.Clone(r.blocking), finding.Finding.AsksPerson)
	file, remove, err := finding.TempFile(list)
	if err != nil {
		return Repaired{}, err
	}
	defer remove()
	review := agent.Review{Base: r.at.Ledger.Base, Head: r.at.Ledger.Head, Round: r.target.Round, Findings: file}
	fix, uncommitted := r.Fix(ctx, Repair{Review: review, Findings: list, Tried: r.target.Tried(list), Resumed: r.fixing})
	r.fixing = false
	r.Report(FixEnded(r.target.Round, fix))
	if uncommitted != nil {
		return Repaired{}, uncommitted
	}
	fix.Head = cmp.Or(fix.Head, r.at.Ledger.Head)
	claims := fix.Dispositions
	fix.Dispositions = nil // dispose adds the valid ones
	out, err := r.settle(ctx, fix)
	if err != nil || out.Moved != "" || out.Spent != "" {
		return out, err
	}
	err = r.dispose(ctx, list, claims, &out)
	if r.later != nil {
		out.Later = r.later.Error()
	}
	if out.Tree != r.at.Ledger.HeadTree {
		r.at.Before, r.at.Ledger.Head, r.at.Ledger.HeadTree = r.at.Ledger.Head, fix.Head, out.Tree
		r.at.Ledger.Reopen()
	}
	return out, err
}

func (r *running) settle(ctx context.Context, fix ledger.FixRecord) (Repaired, error) {
	out := Repaired{Spent: panel.Spent(agent.Result{Status: fix.Status, Reason: fix.Reason})}
	r.later = panel.Later("the fixer", fix.Status, fix.Reason)
	if fix.Status != agent.Done {
		out.Reason = finding.Line(strings.TrimSuffix(fmt.Sprintf("%s: %s", fix.Status, fix.Reason), ": "), finding.MaxTitle)
	}
	fix.Reason = finding.Line(fix.Reason, finding.MaxTitle)
	r.at.Ledger.Rounds[len(r.at.Ledger.Rounds)-1].Fix = &fix
	var err error
	if out.Moved, err = r.moved(ctx, fix.Head); err != nil || out.Moved != "" {
		return out, err
	}
	descends, err := r.Change.Repo.IsAncestor(ctx, r.at.Ledger.Head, fix.Head)
	if err != nil {
		return out, err
	}
	if !descends {
		out.Moved = fmt.Sprintf("HEAD was rewound from %.10s to %.10s", r.at.Ledger.Head, fix.Head)
		return out, nil
	}
	c, err := r.Change.Repo.ReadCommit(ctx, fix.Head)
	out.Tree = c.Tree
	return out, err
}

// dispose records the fixer's claims about the findings. A dismissal counts if the verifier accepts its reason.
func (r *running) dispose(ctx context.Context, list []finding.Finding, all []agent.Disposition, out *Repaired) error {
	last := &r.at.Ledger.Rounds[len(r.at.Ledger.Rounds)-1]
	var dismissed []finding.Finding
	open := map[string]bool{} // IDs that were given to the fixer and have no answer yet
	for _, f := range list {
		open[f.ID] = true
	}
	known := r.at.Ledger.ByID()
	for _, d := range all {
		if len(list) == 1 && known[d.ID] == nil {
			d.ID = list[0].ID // the fixer had only one finding
		}
		if !open[d.ID] {
			continue // not given to the fixer, or a second answer
		}
		d.Because = finding.Line(d.Because, finding.MaxText)
		f := known[d.ID]
		switch finding.Status(d.Disposition) {
		case finding.Fixed:
			if out.Tree == r.at.Ledger.HeadTree { // a fix without a change is not a fix
				continue
			}
			f.Status, f.Because = finding.Fixed, d.Because
			out.Fixed = append(out.Fixed, d.ID)
		case finding.Dismissed:
			claim := *f
			claim.Status, claim.Because = finding.Dismissed, d.Because
			dismissed = append(dismissed, claim)
		case finding.Asked:
			f.Status, f.Because, f.Remedy = finding.Asked, d.Because, "ask"
		default:
			continue
		}
		last.Fix.Dispositions = append(last.Fix.Dispositions, d)
		open[d.ID] = false
	}
	if len(dismissed) == 0 {
		return nil
	}
	v := r.Verifier.Verify(ctx, r.target, dismissed)
	last.Verifier, last.Fix.Verified = v.Record(&r.verified), v.Judged
	out.Spent, r.later = cmp.Or(out.Spent, v.Spent), cmp.Or(r.later, v.Later)
	if v.Incomplete != "" {
		out.Later = "the verifier of what the fixer dismisses: " + v.Incomplete
	}
	var refuted []finding.Finding
	for _, f := range dismissed {
		if v.Judged[f.ID].Answer == finding.Refuted {
			refuted = append(refuted, f)
			out.Dismissed = append(out.Dismissed, f.ID)
		}
	}
	r.at.Ledger.Keep(refuted)
	return ctx.Err()
}
