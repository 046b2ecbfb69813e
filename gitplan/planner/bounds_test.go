package planner

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/progress"
	"github.com/git-plan/git-plan/gitplan/prompt"
	"github.com/git-plan/git-plan/gitplan/runner"
	"github.com/git-plan/git-plan/gitplan/work"
)

const signedPlan = "# T\n\n## Goal\n\nFast.\n\n## Rules\n- No new dependency.\n\n## Decisions\n- D1: which? sqlite\n\n## Done when\n- `sh b.sh` <= 120\n- `sh src/b.sh`\n\n## Bounds\n- Files: `src/**`\n- Commands: `go test *`\n\n## Steps\n\n" +
	"- [x] **A** {#a}\n  - Files: `src/a.go`\n  - Check: `make a`\n- [ ] **B** {#b}\n  - Files: `docs/b.md`\n  - Ask: yes\n  - Check: `make b`\n"

// judgeOf returns the judge of a planner's texts for a plan whose step a is done.
func judgeOf(old *plan.Plan) *planJudge {
	done := &progress.Progress{Steps: map[string]progress.StepState{"a": {State: progress.StateDone}}}
	return &planJudge{worker: work.New(&runner.Runner{Checkout: &checkout.Checkout{Progress: done}}), task: prompt.Planning{Old: old, Within: true}}
}

// planned returns the plan that a planner wrote within the bounds of signedPlan, by changing that text.
func planned(t *testing.T, old *plan.Plan, change func(string) string) *plan.Plan {
	t.Helper()
	text, err := judgeOf(old).text([]byte(change(signedPlan)))
	if err != nil {
		t.Fatal(err)
	}
	now, err := plan.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return now
}

// A planner's steps outside the Bounds wait for a person, and so do steps that need them; the others are
// approved.
func TestStepsWithinBounds(t *testing.T) {
	old, err := plan.Parse([]byte(signedPlan))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ step, outside string }{
		{"Files: `src/c.go`\n  - Check: `go test ./...`", ""},
		{"Files: `src/c.go`\n  - Check: `make a`", ""},
		{"Files: `src/c.go`\n  - Run: `go test -run X`", ""},
		{"Files: `src/**`", ""},
		{"Files: `src/c.go`\n  - Model: dear", ""},
		{"Files: `lib/c.go`", "may touch lib/c.go"},
		{"Files: `src/../lib/c.go`", "may touch src/../lib/c.go"},
		{"Files: `**`", "may touch **"},
		{"Files: `/etc/passwd`", "may touch /etc/passwd"},
		{"Do: all of it", "names no Files"},
		{"Files: `src/c.go`\n  - Check: `go test ./...; curl x`", "would run `go test ./...; curl x`"},
		{"Files: `src/c.go`\n  - Check: `go test $(curl x)`", "would run"},
		{"Files: `src/c.go`\n  - Check: `make`", "would run `make`"},
		{"Files: `src/c.go`\n  - Check: `A=1 go test x`", "would run"},
		{"Files: `src/c.go`\n  - Run: `curl x`", "would run `curl x`"},
		{"Files: `src/c.go`\n  - Agent: other", "is for another agent"},
		{"Files: `src/c_test.go`\n  - Action: delete", "deletes what it names"},
		{"Files: `src/b.sh`", "may touch src/b.sh, which measures the goal"},
		{"Files: `src/c.sh`", ""},
	} {
		now := planned(t, old, func(s string) string {
			return s + "- [ ] **C** {#c}\n  - " + c.step + "\n- [ ] **D** {#d}\n  - Files: `src/d.go`\n"
		})
		text, outside, err := WithinBounds(now, old, []string{"src/b.sh"}, 3)
		if err != nil || (c.outside == "") != (outside["c"] == "") || !strings.Contains(outside["c"], c.outside) || outside["a"]+outside["b"]+outside["d"] != "" {
			t.Errorf("%s: %q, %v", c.step, outside, err)
		}
		approved, err := plan.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		want := map[bool]string{true: "", false: "c d"}[c.outside == ""]
		if got := strings.Join(plan.NotApproved(now, approved).Steps, " "); got != want {
			t.Errorf("%s: %q waits, want %q", c.step, got, want)
		}
	}
}

// A planning adds at most eight steps, and no more than the Budget has left.
func TestStepsOfABudget(t *testing.T) {
	for budget, most := range map[string]int{"60 steps": mostNew, "5 steps": 3, "2 steps": 0} {
		old, err := plan.Parse([]byte(strings.Replace(signedPlan, "## Bounds\n", "## Bounds\n- Budget: "+budget+"\n", 1)))
		if err != nil {
			t.Fatal(err)
		}
		j := judgeOf(old)
		text := signedPlan
		for n := range most + 2 {
			if _, err := j.text([]byte(text)); (err != nil) != (n > most) {
				t.Errorf("%s: %d new steps: %v", budget, n, err)
			}
			text += fmt.Sprintf("- [ ] **N** {#n%d}\n  - Files: `src/n.go`\n", n)
		}
	}
}

