package gitplan

import (
	"context"
	"strings"
	"testing"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/work"
	"github.com/git-plan/git-plan/gitplan/workspace"
	"github.com/git-plan/git-plan/testdata/world"
)

// walker is a world in which the steps of a plan are done, by an agent m that runs a script.
type walker struct {
	*world.World
	*Steps
}

// does is the work of a session that completes its step.
const does = `echo $GIT_PLAN_STEP >>$GIT_PLAN_STEP.txt`

const twoSteps = "- [ ] Make a {#a}\n- [ ] Make b {#b}\n"

func newWalker(t *testing.T, steps, script string) *walker {
	t.Helper()
	w := world.New(t)
	w.Agent("m", script)
	w.Attach(steps)
	return again(w)
}

// again is the walker as the next command finds it.
func again(w *world.World) *walker {
	w.Helper()
	w.Saw = nil
	return &walker{World: w, Steps: NewSteps(work.New(w.Open()), allows)}
}

// allows is a guard that allows everything.
func allows(context.Context, *checkout.Checkout, *plan.Step, workspace.Changeset) (workspace.Guarded, error) {
	return workspace.Guarded{}, nil
}

// steps does the next step, or the named one, and fails the test on an error.
func (w *walker) steps(name string) (step string, out work.Outcome) {
	w.Helper()
	did, out, err := w.Step(w.Context(), name)
	w.Fine(err)
	return did.ID, out
}

// cannot fails the test unless a step is refused, with an error of a kind and a text.
func (w *walker) cannot(name string, kind error, says string) {
	w.Helper()
	_, _, err := w.Step(w.Context(), name)
	w.Refused(err, kind, says)
}

// is fails the test unless the steps are in these states, as "a done, b open", also for the next command.
func (w *walker) is(want string) {
	w.Helper()
	for _, s := range []*walker{w, again(w.World)} {
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

// events are the kinds of the plan's events since it was made, by step.
func (w *walker) events(step string) string {
	var out []string
	for _, e := range w.Checkout.Doc.Events {
		if e.Step() == step {
			out = append(out, string(e.Kind))
		}
	}
	return strings.Join(out, " ")
}

func (w *walker) last() journal.Event { return w.Checkout.Doc.Events[len(w.Checkout.Doc.Events)-1] }

// sessions is how many sessions ran since the walker was made.
func (w *walker) sessions() int { return w.Count(journal.SessionStart) }

// happens writes an event of a step as a session's.
func (w *walker) happens(e journal.Event) {
	w.Helper()
	e.By, e.Head = journal.ByAgent, w.Head()
	w.Happens(w.Worker.Runner, e, nil)
}

// status is git status, as commands read it.
func (w *walker) status() *worktree.Status {
	w.Helper()
	s, err := worktree.ReadStatus(w.Context(), w.Checkout.Repo)
	w.Fine(err)
	return s
}
