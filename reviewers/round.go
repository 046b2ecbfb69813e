package reviewers

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/git-plan/git-plan/gitplan/git/diffs"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
)

// shares reports whether there is anybody who reads the clone that a round has.
func (r *running) shares() bool {
	return r.VerifierShares || slices.ContainsFunc(r.Reviewers, func(v Reviewer) bool {
		p, ok := v.(*Panelist)
		return ok && p.Shares
	})
}

// begin makes the target of a round and, if reviewers share one, its clone, which remove
// deletes.
func (r *running) begin(ctx context.Context) (remove func(), err error) {
	l := r.ledger
	t := &Target{
		Branch: r.branch, Base: l.Base, Head: r.head, Round: r.state.Round, Nonce: newNonce(),
		Plan: r.Plan, Progress: r.Progress, PlanID: r.PlanID, Guidelines: r.Guidelines, Secret: r.secret, repo: r.Repo,
	}
	if t.Diff, err = diffs.Between(ctx, r.Repo, l.Base, r.head); err != nil {
		return nil, fmt.Errorf("the difference to the base: %w", err)
	}
	r.follow(ctx)
	t.Open, t.Dismissed = l.with(Confirmed, Asked, Fixed), l.with(Dismissed)
	t.Judge = t.Diff
	if t.Commits, err = commits(ctx, r.Repo, l.Base, r.head); err != nil {
		return nil, err
	}
	if r.before != "" {
		if t.Judge, err = diffs.Between(ctx, r.Repo, r.before, r.head); err != nil {
			return nil, err
		}
		if t.Fixes, err = commits(ctx, r.Repo, r.first, r.head); err != nil {
			return nil, err
		}
		if t.Fixed, err = diffs.Between(ctx, r.Repo, r.first, r.head); err != nil {
			return nil, err
		}
	}
	if err = r.attributes(ctx, t); err != nil {
		return nil, err
	}
	remove = func() {}
	if r.shares() {
		if t.Dir, remove, err = throwaway(ctx, r.Repo, r.head); err != nil {
			return nil, err
		}
	}
	r.target, r.blocking, r.pending, r.later = t, r.pending, nil, nil
	r.emit(Event{Kind: RoundStarted, Round: t.Round, Resumed: r.resumed})
	r.resumed = false
	return remove, nil
}

// attributes reads what the base says of the kinds of the changed files.
func (r *running) attributes(ctx context.Context, t *Target) (err error) {
	var all []string
	for _, d := range []*diffs.Diff{t.Diff, t.Judge} {
		all = append(all, paths(d)...)
	}
	t.Attributes, err = worktree.Attributes(ctx, r.Repo, t.Base, []string{"linguist-generated", "linguist-vendored"}, all)
	return err
}

// unseen says which code nobody who judges this round is shown, although nobody decided
// beforehand that this is fine: a branch could hide anything there.
func (t *Target) unseen(ctx context.Context) string {
	_, left := t.material(ctx, t.Judge)
	for _, n := range left {
		if n.Code {
			return fmt.Sprintf("%s cannot be shown to a reviewer: %s", showPath(n.Path), n.Why)
		}
	}
	return ""
}

// judge asks the rules, then everybody else, then the verifier; and if nothing blocks
// then, those who are to look last.
func (r *running) judge(ctx context.Context) (Judged, error) {
	t := r.target
	round := Round{N: t.Round, Head: t.Head, Tree: r.ledger.HeadTree, Files: len(t.Diff.Files)}
	ruled := Rules{}.Review(ctx, t)
	round.Reviewers = append(round.Reviewers, reviewed(ruled))
	r.emit(Event{Kind: ReviewerEnded, Round: t.Round, Reviewer: &ruled})
	if err := r.hideSecrets(ruled); err != nil {
		return Judged{}, err
	}
	if t.Round > 1 && !t.sendable(ctx, t.Judge) {
		t.Judge = t.Diff
	}
	_, round.NotSent = t.material(ctx, t.Diff)
	before, err := t.common()
	if err != nil {
		return Judged{}, err
	}
	judged := Judged{Tree: r.ledger.HeadTree}
	found := ruled.Findings
	for _, wave := range r.waves() {
		found = r.ask(ctx, wave, found, &round, &judged)
		if len(r.blocking) > 0 || judged.Incomplete != "" || judged.Spent != "" {
			break
		}
	}
	judged.Incomplete = cmp.Or(judged.Incomplete, t.unseen(ctx))
	if judged.Moved, err = r.moved(ctx, r.head); err != nil {
		return judged, err
	}
	if after, err := t.common(); err != nil || !maps.Equal(after, before) { // not by those who only read
		judged.Incomplete = "somebody changed the copy that reviewers read: " + t.Dir
		r.reports, r.later = nil, nil // nobody knows what the rest of them read
		r.keep(Judge)
	}
	r.close(found, &round, &judged)
	return judged, ctx.Err()
}

