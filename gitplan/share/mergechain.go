package share

import (
	"context"
	"slices"

	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/progress"
)

// chainMerge is a merge of the chains of a plan that two clones extended: the last common commit, and both tips.
type chainMerge struct {
	*incoming
	base, ours *journal.Document
	events     []journal.Event // the events of both chains
}

// sideOf returns the side on which an event happened since the last common commit, or Neither.
func (m *chainMerge) sideOf(e journal.Event) Side {
	is := func(c git.Commit) bool { return c.OID == e.Commit }
	switch {
	case slices.ContainsFunc(m.onlyHere, is):
		return Ours
	case slices.ContainsFunc(m.onlyThere, is):
		return Theirs
	}
	return Neither
}

// entries returns the files of the merged plan; of a ledger that both sides wrote, the newer review's.
func (m *chainMerge) entries() []git.Entry {
	var reviewed journal.Event
	for _, e := range m.events {
		if e.Kind == journal.Reviewed {
			reviewed = e
		}
	}
	isLedger := func(e git.Entry) bool { return e.Name == journal.ReviewFile }
	ledgerOf := func(d *journal.Document) git.Entry {
		return append(slices.DeleteFunc(slices.Clone(d.Entries), func(e git.Entry) bool { return !isLedger(e) }), git.Entry{})[0]
	}
	kept, ok := three(ledgerOf(m.base), ledgerOf(m.ours), ledgerOf(m.doc))
	if !ok && m.sideOf(reviewed) == Theirs {
		kept = ledgerOf(m.doc)
	}
	out := slices.DeleteFunc(slices.Clone(m.ours.Entries), isLedger) // merge adds the new text
	if kept.Name != "" {
		out = append(out, kept)
	}
	return out
}

// merge joins two chains by a commit with an event of the kind edited.
func (f *fetching) merge(ctx context.Context, p *incoming) error {
	base, err := f.Checkout.Repo.MergeBase(ctx, p.here, p.seen)
	if err != nil {
		return err
	}
	if base == "" {
		f.refuse(p, fault.ErrRefused,
			"it has nothing in common with the plan of that id here; git plan drop "+p.ID+" makes way for it")
		return nil
	}
	store, m := f.Checkout.Store, &chainMerge{incoming: p}
	if m.base, err = store.At(ctx, p.ID, base); err != nil {
		return err
	}
	if m.ours, err = store.At(ctx, p.ID, p.here); err != nil {
		return err
	}
	commits, err := store.Repo.Log(ctx, "--date-order", p.here, p.seen) // the order in which the merged chain is read
	if err != nil {
		return err
	}
	m.events = journal.EventsOf(p.ID, commits)
	last := progress.LastEvents(m.events)
	state := func(step string) Side { return m.sideOf(progress.StepState{Event: last[step]}.Last()) }
	text, conflicts, err := MergeText(Versions{m.base.Plan.Source, m.ours.Plan.Source, p.doc.Plan.Source}, f.pick, state)
	if p.Conflicts = conflicts; err != nil {
		return err
	}
	if text == nil {
		p.End, p.Err = FetchedNot, fault.New(fault.ErrDiverged, "plan %s was changed both here and at %s", p.ID, f.remote)
		return nil
	}
	merged, err := plan.Parse(text)
	if err != nil {
		return err
	}
	d := &journal.Document{ID: p.ID, Tip: p.here, Merged: p.seen, Entries: m.entries(), Events: m.events}
	event := journal.Event{Kind: journal.Edited, Reason: "merged from " + f.remote} // earlier events stay
	if err = store.Commit(ctx, d, merged, nil, event, merged.Branch); err == nil {
		p.Plan = d.Plan
	}
	return err
}
