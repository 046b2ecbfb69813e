package progress

import (
	"context"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/journal"
)

// Past is what happened to one plan.
type Past struct {
	Plan, Branch string
	Events       []journal.Event // oldest first
}

// Pasts reads what happened to every plan of the repository, by one git process;
// the plans' texts come from the one that is kept running. Plans are in the order of
// their ids. A text that cannot be read hides no event.
func Pasts(ctx context.Context, s *journal.Store) ([]Past, error) {
	chains, err := s.Repo.LogByRef(ctx, journal.RefPrefix, "--date-order")
	if err != nil {
		return nil, err
	}
	var out []Past
	for ref, commits := range chains {
		id := strings.TrimPrefix(ref, journal.RefPrefix)
		p := Past{Plan: id, Events: journal.EventsOf(id, commits)}
		if d, err := s.At(ctx, id, commits[0].OID); err == nil {
			p.Branch = d.Plan.Branch
		}
		out = append(out, p)
	}
	slices.SortFunc(out, func(a, b Past) int { return strings.Compare(a.Plan, b.Plan) })
	return out, nil
}

// PastOf returns what happened to a plan that was read already.
func PastOf(d *journal.Document) Past {
	return Past{Plan: d.ID, Branch: d.Plan.Branch, Events: d.Events}
}
