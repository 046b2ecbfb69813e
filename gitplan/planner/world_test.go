package planner

import (
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/prompt"
	"github.com/git-plan/git-plan/gitplan/work"
	"github.com/git-plan/git-plan/testdata/world"
)

// desk is a world in which a planner works: a shell script in a throwaway clone.
type desk struct {
	*world.World
	*work.Worker
}

// newDesk makes a desk, with a plan of these steps if there are some.
func newDesk(t *testing.T, steps, script string) *desk {
	t.Helper()
	w := world.New(t)
	w.Agent("m", script)
	if steps != "" {
		w.Attach(steps)
	}
	return again(w)
}

// again is the desk as the next command finds it.
func again(w *world.World) *desk {
	w.Helper()
	w.Saw = nil
	return &desk{World: w, Worker: work.New(w.Open())}
}

// writes is a planner's script that stores its prompt from standard input and writes a text.
func writes(text string) string {
	return `cat >"$HOME/told$GIT_PLAN_ATTEMPT"` + "\ncat <<'END'\n" + text + "END\n"
}

// make has the planner make a plan.
func (d *desk) make() (string, error) {
	d.Helper()
	made, err := MakePlan(d.Context(), d.Worker, prompt.Planning{Goal: "serve"})
	return string(made.Text), err
}

// replan has the planner rewrite the open steps, on a person's request.
func (d *desk) replan(feedback string) error {
	d.Helper()
	_, err := Replan(d.Context(), d.Worker, journal.Event{Kind: journal.Replanned, By: journal.ByPerson, Reason: feedback}, prompt.Planning{Wanted: feedback})
	return err
}

// does commits a step and records it as done.
func (d *desk) does(step string) *desk {
	d.Helper()
	commit := d.Commit(step+".txt", step+"\n", "Plan-Step: "+d.Plan+"/"+step)
	d.Happens(d.Runner, journal.Event{Kind: journal.Done, Steps: []string{step}, Head: commit, Attempt: 1, By: journal.ByAgent, Summary: "did " + step}, func(text []byte) ([]byte, error) {
		return plan.Tick(text, step, true)
	})
	return again(d.World)
}

// text is the plan's text as it is stored.
func (d *desk) text() string { return string(d.Checkout.Doc.Plan.Source) }

// serving returns a planner's plan with the goal of these tests in it.
func serving(text string) string {
	return strings.Replace(text, "## Steps", "## Goal\n\nserve\n\n## Steps", 1)
}
