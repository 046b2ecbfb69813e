package rounds

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/integrity"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/reviewers/finding"
	"github.com/git-plan/git-plan/reviewers/ledger"
	"github.com/git-plan/git-plan/reviewers/panel"
	"github.com/git-plan/git-plan/reviewers/rules"
)

// begin sets the target of a round and, if reviewers share a clone, makes that clone, which remove deletes.
func (r *running) begin(ctx context.Context) (remove func(), err error) {
	l := r.at.Ledger
	t := r.Change
	t.Branch, t.Head, t.Round = l.Branch, l.Head, r.at.State.Round
	t.Nonce, t.Secret = integrity.Random(12), r.at.Secret
	difference := func(from string) (d *git.Diff) {
		if err == nil {
			d, err = git.DiffTrees(ctx, r.Change.Repo, from, l.Head)
		}
		return d
	}
	commits := func(from string) (list []git.Commit) {
		if err == nil {
			list, err = rules.CommitsOf(ctx, r.Change.Repo, from, l.Head)
		}
		return list
	}
	t.Diff, t.Commits = difference(l.Base), commits(l.Base)
	if t.Judge = t.Diff; r.at.Before != "" {
		t.Judge, t.Fixed, t.Fixes = difference(r.at.Before), difference(r.at.First), commits(r.at.First)
	}
	if err != nil {
		return nil, fmt.Errorf("what the branch changed: %w", err)
	}
	r.followRenames(ctx, t.Judge)
	t.Open, t.Dismissed = l.With(finding.Confirmed, finding.Asked, finding.Fixed), l.With(finding.Dismissed)
	if err = t.ReadAttributes(ctx); err != nil {
		return nil, err
	}
	remove = func() {}
	if r.Verifier.Shares || slices.ContainsFunc(r.Reviewers, func(v *panel.Reviewer) bool { return v.Shares }) {
		if t.Dir, remove, err = checkout.Throwaway(ctx, t.Repo, t.Head, "tree"); err != nil {
			return nil, err
		}
	}
	r.target, r.blocking, r.later, r.verified = &t, nil, nil, panel.Use{}
	n := journal.Notice{Kind: journal.ReviewRound, Round: &t.Round}
	if asks := r.asks(); r.resumed {
		n.Text = "goes on where it stopped"
	} else if len(asks) > 0 {
		n.Text = "asks " + strings.Join(asks, ", ")
	}
	r.Report(n)
	r.resumed = false
	return remove, nil
}

// judge asks the rules, the reviewers and the verifier; and if nothing blocks, the reviewers of the last look.
func (r *running) judge(ctx context.Context) (Judged, error) {
	t := r.target
	round := ledger.Round{N: t.Round, Head: t.Head, Tree: r.at.Ledger.HeadTree, Files: len(t.Diff.Files)}
	ruled := panel.ApplyRules(ctx, t)
	broken, err := r.Broken(ctx, t.Round)
	if err != nil {
		return Judged{}, err
	}
	for _, h := range broken {
		ruled.Findings = append(ruled.Findings, finding.FromHit(h))
	}
	round.Reviewers = append(round.Reviewers, ruled.Reviewed())
	r.Report(reviewerEnded(t.Round, ruled))
	for _, f := range ruled.Findings {
		if f.Category == "secret" && f.Rule != rules.SecretInHistory { // such a secret is gone from the file
			r.at.Secret[f.File] = true
		}
	}
	if err := t.HideSecrets(); err != nil {
		return Judged{}, err
	}
	if t.Round > 1 && len(t.NotSent(ctx, t.Judge)) == len(t.Judge.Files) {
		t.Judge = t.Diff
	}
	round.NotSent = t.NotSent(ctx, t.Diff)
	before, err := t.Fingerprints()
	if err != nil {
		return Judged{}, err
	}
	judged := Judged{Tree: r.at.Ledger.HeadTree}
	if ruled.Incomplete != "" {
		judged.Incomplete = ledger.Silent(round.Reviewers, ruled.Incomplete) + ": " + ruled.Incomplete
	}
	found := ruled.Findings
	for _, wave := range r.waves() {
		found = r.ask(ctx, wave, found, &round, &judged)
		if len(r.blocking) > 0 || judged.Incomplete != "" || judged.Spent != "" {
			break
		}
	}
	for _, n := range t.NotSent(ctx, t.Judge) {
		if n.Code {
			judged.Incomplete = cmp.Or(judged.Incomplete, finding.ShowPath(n.Path)+" cannot be shown to a reviewer: "+n.Why)
		}
	}
	if judged.Moved, err = r.moved(ctx, r.at.Ledger.Head); err != nil {
		return judged, err
	}
	if after, err := t.Fingerprints(); err != nil || !maps.Equal(after, before) { // sessions in it only read
		judged.Incomplete = "the copy that reviewers read was changed: " + t.Dir
		r.at.Reports, r.later = nil, nil // any reviewer may have read the changed files
		r.keep(Judge)
	}
	r.close(found, &round, &judged)
	return judged, ctx.Err()
}

