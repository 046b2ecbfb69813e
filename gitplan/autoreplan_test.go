package gitplan

import (
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/testdata/texts"
)

const stuck = "- [ ] Make a {#a}\n  - Files: a.txt\n  - Do: as you like.\n  - Attempts: 1\n  - Check: `test -f a.txt`\n"

// stuckWalker is a walker whose step a is blocked, with a planner that writes a plan again by a
// change of the steps that it has.
func stuckWalker(t *testing.T, from, to string) *walker {
	t.Helper()
	w := newWalker(t, stuck, "echo x >other.txt")
	w.Set("plan.autoReplan", "blocked", "plan.planner.agent", "planner")
	w.Agent("planner", "cat <<'END'\n"+texts.Steps(strings.Replace(stuck, from, to, 1))+"END\n")
	w = again(w.World)
	w.cannot("", fault.ErrStepFailed, "`test -f a.txt`")
	return w
}

// A plan that a planner wrote again within what was approved is approved, and the step that was
// blocked is open again: once for each step.
func TestAPlanIsWrittenAgain(t *testing.T) {
	w := stuckWalker(t, "as you like", "with touch")
	was := w.Checkout.Progress
	before, goesOn, err := AutoReplan(t.Context(), w.Steps, "a")
	w.Fine(err)
	if open := Unblocked(w.Checkout, was); !goesOn || strings.Join(open, ",") != "a" || !strings.Contains(string(before), "as you like") {
		t.Errorf("it goes on: %t; open again are %q; before it was\n%s", goesOn, open, before)
	}
	w.Fine(w.Checkout.RequireApproval())
	w.is("a open")
	written, approved := w.Checkout.Doc.Events[len(w.Checkout.Doc.Events)-2], w.last()
	if written.Kind != journal.Replanned || written.By != journal.ByAgent || approved.Kind != journal.Approved || approved.By != journal.ByAgent {
		t.Errorf("the events are %+v, %+v", written, approved)
	}
	if _, goesOn, err = AutoReplan(t.Context(), w.Steps, "a"); goesOn || err != nil {
		t.Errorf("again for the same step: %t, %v", goesOn, err)
	}
	w.cannot("", fault.ErrStepFailed, "the plan was written again for this step already, which run does once")
}

// What goes beyond what was approved waits for a person.
func TestAPlanWrittenAgainGoesBeyond(t *testing.T) {
	for to, says := range map[string]string{"test -d .": "would run commands that were not approved"} {
		w := stuckWalker(t, "test -f a.txt", to)
		_, goesOn, err := AutoReplan(t.Context(), w.Steps, "a")
		w.Refused(err, fault.ErrUnapproved, says)
		if goesOn || w.Checkout.RequireApproval() == nil {
			t.Errorf("with %s it goes on: %t", to, goesOn)
		}
	}
}

// A planner that gives nothing usable, or the same again, leaves the plan as it is, and the step
// blocked; others go on.
func TestAPlanIsNotWrittenAgain(t *testing.T) {
	w := stuckWalker(t, "", "")
	if before, goesOn, err := AutoReplan(t.Context(), w.Steps, "a"); goesOn || err != nil || before == nil {
		t.Errorf("with the same: %t, %v", goesOn, err)
	}
	w.is("a blocked")
	for script, says := range map[string]string{"exit 1": "the plan is as it was: ", "echo no plan": "the plan is as it was: "} {
		w = stuckWalker(t, "", "")
		w.Git("config", "planAgent.planner.command", script)
		w = again(w.World)
		if before, goesOn, err := AutoReplan(t.Context(), w.Steps, "a"); goesOn || err != nil || before != nil || !strings.Contains(w.Said(journal.StepNote), says) {
			t.Errorf("%s: %t, %v; it said %s", script, goesOn, err, w.Said(journal.StepNote))
		}
		w.is("a blocked")
	}
	w.Git("config", "plan.autoReplan", "never")
	w = again(w.World)
	if _, goesOn, err := AutoReplan(t.Context(), w.Steps, "a"); goesOn || err != nil || w.sessions() > 0 {
		t.Errorf("unasked: %t, %v", goesOn, err)
	}
}
