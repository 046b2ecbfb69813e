// Package walks provides a world in which the steps of a plan are done, for tests of package gitplan and
// above.
package walks

import (
	"context"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/work"
	"github.com/git-plan/git-plan/gitplan/workspace"
	"github.com/git-plan/git-plan/testdata/world"
)

const (
	Does     = `echo $GIT_PLAN_STEP >>$GIT_PLAN_STEP.txt` // a session that does its step
	TwoSteps = "- [ ] Make a {#a}\n- [ ] Make b {#b}\n"
)

// Walker is a world with a plan, whose steps an agent m does by running a script.
type Walker struct {
	*world.World
	*gitplan.Steps
}

// New makes a world with a plan of these steps.
func New(t *testing.T, steps, script string) *Walker {
	t.Helper()
	w := world.New(t)
	w.Agent("m", script)
	w.Attach(steps)
	return Again(w)
}

// Again is the walker as the next command finds it.
func Again(w *world.World) *Walker {
	w.Saw = nil
	allows := func(context.Context, *checkout.Checkout, *plan.Step, workspace.Changeset) (workspace.Guarded, error) {
		return workspace.Guarded{}, nil
	}
	return &Walker{World: w, Steps: gitplan.NewSteps(work.New(w.Open()), allows)}
}

// Does does the next step.
func (w *Walker) Does() work.Outcome {
	w.Helper()
	_, out, err := w.Step(w.Context(), "")
	w.Fine(err)
	return out
}

// Is fails the test unless the steps are in these states, as "a done, b open", now and after loading again.
func (w *Walker) Is(want string) {
	w.Helper()
	for _, s := range []*Walker{w, Again(w.World)} {
		var out []string
		for _, step := range s.Checkout.Doc.Plan.Steps {
			out = append(out, step.ID+" "+string(s.Checkout.Progress.Steps[step.ID].State))
		}
		if got := strings.Join(out, ", "); got != want {
			w.Errorf("the steps are %s; want %s", got, want)
			return
		}
	}
}

// Last is the newest event of the plan.
func (w *Walker) Last() journal.Event { return w.Checkout.Doc.Events[len(w.Checkout.Doc.Events)-1] }
