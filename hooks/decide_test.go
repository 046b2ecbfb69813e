package hooks

import (
	"strings"
	"testing"
)

// reviewCases are the cases of decideByReview, in their order. Each sets its own facts, and those that
// distinguish it from later cases.
var reviewCases = []struct {
	name string
	set  func(*reviewFacts)
	stop bool
	line string // part of the one line; "" means none
}{
	{"a verdict passes", func(f *reviewFacts) { f.verdict, f.blocking = true, 0 }, false, ""},
	{"first push, must pass", func(f *reviewFacts) { f.first, f.planned, f.block = true, false, true }, true, "it has no base to compare it with"},
	{"first push", func(f *reviewFacts) { f.first, f.planned, f.block = true, false, false }, false, "a first push has no base"},
	{"part of it passed, must pass", func(f *reviewFacts) { f.partPassed, f.isBase, f.block = true, false, true }, true, "too; first: git push origin main, or git plan review --base abc"},
	{"part of it passed", func(f *reviewFacts) { f.partPassed, f.isBase, f.block = true, false, false }, false, "too; first: git push origin main"},
	{"unknown reviewers", func(f *reviewFacts) {
		f.unknown, f.comparable, f.block = "no reviewer x", false, true
	}, true, "no reviewer x: git plan doctor"},
	{"unknown reviewers, only warned", func(f *reviewFacts) {
		f.unknown, f.comparable, f.block = "no reviewer x", false, false
	}, false, "no reviewer x: git plan doctor"},
	{"not passed", func(f *reviewFacts) { f.comparable, f.block, f.blocking = true, true, 2 }, true, "no review has passed these commits (blocking findings: 2), and plan.prePush is block"},
	{"ended", func(f *reviewFacts) { f.comparable, f.block, f.ended = true, false, "findings" }, false, `its review ended with "findings"`},
	{"found before", func(f *reviewFacts) { f.comparable, f.block, f.blocking = true, false, 1 }, false, "(blocking findings: 1): git plan show --review"},
	{"passed elsewhere", func(f *reviewFacts) { f.comparable, f.block, f.planned, f.passedBefore = true, false, true, true }, false, "none has passed here"},
	{"the base itself", func(f *reviewFacts) { f.comparable, f.block, f.isBase = true, false, true }, false, ""},
	{"not reviewed", func(f *reviewFacts) { f.comparable, f.block = true, false }, false, "this push was not reviewed: git plan review"},
}

func TestDecisionsAboutReviews(t *testing.T) {
	for _, c := range reviewCases {
		f := reviewFacts{name: "feature", remote: "origin", base: "main", pushedFrom: "abc"}
		c.set(&f)
		wants(t, c.name, decideByReview(f), c.stop, c.line)
	}
}

// Where two cases apply, the earlier one decides.
func TestEarlierCaseDecides(t *testing.T) {
	for i, earlier := range reviewCases {
		for _, later := range reviewCases[i+1:] {
			f := reviewFacts{name: "feature", remote: "origin", base: "main", pushedFrom: "abc"}
			later.set(&f)
			earlier.set(&f)
			wants(t, earlier.name+", although: "+later.name, decideByReview(f), earlier.stop, earlier.line)
		}
	}
}

func TestLinesAboutAPlan(t *testing.T) {
	for _, c := range []struct {
		name  string
		facts planFacts
		lines []string
	}{
		{"nothing is left", planFacts{approved: true}, nil},
		{"steps are left", planFacts{notDone: "1 of 2 steps left", next: "git plan step", approved: true}, []string{"1 of 2 steps left: git plan step"}},
		{"unknown", planFacts{unknown: "no such commit", reviewed: true}, []string{"cannot tell which steps of its plan are done: no such commit", "git plan approve"}},
		{"not approved", planFacts{}, []string{"git plan approve"}},
		{"done and reviewed needs no approval", planFacts{reviewed: true}, nil},
		{"blocked pushes need an approval, too", planFacts{reviewed: true, block: true}, []string{"git plan approve"}},
		{"all at once", planFacts{notDone: "1 of 2", next: "git plan step", unpushed: true, remote: "my fork"}, []string{"1 of 2", "git plan approve", "git plan push 'my fork'"}},
	} {
		d := adviseByPlan(c.facts)
		if d.Stop || len(d.Lines) != len(c.lines) {
			t.Fatalf("%s: %+v", c.name, d)
		}
		for i, part := range c.lines {
			if !strings.Contains(d.Lines[i], part) {
				t.Errorf("%s: %q lacks %q", c.name, d.Lines[i], part)
			}
		}
	}
}

func wants(t *testing.T, name string, d Decision, stop bool, line string) {
	t.Helper()
	said := strings.Join(d.Lines, "\n")
	if d.Stop != stop || len(d.Lines) > 1 || (line == "") != (said == "") || !strings.Contains(said, line) {
		t.Errorf("%s: stop %v, want %v; said %q, want %q", name, d.Stop, stop, said, line)
	}
}
