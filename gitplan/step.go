package gitplan

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/progress"
	"github.com/git-plan/git-plan/gitplan/runner"
	"github.com/git-plan/git-plan/gitplan/work"
	"github.com/git-plan/git-plan/gitplan/workspace"
)

// Guard looks at what a step's session changed. An error fails the attempt; what is reported is
// shown to the person.
type Guard func(ctx context.Context, step *plan.Step, c workspace.Changeset) (workspace.Guarded, error)

// Steps does the steps of one plan: Step one of them, Run all, in turn or several at once.
type Steps struct {
	Worker   *work.Worker
	Runner   *runner.Runner     // that of Worker
	Checkout *checkout.Checkout // that of Runner
	Guard    Guard
	Clean    bool // start over instead of going on from a kept attempt

	// Waited is the ref of a fixer's work that has waited until now, for the review after the steps.
	Waited string

	replanned map[string]bool // steps after which the plan was written again

	noteGreen *work.ReportOnce // whether a run has reported a step whose own checks pass before it

	Stopping func() bool // whether somebody asked to end after what is at work; nil: nobody can

	// If several steps are at work at once:
	GuardOf  func(*checkout.Checkout) (Guard, error) // the guard of one of several checkouts
	Writer   func() func(pid int)                    // Repo.OnWrite of one of them
	atWork   func() []string                         // all steps
	collided map[string]int                          // how often a step met what others had done
}

// NewSteps returns the steps of the plan that the worker's checkout has loaded.
func NewSteps(w *work.Worker, guard Guard) *Steps {
	return &Steps{Worker: w, Runner: w.Runner, Checkout: w.Checkout, Guard: guard}
}

// Step does the named step, or the next open one whose needs are met. It
// returns the step that was worked on, if one was.
func (s *Steps) Step(ctx context.Context, name string) (*plan.Step, work.Outcome, error) {
	s.Worker.Turn.Take()
	defer s.Worker.Turn.ReleaseAll()
	release, err := s.lockAndReload(ctx)
	if err != nil {
		return nil, work.Outcome{}, err
	}
	defer release()
	asked, err := s.named(name)
	if err != nil {
		return nil, work.Outcome{}, err
	}
	p, waited, err := s.ready(ctx)
	if err != nil {
		return nil, work.Outcome{}, err
	}
	if waited != nil && (asked == nil || asked.ID == waited.ID) {
		if s.Checkout.Progress.Steps[waited.ID].State == progress.StateDone {
			return waited, work.Outcome{}, nil
		}
		name = waited.ID
	}
	step, err := s.choose(name)
	if err != nil {
		return nil, work.Outcome{}, err
	}
	if err := s.prerequisites(ctx, p); err != nil {
		return step, work.Outcome{}, err
	}
	task, err := s.task(ctx, p, step)
	if err != nil {
		return step, work.Outcome{}, err
	}
	if err := s.Worker.CanConfine(ctx, task); err != nil { // the sandbox is reported before the first step
		return step, work.Outcome{}, err
	}
	if err := s.Worker.CanSign(ctx); err != nil { // git may ask for a passphrase, before the step has a row
		return step, work.Outcome{}, err
	}
	n := journal.Notice{Kind: journal.StepStart, Step: step.ID, Text: step.Title, Attempt: max(task.First, 1)}
	if s.atWork != nil {
		n.Steps = s.atWork()
	}
	s.Runner.Report(n)
	out, err := s.Worker.Work(ctx, p, task)
	if s.Checkout.Slot != "" && errors.Is(err, fault.ErrMovedBranch) {
		return step, out, err // its session is reported when its work is kept
	}
	if err != nil {
		return step, out, s.Worker.AccountFailed(ctx, err)
	}
	return step, out, s.settle(ctx, p, step, out)
}

// choose picks the step to do.
func (s *Steps) choose(name string) (*plan.Step, error) {
	step, err := s.pick(name)
	if err != nil {
		return nil, err
	}
	if commit, ok := s.Checkout.Progress.DoneElsewhere(step.ID); ok {
		return nil, &fault.Fault{Kind: fault.ErrElsewhere, Step: step.ID, Text: fmt.Sprintf("commit %.10s names step %s, but the plan here does not know that it is done", commit, step.ID)}
	}
	if st := s.Checkout.Progress.Steps[step.ID]; st.Pull != "" {
		return nil, &fault.Fault{Kind: fault.ErrNotPulled, Step: step.ID, Next: st.Pull, Text: fmt.Sprintf("commit %.10s, which did step %s, %s", st.Commit, step.ID, st.Reason)}
	}
	return step, nil
}

