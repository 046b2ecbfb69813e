package finding

import (
	"cmp"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/plan"
)

// Merge joins findings with the same ID, and similar findings of several reviewers about the same place, and sorts them
// by file, line and ID. A joined finding has the worst severity and all reviewers. It is advice if all parts are.
func Merge(lists ...[]Finding) []Finding {
	at := map[string]int{}
	inFile := map[string][]int{}
	var out []Finding
	for _, list := range lists {
		for _, f := range list {
			i, ok := at[f.ID]
			if !ok {
				i = slices.IndexFunc(inFile[f.File], func(i int) bool { return out[i].alike(f) && !out[i].shares(f) })
				if i >= 0 {
					i = inFile[f.File][i]
				}
			}
			if i < 0 {
				i = len(out)
				at[f.ID] = i
				f.Reviewers = slices.Clone(f.Reviewers)
				out = append(out, f)
				if !f.Verified { // linters may have thousands, and give the same finding the same ID
					inFile[f.File] = append(inFile[f.File], i)
				}
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

// alike reports whether findings have the same category, quotes close together, and half of their titles' words in
// common.
func (f Finding) alike(g Finding) bool {
	if f.File != g.File || f.Category != g.Category || min(f.Line, g.Line) < 1 ||
		f.Line > g.last()+nearby || g.Line > f.last()+nearby {
		return false
	}
	words := map[string]int{}
	for i, title := range []string{f.Title, g.Title} {
		for _, w := range strings.Split(Kebab(title), "-") {
			words[w] |= 1 << i
		}
	}
	common := 0
	for _, in := range words {
		if in == 3 {
			common++
		}
	}
	return 2*common >= len(words) // the Jaccard index is at least 0.5
}

func (f Finding) shares(g Finding) bool {
	return slices.ContainsFunc(f.Reviewers, func(r string) bool { return slices.Contains(g.Reviewers, r) })
}

func join(into *Finding, f Finding) {
	if into.NonBlocking && !f.NonBlocking || into.NonBlocking == f.NonBlocking && f.Severity.rank() > into.Severity.rank() {
		into.Severity = f.Severity // advice does not make a blocking finding more severe
	}
	into.Reviewers = plan.Unique(append(into.Reviewers, f.Reviewers...))
	if f.Status == Confirmed {
		into.Status = Confirmed
	}
	if f.Remedy == "fix" {
		into.Remedy = "fix"
	}
	into.Verified = into.Verified || f.Verified
	into.NonBlocking = into.NonBlocking && f.NonBlocking
	into.Line = cmp.Or(into.Line, f.Line)
	into.Rule = cmp.Or(into.Rule, f.Rule)
	into.Detail = cmp.Or(into.Detail, f.Detail)
	into.Trigger = cmp.Or(into.Trigger, f.Trigger)
	into.Round = min(into.Round, f.Round)
}

// Recognise finds open findings of earlier rounds among those of this one, since a reviewer may quote another line
// after a fix. If the earlier code still exists (now returns its line in Head), the new finding becomes the earlier
// one; otherwise it replaces the earlier one: placeOf maps new IDs to replaced ones.
func Recognise(found, open []Finding, now func(Finding) Finding) (placeOf map[string]string) {
	placeOf = map[string]string{}
	taken := map[string]bool{}
	for _, f := range found {
		taken[f.ID] = true
	}
	for i := range found {
		f := &found[i]
		if f.Verified || slices.ContainsFunc(open, func(o Finding) bool { return o.ID == f.ID }) {
			continue
		}
		for _, o := range slices.Backward(open) { // the newest finding first
			if o.Verified || !o.alike(*f) || taken[o.ID] {
				continue
			}
			n := now(o)
			if n.Line > 0 && !o.shares(*f) {
				continue // Merge joins findings of two reviewers
			}
			taken[o.ID] = true
			if n.Line > 0 {
				f.ID, f.Quote, f.Line, f.Near = n.ID, n.Quote, n.Line, n.Near
			} else {
				placeOf[f.ID], f.Round = o.ID, min(f.Round, o.Round)
			}
			break
		}
	}
	return placeOf
}
