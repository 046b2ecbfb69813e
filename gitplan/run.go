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

// Walk is how run goes through a plan.
type Walk struct {
	Jobs  int    // steps at work at the same time
	Until string // the id of the step after which it ends; "" goes on to the last

	Done func() // is called after each step that is done
	// Replan has a plan with Bounds planned again, after a step that got stuck or whose session proposed it.
	Replan func(why string) error
}

// mostMoved is how often in succession a step begins again since its branch moved.
const mostMoved = 3

// Run does every step that is ready, until ErrNothingLeft, or the error of a step that got stuck.
func (s *Steps) Run(ctx context.Context, w Walk) error {
	s.until = w.Until
	if w.Jobs > 1 {
		return s.sideBySide(ctx, w)
	}
	defer workspace.DiscardIdle(s.Checkout)
	var stuck error
	moved := 0
	for {
		if err := s.Stopped(); err != nil {
			if _, none := s.pick(""); none != nil && stuck != nil {
				return stuck // which says what comes next
			}
			return err
		}
		step, _, err := doStep(ctx, s, "")
		if movedOn(err) && s.Checkout.TaskState().AwaitsCommit() && moved < mostMoved {
			moved++
			s.Runner.Report(journal.Notice{Kind: journal.StepNote, Step: s.Checkout.TaskState().Name, Text: visible.FirstLine(err.Error())})
			if err := s.Checkout.Derive(ctx); err != nil {
				return err
			}
			continue // on top of that
		}
		moved = 0
		switch {
		case errors.Is(err, fault.ErrStopped):
			continue // stopped, or with the plan as it was edited
		case err == nil:
			w.Done()
		case errors.Is(err, errUntil):
			return stuck
		case gotStuck(err):
			stuck = err // only steps that need this one wait for it
		case errors.Is(err, fault.ErrNoChange):
			stuck = cmp.Or(stuck, err) // what needs it goes on
		case s.again(nil, err) != "":
		case errors.Is(err, fault.ErrNotRunnable) && gotStuck(stuck):
			return stuck
		default:
			return err
		}
		if why := s.again(step, err); why != "" {
			if err := w.Replan(why); err != nil {
				return err
			}
			if err != nil {
				stuck = nil
				continue
			}
		}
	}
}

// Stopped returns ErrStopped if the run was asked to end once running tasks are finished.
func (s *Steps) Stopped() error {
	if s.Stopping == nil || !s.Stopping() {
		return nil
	}
	before := ""
	if s.Checkout.Progress.Complete() {
		before = " before the review"
	}
	return fault.New(fault.ErrStopped, "stopped%s: %s", before, s.Checkout.Progress.Summary())
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
	return s.apply(ctx, journal.Event{Kind: journal.Unreviewed, Head: head, By: journal.ByPerson, Reason: "--no-review: neither verified nor reviewed"})
}

func (s *Steps) apply(ctx context.Context, e journal.Event) error {
	return s.Checkout.Store.Apply(ctx, s.Checkout.Doc, s.Checkout.Branch, journal.Change{Event: e})
}