func (s *Steps) pick(name string) (*plan.Step, error) {
	waits, err := s.Checkout.NotApproved()
	if err != nil {
		return nil, err
	}
	if name == "" {
		if step, ok := s.Checkout.Progress.NextOf(s.Checkout.Doc.Plan, waits); ok {
			return step, nil
		}
		if _, ok := s.Checkout.Progress.Next(s.Checkout.Doc.Plan); ok {
			return nil, s.Checkout.RequireApproval()
		}
		if s.Checkout.Progress.Complete() {
			return nil, fault.New(fault.ErrNothingLeft, "%s", s.Checkout.Progress.AllDone())
		}
		text := "no open step can run: " + s.waiting()
		if blocked, ok := s.Checkout.Progress.Blocked(s.Checkout.Doc.Plan); ok {
			return nil, &fault.Fault{Kind: fault.ErrAllWait, Next: progress.Unblock(blocked.ID, s.Checkout.Progress.Steps[blocked.ID].Last().Question), Text: text}
		}
		return nil, fault.New(fault.ErrNotRunnable, "%s", text)
	}
	step, err := s.named(name)
	if err != nil {
		return nil, err
	}
	if err := s.Ended(step); err != nil {
		return nil, err
	}
	if waits.WaitsFor(step.ID) {
		return nil, fault.New(fault.ErrUnapproved, "nobody has approved step %s as it is now", step.ID)
	}
	return step, s.met(step)
}

// Ended returns an error if a step is no longer for sessions: it is done, skipped or blocked.
func (s *Steps) Ended(step *plan.Step) error {
	switch st := s.Checkout.Progress.Steps[step.ID]; st.State {
	case progress.StateDone, progress.StateSkipped:
		return fault.New(fault.ErrNothingLeft, "step %s is %s already", step.ID, st.State)
	case progress.StateBlocked:
		kind := fault.ErrStepBlocked
		if st.Last().Question {
			kind = fault.ErrStepAsks
		}
		return &fault.Fault{Kind: kind, Step: step.ID, Text: fmt.Sprintf("step %s is blocked: %s", step.ID, whyBlocked(st))}
	}
	return nil
}

// whyBlocked is the reason of a blocked step. Only a person may give none.
func whyBlocked(st progress.StepState) string { return cmp.Or(st.Reason, "by hand") }

// met refuses a step before the steps that it needs are done.
func (s *Steps) met(step *plan.Step) error {
	if s.Checkout.Progress.Met(step) {
		return nil
	}
	return &fault.Fault{Kind: fault.ErrNotRunnable, Step: step.ID, Text: fmt.Sprintf("step %s needs %s first", step.ID, strings.Join(unmet(s.Runner.Checkout, step), ", "))}
}

// named returns the step of a name, nil for no name. A command asks for it before anything else:
// a misspelt name is not the tree's fault.
func (s *Steps) named(name string) (*plan.Step, error) {
	step, ok := s.Checkout.Doc.Plan.Step(name)
	if name != "" && !ok {
		return nil, s.Checkout.Doc.Plan.NoStep(name)
	}
	return step, nil
}

func unmet(c *checkout.Checkout, step *plan.Step) []string {
	var out []string
	for _, id := range step.Needs {
		if st := c.Progress.Steps[id].State; st != progress.StateDone && st != progress.StateSkipped {
			out = append(out, id)
		}
	}
	return out
}

// waiting says what each open step waits for.
func (s *Steps) waiting() string {
	var out []string
	for i := range s.Checkout.Doc.Plan.Steps {
		step := &s.Checkout.Doc.Plan.Steps[i]
		switch st := s.Checkout.Progress.Steps[step.ID]; st.State {
		case progress.StateBlocked:
			out = append(out, fmt.Sprintf("%s is blocked (%s)", step.ID, whyBlocked(st)))
		case progress.StateOpen, progress.StateReopened:
			out = append(out, fmt.Sprintf("%s needs %s", step.ID, strings.Join(unmet(s.Runner.Checkout, step), ", ")))
		}
	}
	if len(out) > 3 {
		out = append(out[:3], fmt.Sprintf("and %d more", len(out)-3))
	}
	return strings.Join(out, "; ")
}
