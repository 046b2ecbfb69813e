package reviewers

import (
	"cmp"
	"slices"
)

// Merge makes one finding of those with the same ID. The worst severity and
// every reviewer are kept; it only advises where all of them do; and a word
// that stands by itself (a rule's, a program's) confirms it for the others.
// The result is in the order of file, line and ID.
func Merge(lists ...[]Finding) []Finding {
	at := map[string]int{}
	var out []Finding
	for _, list := range lists {
		for _, f := range list {
			i, ok := at[f.ID]
			if !ok {
				at[f.ID] = len(out)
				f.Reviewers = slices.Clone(f.Reviewers)
				out = append(out, f)
				continue
			}
			join(&out[i], f)
		}
	}
	slices.SortStableFunc(out, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.ID, b.ID))
	})
	return out
}

func join(into *Finding, f Finding) {
	if into.Advice && !f.Advice || into.Advice == f.Advice && f.Severity.rank() > into.Severity.rank() {
		into.Severity = f.Severity // what only advises makes nothing worse
	}
	for _, r := range f.Reviewers {
		if !slices.Contains(into.Reviewers, r) {
			into.Reviewers = append(into.Reviewers, r)
		}
	}
	if f.Status == Confirmed {
		into.Status = Confirmed
	}
	if f.Remedy == "fix" {
		into.Remedy = "fix"
	}
	into.Sure = into.Sure || f.Sure
	into.Advice = into.Advice && f.Advice
	into.Line = cmp.Or(into.Line, f.Line)
	into.Rule = cmp.Or(into.Rule, f.Rule)
	into.Detail = cmp.Or(into.Detail, f.Detail)
	into.Trigger = cmp.Or(into.Trigger, f.Trigger)
	into.Round = min(into.Round, f.Round)
}