// waves returns the reviewers of this round: those for every round (and the first
// alone in the first), then those for the last look.
func (r *running) waves() [][]Reviewer {
	var now, last []Reviewer
	for _, v := range r.Reviewers {
		p, ok := v.(*Panelist)
		switch {
		case ok && !p.matches(r.target.Diff):
		case ok && p.Rounds == Last:
			last = append(last, v)
		case ok && p.Rounds == First && r.target.Round > 1:
		default:
			now = append(now, v)
		}
	}
	if len(last) == 0 {
		return [][]Reviewer{now}
	}
	return [][]Reviewer{now, last}
}

// ask runs one wave and returns all findings so far, verified. What blocks is left in
// r.blocking.
func (r *running) ask(ctx context.Context, wave []Reviewer, found []Finding, round *Round, judged *Judged) []Finding {
	t := r.target
	lists := [][]Finding{found}
	reports := Panel(ctx, r.unasked(wave), t, func(rep Report) {
		r.answer(rep)
		if rep.Incomplete == "" || ctx.Err() == nil { // an interruption is reported once, not for each
			r.emit(Event{Kind: ReviewerEnded, Round: t.Round, Reviewer: &rep})
		}
	})
	for _, rep := range reports {
		round.Reviewers = append(round.Reviewers, reviewed(rep))
		lists = append(lists, rep.Findings)
		judged.Spent = cmp.Or(judged.Spent, rep.Spent)
		switch {
		case !rep.Required:
		case rep.Incomplete == "":
			judged.Answers++
		case judged.Incomplete == "":
			judged.Incomplete = fmt.Sprintf("reviewer %s: %s", rep.Reviewer, rep.Incomplete)
		}
		if rep.Required {
			r.later = cmp.Or(r.later, rep.Later)
		}
	}
	found = Merge(lists...)
	for id, earlier := range recognise(found, t.Open, func(o Finding) Finding { return t.now(ctx, o) }) {
		r.state.Fixed[id] = max(r.state.Fixed[id], r.state.Fixed[earlier])
	}
	found = Merge(found, r.carried(ctx, found))
	known := r.ledger.byID()
	var doubtful []Finding
	for i := range found {
		f := &found[i]
		r.recall(f, known[f.ID])
		if f.Status == Open && f.couldBlock(r.bar(f)) {
			doubtful = append(doubtful, *f)
		}
	}
	if judged.Spent == "" && judged.Incomplete == "" {
		r.verify(ctx, found, doubtful, round, judged)
	}
	if judged.Spent != "" || judged.Incomplete != "" {
		r.unjudged(found)
	}
	r.belowBar(found)
	r.blocking = nil
	for _, f := range found {
		if f.Blocks(r.bar(&f)) {
			r.blocking = append(r.blocking, f)
		}
	}
	return found
}

func (r *running) verify(ctx context.Context, found, doubtful []Finding, round *Round, judged *Judged) {
	if len(doubtful) == 0 {
		return
	}
	v := r.verified(ctx, doubtful)
	round.Verifier = v.in(round.Verifier)
	judged.Spent, r.later = cmp.Or(judged.Spent, v.Spent), v.Later
	if v.Incomplete != "" {
		judged.Incomplete = "the verifier: " + v.Incomplete
		return
	}
	for i := range found {
		f := &found[i]
		j, ok := v.Judged[f.ID]
		if !ok {
			continue
		}
		f.Status, f.Because = j.Answer, j.Because
		if old := r.confirmed(f.ID); j.Answer == Plausible && old != nil && old.Near == f.Near {
			f.Status, f.Because = Confirmed, line("it was confirmed, and is not refuted now: "+j.Because, maxText)
		}
	}
}

// verified asks the verifier, in a clone of its own unless it can only read.
func (r *running) verified(ctx context.Context, findings []Finding) (v Verification) {
	if r.VerifierShares || r.Verifier == nil {
		return Verify(ctx, r.Verifier, r.target, findings)
	}
	spoiled, err := r.target.apart(ctx, func(own *Target) bool {
		v = Verify(ctx, r.Verifier, own, findings).after(v)
		return v.Incomplete == ""
	})
	if err != nil {
		v.Incomplete = line(err.Error(), maxTitle)
	}
	if v.Incomplete = cmp.Or(spoiled.twice(), v.Incomplete); v.Incomplete != "" {
		v.Judged = nil
	}
	return v
}

// hideSecrets remembers the files in which a secret was found, for this round and all
// later ones, and removes them from the copy that reviewers read.
func (r *running) hideSecrets(ruled Report) error {
	for _, f := range ruled.Findings {
		if f.Category == "secret" && f.Rule != LostSecret { // that one is gone from the file
			r.secret[f.File] = true
		}
	}
	if r.target.Dir == "" {
		return nil
	}
	return r.target.withoutSecrets()
}

// close writes the round into the ledger.
func (r *running) close(found []Finding, round *Round, judged *Judged) {
	for _, f := range r.blocking {
		judged.Blocking = append(judged.Blocking, Blocking{ID: f.ID, Ask: f.Remedy == "ask"})
		round.Blocking = append(round.Blocking, f.ID)
	}
	for _, f := range found {
		r.emit(Event{Kind: FindingSeen, Round: round.N, Finding: &f})
	}
	r.ledger.keep(found)
	judged.Notes = len(r.ledger.standing()) - len(round.Blocking)
	r.ledger.Rounds = append(r.ledger.Rounds, *round)
}
