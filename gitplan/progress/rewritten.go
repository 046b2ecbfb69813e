package progress

import (
	"context"
	"maps"
	"slices"

	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/journal"
)

// Rewritten records in a plan that commits replaced others, and returns the steps that this
// concerns: those whose new commit does not say in its message what the old ones did. Most
// rebases concern none, since messages stay. tip is where the branch was before.
func Rewritten(ctx context.Context, s *journal.Store, d *journal.Document, branch, tip string, all []journal.Replaced) ([]string, error) {
	before, err := Since(ctx, s, d, tip)
	if err != nil {
		return nil, err
	}
	e := journal.Event{Kind: journal.Rewritten, By: journal.ByPerson, Rewrites: concerning(d, before, all, lookup(ctx, s), treesOf(ctx, s))}
	if len(e.Rewrites) == 0 {
		return nil, nil
	}
	steps := map[string]bool{}
	for _, r := range e.Rewrites {
		maps.Copy(steps, r.Did)
	}
	e.Steps = slices.Sorted(maps.Keys(steps))
	return e.Steps, s.Apply(ctx, d, branch, journal.Change{Event: e})
}

// concerning returns the rewrites without which the plan would read the new commits
// differently from the old ones.
func concerning(d *journal.Document, before []git.Commit, all []journal.Replaced, lookup func(string) (git.Commit, bool), trees *trees) []journal.Rewrite {
	old, alone := readHistory(d.Plan, d.Events, before, lookup, trees), readHistory(d.Plan, d.Events, nil, lookup, nil)
	alone.named, alone.rewritten = nil, nil
	byNew := map[string][]journal.Rewrite{}
	var order []string
	for _, r := range all {
		c, ok := lookup(r.Old)
		if !ok || r.Old == r.New {
			continue
		}
		if byNew[r.New] == nil {
			order = append(order, r.New)
		}
		byNew[r.New] = append(byNew[r.New], journal.Rewrite{Replaced: r, Did: old.didAlone(c)})
	}
	var out []journal.Rewrite
	for _, oid := range order {
		c, ok := lookup(oid)
		if !ok {
			continue
		}
		says, did := alone.says(c, 0).did(), Fold(byNew[oid])
		for step, given := range did {
			if now, named := says[step]; !named || now != given {
				out = append(out, byNew[oid]...)
				break
			}
		}
	}
	return slices.DeleteFunc(out, func(r journal.Rewrite) bool { return len(r.Did) == 0 })
}

// didAlone returns what a commit itself did, without what a merge brought: those commits are
// rewritten, too.
func (h *history) didAlone(c git.Commit) map[string]bool {
	if i, here := h.place[c.OID]; here && len(c.Parents) < 2 {
		return h.did(i, "")
	}
	return h.says(c, h.listed).did()
}
