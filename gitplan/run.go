package gitplan

import (
	"cmp"
	"context"
	"errors"

	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/progress"
	"github.com/git-plan/git-plan/gitplan/visible"
	"github.com/git-plan/git-plan/gitplan/workspace"
)

// RunOptions is how Run goes through a plan.
type RunOptions struct {
	Jobs  int    // steps at work at the same time
	Until string // the id of the step after which it ends; "" goes on to the last

	Done func() // is called after each step that is done
	// Replan has a plan with Bounds planned again, after a step that got stuck or whose session proposed it.
	Replan func(why string) error
}

// run is a run under way: what follows the end of a step is decided here, whether steps run in turn or side by side.
type run struct {
	s *Steps
	RunOptions
	stuck error // of the last step that got stuck
}

// Run does every step that is ready, until ErrNothingLeft, or the error of a step that got stuck.
func (s *Steps) Run(ctx context.Context, options RunOptions) error {
	s.until = options.Until
	r := run{s: s, RunOptions: options}
	if r.Jobs > 1 {
		return r.sideBySide(ctx)
	}
	return r.inTurn(ctx)
}

func (r *run) inTurn(ctx context.Context) error {
	const mostMoved = 3 // times in succession that a step begins again since its branch moved
	s, moved := r.s, 0
	defer workspace.DiscardIdle(s.Checkout)
	for {
		if err := s.Stopped(); err != nil {
			if _, none := s.pick(""); none != nil && r.stuck != nil {
				return r.stuck // which says what comes next
			}
			return err
		}
		step, out, err := doStep(ctx, s, "")
		if movedOn(err) && out.Kept != "" && moved < mostMoved {
			moved++
			s.Runner.Report(journal.Notice{Kind: journal.StepNote, Step: step.ID, Text: visible.FirstLine(err.Error())})
			if err := s.Checkout.Derive(ctx); err != nil {
				return err
			}
			continue // on top of that
		}
		moved = 0
		if over, why := r.after(err); over {
			return why
		}
		if why := s.replanReason(step, err); why != "" {
			if _, none := s.pick(""); none == nil && gotStuck(err) {
				continue // with what is ready; once nothing is, the plan is planned again
			}
			if err := r.Replan(why); err != nil {
				return err
			}
			if err != nil {
				r.stuck = nil
			}
		}
	}
}

// after decides what follows the end of a step, or of the search for one: is the run over, and with which error?
func (r *run) after(err error) (over bool, why error) {
	switch {
	case err == nil:
		r.Done()
	case errors.Is(err, fault.ErrStopped): // stopped, or with the plan as it was edited
	case gotStuck(err):
		r.stuck = err // only steps that need this one wait for it
	case errors.Is(err, fault.ErrNoChange):
		r.stuck = cmp.Or(r.stuck, err) // what needs it goes on
	case r.s.replanReason(nil, err) != "":
	case errors.Is(err, errUntil), errors.Is(err, fault.ErrNotRunnable) && gotStuck(r.stuck):
		return true, r.stuck
	default:
		return true, err
	}
	return false, nil
}

// Stopped returns ErrStopped if the run was asked to end once running tasks are finished.
func (s *Steps) Stopped() error {
	if s.Stopping == nil || !s.Stopping() {
		return nil
	}
	return fault.New(fault.ErrStopped, "stopped: %s", s.Checkout.Progress.Summary())
}

// movedOn reports whether other commits kept a step from landing.
func movedOn(err error) bool {
	return errors.Is(err, fault.ErrMovedBranch) && !errors.Is(err, fault.ErrLeftBranch)
}

// gotStuck reports whether an error concerns one step only, so that others can still be done.
func gotStuck(err error) bool {
	return errors.Is(err, fault.ErrStepFailed) || errors.Is(err, fault.ErrStepBlocked) || errors.Is(err, fault.ErrQuestion)
}

// LeaveOutReview records, once for each commit, that a finished plan is neither verified nor reviewed.
func (s *Steps) LeaveOutReview(ctx context.Context) error {
	if !s.Checkout.Progress.Complete() {
		return nil
	}
	head, err := s.Checkout.Repo.Resolve(ctx, "HEAD")
	if err != nil {
		return err
	}
	if at, ok := progress.Unreviewed(s.Checkout.Doc.Events); ok && at == head {
		return nil
	}
	return s.apply(ctx, journal.Event{Kind: journal.Unreviewed, Head: head, By: journal.ByPerson,
		Reason: "--no-review: neither verified nor reviewed"})
}

func (s *Steps) apply(ctx context.Context, e journal.Event) error {
	return s.Checkout.Store.Apply(ctx, s.Checkout.Doc, s.Checkout.Branch, journal.Change{Event: e})
}
