package planner

import (
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/progress"
	"github.com/git-plan/git-plan/gitplan/prompt"
	"github.com/git-plan/git-plan/testdata/texts"
)

const twoSteps = "- [ ] **One** {#one}\n  - Check: `true`\n- [ ] **Two** {#two}\n  - Check: `true`\n"

// Done steps are frozen, whatever the planner writes about them; open steps are its own, and a stuck step
// begins again. Its prompt says where the work is.
func TestOpenStepsAreRewritten(t *testing.T) {
	d := newDesk(t, twoSteps, writes(texts.Steps("- [ ] **One, but better** {#one}\n  - Check: `false`\n- [x] **Two, smaller** {#two}\n  - Check: `true`\n- [ ] **Three** {#three}\n  - Check: `true`\n")))
	d = d.does("one")
	d.Happens(d.Runner, journal.Event{Kind: journal.Blocked, Steps: []string{"two"}, Head: d.Head(), Attempt: 1, By: journal.ByAgent, Reason: "too hard", Proposal: "split it"}, nil)
	d = again(d.World)
	d.Fine(d.replan("no more than that"))
	want := "- [x] **One** {#one}\n  - Check: `true`\n- [ ] **Two, smaller** {#two}\n  - Check: `true`\n- [ ] **Three** {#three}\n  - Check: `true`\n"
	if d = again(d.World); !strings.HasSuffix(d.text(), texts.Steps(want)) {
		t.Errorf("the plan is\n%s", d.text())
	}
	for _, reported := range []string{"## What a person wants changed\n\n--- instructions ", "did one", "blocked: too hard", "The session of step #two: split it"} {
		if !strings.Contains(d.Heard(1), reported) {
			t.Errorf("the planner was not sent %q:\n%s", reported, d.Heard(1))
		}
	}
	if st := d.Checkout.Progress.Steps["two"]; st.State != progress.StateOpen || d.Checkout.Progress.Steps["one"].State != progress.StateDone {
		t.Errorf("two is %+v", st)
	}
	last := d.Checkout.Doc.Events[len(d.Checkout.Doc.Events)-1]
	if last.Kind != journal.Replanned || last.Step() != "two" || last.Reason != "no more than that" || len(last.Usage) != 1 {
		t.Errorf("the event is %+v", last)
	}
	d.Refused(d.Checkout.RequireApproval(), fault.ErrUnapproved, "")
}

// A planner without a usable answer leaves the plan unchanged; its usage is counted.
func TestReplanFails(t *testing.T) {
	d := newDesk(t, twoSteps, "exit 1")
	before := d.text()
	d.Refused(d.replan(""), fault.ErrPlanner, "exit code 1")
	if last := d.Checkout.Doc.Events[len(d.Checkout.Doc.Events)-1]; d.text() != before || last.Kind != journal.Failed || len(last.Usage) != 1 {
		t.Errorf("the event is %+v; the plan is\n%s", last, d.text())
	}
	d.Fine(d.Checkout.RequireApproval())
	d = d.does("one").does("two")
	d.Refused(d.replan(""), fault.ErrNothingLeft, "no step is left: 2 of 2 done: nothing is left to plan again")
}

// An unchanged plan is stored, so that it is counted, and does not restart anything: it would end the same
// way.
func TestTheSamePlanAgain(t *testing.T) {
	for _, by := range []string{journal.ByAgent, journal.ByPerson} {
		d := newDesk(t, twoSteps, writes(texts.Steps(twoSteps)))
		d.Happens(d.Runner, journal.Event{Kind: journal.Blocked, Steps: []string{"one"}, Head: d.Head(), Attempt: 1, By: journal.ByAgent}, nil)
		d = again(d.World)
		before, err := Replan(t.Context(), d.Worker, journal.Event{Kind: journal.Replanned, By: by}, prompt.Planning{})
		d.Fine(err)
		if begins := d.Checkout.Progress.Steps["one"].State == progress.StateOpen; !strings.HasSuffix(string(before), texts.Steps(twoSteps)) || begins != (by == journal.ByPerson) {
			t.Errorf("asked by %s, the step begins again: %t", by, begins)
		}
	}
}

// Done steps are unchanged, in their place where the planner kept them, else before the first step. The front
// matter is the old one's.
func TestFrozen(t *testing.T) {
	const front = "---\nbase: main\n---\n"
	old, err := plan.Parse([]byte(front + texts.Steps("- [x] **A** {#a}\n  - Do: as it was.\n- [ ] **B** {#b}\n- [ ] **C** {#c}\n  - Status: skipped\n")))
	if err != nil {
		t.Fatal(err)
	}
	at := &progress.Progress{Steps: map[string]progress.StepState{"a": {State: progress.StateDone}, "b": {State: progress.StateOpen}, "c": {State: progress.StateSkipped}}}
	for is, want := range map[string]string{
		"- [ ] **N** {#n}\n- [ ] **A!** {#a}\n- [ ] **C!** {#c}\n": "- [ ] **N** {#n}\n- [x] **A** {#a}\n  - Do: as it was.\n- [ ] **C** {#c}\n  - Status: skipped\n",
		"- [ ] **N** {#n}\n- [ ] **A!** {#a}\n- [ ] **M** {#m}\n":  "- [ ] **N** {#n}\n- [x] **A** {#a}\n  - Do: as it was.\n- [ ] **C** {#c}\n  - Status: skipped\n- [ ] **M** {#m}\n",
		"- [ ] **N** {#n}\n": "- [x] **A** {#a}\n  - Do: as it was.\n- [ ] **C** {#c}\n  - Status: skipped\n- [ ] **N** {#n}\n",
	} {
		got, err := frozen(old, at, []byte("---\nbase: other\n---\n"+texts.Steps(is)), persons)
		if err != nil || string(got) != front+texts.Steps(want) {
			t.Errorf("%v\n%s\nwant\n%s", err, got, front+texts.Steps(want))
		}
	}
	if _, err := frozen(old, at, []byte("no plan"), persons); err == nil {
		t.Error("an invalid plan is accepted")
	}
}