// A section under a heading of level 1 is prose, and stays prose: below it a planner of the first text had
// commands run that it did not list as such.
func TestProseSectionsStayProse(t *testing.T) {
	text := signedPlan + "\n# Checks\n\n- `curl x | sh`\n\n# Rules\n- Any.\n"
	old, err := plan.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	now := planned(t, old, func(string) string { return text })
	if u := plan.NotApproved(now, old); !u.None() || now.Checks != nil || now.Rules != old.Rules {
		t.Errorf("checks %v, rules %q, %+v", now.Checks, now.Rules, u)
	}
	effective, err := plan.Parse([]byte(strings.Replace(text, "# Checks", "## Checks", 1)))
	if u := plan.NotApproved(effective, old); u.Whole != "Checks" {
		t.Errorf("waits: %+v, %v", u, err)
	}
}

// A planner changes nothing that the person approved, and weakens no step that asks or has its own files.
func TestApprovedTextStays(t *testing.T) {
	old, err := plan.Parse([]byte(signedPlan))
	if err != nil {
		t.Fatal(err)
	}
	for from, to := range map[string]string{"Fast.": "Slow.", "<= 120": "<= 999", "`sh b.sh` <= 120": "`true`", "`src/**`": "`**`", "`go test *`": "`sh *`", "No new": "Any", "sqlite": "mysql",
		"## Goal\n\nFast.\n\n": "", "## Done when\n- `sh b.sh` <= 120\n\n": "", "## Bounds\n": "## Bounds\n- Budget: 9 USD\n", "## Decisions\n": "## Notes\n", "# T\n": "# T\n\n## Verification\n- `true`\n", "## Rules\n": "## Guardrails\n- x\n\n## Rules\n",
		"**A** {#a}\n  - Files: `src/a.go`": "**Not A** {#a}\n  - Files: `**`", "## Goal\n": "## goal:\n\n~~~\nx\n~~~\n\n## Goal\n"} {
		now := planned(t, old, func(s string) string { return strings.Replace(s, from, to, 1) })
		if u := plan.NotApproved(now, old); !u.None() {
			t.Errorf("%q for %q changes %+v in\n%s", to, from, u, now.Source)
		}
	}
	bare := "# T\n\n## Steps\n\n- [ ] **A** {#a}\n  - Do: x\n"
	first, err := prompt.Planning{Goal: "Fast.", DoneWhen: "- `true`", Bounds: "- Files: `a`"}.Signed([]byte(bare))
	if err != nil {
		t.Fatal(err)
	}
	if old, err = plan.Parse(first); err != nil {
		t.Fatal(err)
	}
	if now := planned(t, old, func(string) string { return bare }); string(now.Source) != string(first) {
		t.Errorf("what a planner leaves out stands elsewhere:\n%s\nwas\n%s", now.Source, first)
	}
	if old, err = plan.Parse([]byte(signedPlan)); err != nil {
		t.Fatal(err)
	}
	if _, err := judgeOf(old).text([]byte(signedPlan[:strings.Index(signedPlan, "- [ ] **B**")])); err == nil || !strings.Contains(err.Error(), "step b lies outside of the Bounds, so only a person may remove it") {
		t.Errorf("a step outside of the Bounds is taken away: %v", err)
	}
	for from, to := range map[string]string{"  - Ask: yes\n": "", "`docs/b.md`": "`docs/c.md`", "  - Files: `docs/b.md`\n": "", "`make b`": "`make c`"} {
		now := planned(t, old, func(s string) string { return strings.Replace(s, from, to, 1) })
		if _, outside, err := WithinBounds(now, old, []string{"src/b.sh"}, 3); err != nil || !slices.Equal(slices.Collect(maps.Keys(outside)), []string{"b"}) {
			t.Errorf("%q for %q: %q, %v", to, from, outside, err)
		}
	}
}

// The approved text is the one that was judged: without the waiting steps the text means nothing that the
// whole does not, and a step waits with a later one that it needs.
func TestApprovedTextWasJudged(t *testing.T) {
	old, err := plan.Parse([]byte(signedPlan))
	if err != nil {
		t.Fatal(err)
	}
	far := "- [ ] **Far** {#far}\n  - Needs: none\n  - Files: `lib/x`\n"
	for steps, want := range map[string]string{
		"- [ ] **W** {#w}\n  - Files: `src/w.go`\n  - Check: `go test x`\n" + far + "\n; `curl x | sh`\n":                              "far",
		"- [ ] **W** {#w}\n  - Files: `src/w.go`\n" + far + "\n<x>\n## Bounds\n- Files: `**`\n":                                        "far",
		"- [ ] **W** {#w}\n  - Files: `src/w.go`\n" + far + "\n<x>\n- [ ] **E** {#e}\n  - Files: `src/e.go`\n  - Run: `curl x | sh`\n": "far",
		"- [ ] **W** {#w}\n  - Files: `src/w.go`\n  - Needs: #far\n" + far:                                                             "w far",
	} {
		now := planned(t, old, func(s string) string { return s + steps })
		text, _, err := WithinBounds(now, old, []string{"src/b.sh"}, 3)
		if err != nil {
			t.Errorf("%q: %v", steps, err)
			continue
		}
		approved, err := plan.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		u := plan.NotApproved(now, approved)
		if u.Whole != "" || u.Gone != nil || strings.Join(u.Steps, " ") != want || slices.Contains(approved.EveryCommand(), "curl x | sh") {
			t.Errorf("%q waits as %+v in\n%s", steps, u, text)
		}
	}
}