// waves returns the reviewers of this round, to be asked one wave after the other: the reviewers of the last look last.
func (r *running) waves() [][]*panel.Reviewer {
	var now, last []*panel.Reviewer
	for _, v := range r.Reviewers {
		switch {
		case !v.Matches(r.target.Diff) || v.Auto && !r.isCalled(v):
		case v.Rounds == panel.Last:
			last = append(last, v)
		case v.Rounds == panel.First && r.target.Round > 1:
		default:
			now = append(now, v)
		}
	}
	if len(last) == 0 {
		return [][]*panel.Reviewer{now}
	}
	return [][]*panel.Reviewer{now, last}
}

// isCalled reports whether the files of this round call for a persona, or it found something in this review.
func (r *running) isCalled(v *panel.Reviewer) bool {
	_, called := panel.CalledFor(v.Name, r.target.Judge)
	return called && !r.target.Spares(v.Name) || slices.ContainsFunc(r.at.Ledger.Rounds, func(past ledger.Round) bool {
		return slices.ContainsFunc(past.Reviewers, func(o ledger.Reviewed) bool { return o.Name == v.Name && len(o.Findings) > 0 })
	})
}

func (r *running) asks() (names []string) {
	for _, v := range slices.Concat(r.waves()...) {
		name := v.Name
		if why, _ := panel.CalledFor(name, r.target.Judge); v.Auto && why != "" {
			name += " (" + finding.ShowPath(why) + ")"
		}
		names = append(names, name)
	}
	return names
}

