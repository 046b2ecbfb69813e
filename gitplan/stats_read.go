package gitplan

import (
	"context"
	"slices"
	"strings"
)

// Pasts reads what happened to every plan of the repository, by one git process;
// the plans' texts come from the one that is kept. Plans are in the order of
// their ids. A text that cannot be read hides no event.
func Pasts(ctx context.Context, s *Store) ([]Past, error) {
	chains, err := s.repo.LogByRef(ctx, refPrefix, "--date-order")
	if err != nil {
		return nil, err
	}
	var out []Past
	for ref, commits := range chains {
		id := strings.TrimPrefix(ref, refPrefix)
		p := Past{Plan: id, Events: eventsOf(id, commits)}
		if d, err := s.at(ctx, id, commits[0].OID); err == nil {
			p.Branch, p.Title, p.Steps = d.Plan.Branch, d.Plan.Title, d.Plan.Steps
		}
		out = append(out, p)
	}
	slices.SortFunc(out, func(a, b Past) int { return strings.Compare(a.Plan, b.Plan) })
	return out, nil
}

// PastOf is what happened to a plan that was read already.
func PastOf(d *Document) Past {
	return Past{Plan: d.ID, Branch: d.Plan.Branch, Title: d.Plan.Title, Steps: d.Plan.Steps, Events: d.Events}
}
