package views

import (
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/share"
)

// Each weakness is one line, with text of others escaped.
func TestWeaknessIsOneLine(t *testing.T) {
	var out strings.Builder
	Weaknesses(&out, []plan.Weakness{
		{Rule: "vague", Step: "a", Line: 1, Text: "says little", Fix: "say more"},
		{Rule: "base", Text: "no such commit\x1b[2J", Error: true}, {Rule: "cost", Line: 9, Text: "much"},
		{Rule: "no-files", Step: "a", Line: 1, Text: "it has none"}, {Rule: "no-files", Step: "b", Line: 2, Text: "it has none"},
	}, false)
	if got, want := out.String(), "line 1: vague: step a: says little; say more\nerror: base: no such commit\\u001b[2J\nline 9: cost: much\nline 1: no-files: step a and 1 more: it has none\n"; got != want {
		t.Errorf("got\n%s", got)
	}
}

// A fetched plan reports its changes, and what a person must still read.
func TestChangesOfAFetchedPlan(t *testing.T) {
	p := &plan.Plan{Branch: "b", Title: "Greet", Steps: make([]plan.Step, 2)}
	conflicts := []share.Conflict{{Part: "step a", Ours: "one\n", Why: "both"}}
	for want, f := range map[string]struct {
		share.Fetched
		away bool
	}{
		"as it is here": {Fetched: share.Fetched{End: share.FetchedSame}},
		"new, 2 steps for branch b: Greet; not approved here: git switch b, read it, then git plan approve": {share.Fetched{End: share.FetchedNew, Plan: p}, true},
		"moved forward": {Fetched: share.Fetched{End: share.FetchedForward, Plan: p, Approved: true}},
		"nothing was changed here, since both sides changed:":               {Fetched: share.Fetched{End: share.FetchedNot, Conflicts: conflicts}},
		"merged with what origin has; next: git plan push; chosen between:": {Fetched: share.Fetched{End: share.FetchedMerged, Plan: p, Approved: true, Conflicts: conflicts}},
	} {
		if got := Fetched(f.Fetched, "origin", f.away); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
	var out strings.Builder
	Conflict(&out, conflicts[0], share.Ours, "origin")
	if got, want := out.String(), "  step a\n    cannot be put together: both\n    here, chosen:\n      one\n    origin:\n      (removed)\n"; got != want {
		t.Errorf("got\n%s", got)
	}
	out.Reset()
	Settled(&out, []share.Effect{{Step: "a", How: share.DoneStill}, {Step: "b", How: share.GoneThoughDone, Commit: strings.Repeat("1", 40)}})
	has(t, out.String(), "step a is done, with the old text; to have it done again: git plan reopen a\n", "step b is gone; its commit 1111111")
}