// ask runs one wave, returns all findings so far, verified, and sets r.blocking.
func (r *running) ask(ctx context.Context, wave []*panel.Reviewer, found []finding.Finding, round *ledger.Round,
	judged *Judged) []finding.Finding {
	t := r.target
	lists := [][]finding.Finding{found}
	reports := panel.AskAll(ctx, wave, t, r.at.Reports, func(rep panel.Report) {
		known := func(o panel.Report) bool { return o.Reviewer == rep.Reviewer }
		if rep.Incomplete == "" && !slices.ContainsFunc(r.at.Reports, known) {
			r.at.Reports = append(r.at.Reports, rep)
			r.keep(Judge)
		}
		if rep.Incomplete == "" || ctx.Err() == nil { // an interruption is not reported for each reviewer
			r.Report(reviewerEnded(t.Round, rep))
		}
	})
	why := "" // why the first required reviewer without an answer gave none
	for i, rep := range reports {
		round.Reviewers = append(round.Reviewers, rep.Reviewed())
		lists = append(lists, rep.Findings)
		judged.Spent = cmp.Or(judged.Spent, rep.Spent)
		switch {
		case !wave[i].Blocking:
		case rep.Incomplete == "":
			judged.Answers++
		case judged.Incomplete == "":
			why = cmp.Or(why, rep.Incomplete)
		}
		if wave[i].Blocking {
			r.later = cmp.Or(r.later, rep.Later)
		}
	}
	if why != "" {
		judged.Incomplete = ledger.Silent(round.Reviewers, why) + ": " + why
	}
	found = finding.Merge(lists...)
	for id, earlier := range finding.Recognise(found, t.Open, t.Code(ctx).Now) {
		r.at.State.Fixed[id] = max(r.at.State.Fixed[id], r.at.State.Fixed[earlier])
	}
	found = finding.Merge(found, r.unmentioned(ctx, found))
	known := r.at.Ledger.ByID()
	var doubtful []finding.Finding
	for i := range found {
		f := &found[i]
		r.restoreJudgement(ctx, f, known[f.ID])
		if f.Status == finding.Open && f.CouldBlock(r.bar(f)) {
			doubtful = append(doubtful, *f)
		}
	}
	if judged.Spent == "" && judged.Incomplete == "" {
		r.verify(ctx, found, doubtful, round, judged)
	}
	r.keepConfirmed(found, judged.Spent == "" && judged.Incomplete == "")
	r.blocking = nil
	for _, f := range found {
		if f.Blocks(r.bar(&f)) {
			r.blocking = append(r.blocking, f)
		}
	}
	return found
}

func (r *running) verify(ctx context.Context, found, doubtful []finding.Finding, round *ledger.Round, judged *Judged) {
	if len(doubtful) == 0 {
		return
	}
	v := r.Verifier.Verify(ctx, r.target, doubtful)
	round.Verifier = v.Record(&r.verified)
	judged.Spent, r.later = cmp.Or(judged.Spent, v.Spent), v.Later
	if v.Incomplete != "" {
		judged.Incomplete = "the verifier: " + v.Incomplete
		for i := range found {
			if f := &found[i]; slices.ContainsFunc(doubtful, func(d finding.Finding) bool { return d.ID == f.ID }) {
				f.Because = "not judged, since the verifier gave no answer"
			}
		}
		return
	}
	for i := range found {
		f := &found[i]
		j, ok := v.Judged[f.ID]
		if !ok {
			continue
		}
		f.Status, f.Because = j.Answer, j.Because
		if old := r.confirmed(f.ID); j.Answer == finding.Plausible && old != nil && old.Near == f.Near {
			f.Status, f.Because = finding.Confirmed,
				finding.Line("it was confirmed, and is not refuted now: "+j.Because, finding.MaxText)
		}
	}
}

func (r *running) close(found []finding.Finding, round *ledger.Round, judged *Judged) {
	for _, f := range r.blocking {
		judged.Blocking = append(judged.Blocking, Blocking{ID: f.ID, Ask: f.AsksPerson()})
		round.Blocking = append(round.Blocking, f.ID)
	}
	for _, f := range found {
		state := string(f.Status)
		if slices.Contains(finding.Standing, f.Status) {
			state = ledger.Weight(f, slices.Contains(round.Blocking, f.ID))
		}
		if f.Round > 0 && f.Round < round.N && !f.Unquoted() {
			state += fmt.Sprintf(", as in round %d", f.Round)
		}
		r.Report(journal.Notice{Kind: journal.FindingSeen, Round: &round.N, Finding: &f,
			Text: fmt.Sprintf("%s: %s %s: %s (%s)", finding.ShowPath(f.Place()), f.Severity, f.Category, f.Title, state)})
	}
	r.at.Ledger.Keep(found)
	counted := slices.DeleteFunc(r.at.Ledger.Standing(), func(f finding.Finding) bool { return f.Unquoted() })
	judged.Notes = len(counted) - len(round.Blocking)
	r.at.Ledger.Rounds = append(r.at.Ledger.Rounds, *round)
	judged.Unread = len(r.at.Ledger.Unread())
}
