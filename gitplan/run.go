package gitplan

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/progress"
	"github.com/git-plan/git-plan/gitplan/visible"
	"github.com/git-plan/git-plan/gitplan/work"
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
	const mostMoved = 3 // times in succession that a step begins again since its branch moved
	s.until = options.Until
	r := run{s: s, RunOptions: options}
	if r.Jobs > 1 {
		return r.sideBySide(ctx)
	}
	moved := 0
	defer s.Checkout.Task().DiscardIdleClone()
	for {
		if err := s.Stopped(); err != nil {
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
	if progress.Unreviewed(s.Checkout.Doc.Events) == head {
		return nil
	}
	return s.apply(ctx, journal.Event{Kind: journal.Unreviewed, Head: head, By: journal.ByPerson,
		Reason: "--no-review: neither verified nor reviewed"})
}

func (s *Steps) apply(ctx context.Context, e journal.Event) error {
	return s.Checkout.Store.Apply(ctx, s.Checkout.Doc, s.Checkout.Branch, journal.Change{Event: e})
}

// coordinator runs steps that do not need each other in parallel, each in a slot (checkout.InSlot). They land one at a time
// (work.Turn) on top of what others landed. What conflicts or fails its checks then is kept, and the step begins again.
type coordinator struct {
	*run
	cancel context.CancelCauseFunc // of all
	turns  sync.Mutex              // at the work tree, see work.Turn
	ended  chan *slot

	slots, free []*slot
	mu          sync.Mutex       // around atWork, which slots read, too
	atWork      map[string]*slot // by step
	rewrite     []string         // why the plan is to be planned again once nothing is at work
	last        error            // why nothing more begins
	interrupted []string         // steps that were
}

type slot struct {
	steps   *Steps
	step    plan.Step // at work, or the last one
	out     work.Outcome
	err     error  // with which it ended
	rewrite string // why the plan is to be planned again then
}

func (r *run) sideBySide(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	c := &coordinator{run: r, cancel: cancel, atWork: map[string]*slot{}, ended: make(chan *slot)}
	defer func() {
		for _, sl := range c.slots {
			sl.steps.Checkout.Task().DiscardIdleClone()
			sl.steps.Checkout.Close()
		}
	}()
	if err := r.s.KeepUnfinished(ctx); err != nil {
		return err
	}
	for {
		err := c.begin(ctx)
		if err != nil && len(c.atWork) > 0 {
			c.drain(err)
		} else if err != nil {
			return err
		}
		if len(c.atWork) == 0 {
			_, none := r.s.pick("")
			if over, why := r.after(none); over {
				return why
			}
			c.rewrite = append(c.rewrite, r.s.replanReason(nil, none))
			continue
		}
		if err := c.finished(ctx, <-c.ended); err != nil {
			c.drain(err)
		}
	}
}

// drain begins nothing more. A changed set-up ends all sessions.
func (c *coordinator) drain(why error) {
	c.last = cmp.Or(c.last, why)
	if errors.Is(why, fault.ErrSetupChanged) || errors.Is(why, fault.ErrSetupUnseen) {
		c.cancel(why)
	}
}

func (c *coordinator) begin(ctx context.Context) error {
	if c.last != nil || ctx.Err() != nil {
		if len(c.interrupted) > 1 {
			return fault.New(fault.ErrInterrupted, "interrupted in steps %s",
				strings.Join(slices.Sorted(slices.Values(c.interrupted)), ", "))
		}
		return cmp.Or(c.last, context.Cause(ctx))
	}
	if err := c.reload(ctx); err != nil {
		return err
	}
	if err := c.s.Stopped(); err != nil {
		return err
	}
	// or an edit of the plan would wait forever
	if len(c.atWork) > 0 && (len(c.rewrite) > 0 || journal.TextWanted(c.s.Checkout.Repo, c.s.Checkout.Doc.ID)) {
		return nil
	}
	if why := c.rewrite; why != nil { // and nothing is at work
		c.rewrite = nil
		if err := c.Replan(strings.Join(why, "; ")); err != nil {
			return err
		}
		c.stuck = nil
	}
	waits, err := c.s.Checkout.NotApproved()
	if err != nil {
		return err
	}
	busy := map[string]bool{}
	for id := range c.atWork {
		busy[id] = true
	}
	for _, step := range upTo(c.s.Checkout.Doc.Plan, c.Until, c.s.Checkout.Progress.Ready(c.s.Checkout.Doc.Plan, waits, busy)) {
		if len(c.atWork) == c.Jobs {
			break
		}
		sl, err := c.freeSlot(ctx)
		if err != nil {
			return err
		}
		c.start(ctx, sl, *step)
	}
	return nil
}

// reload reads the plan and the branch again while no step lands.
func (c *coordinator) reload(ctx context.Context) error {
	c.turns.Lock()
	defer c.turns.Unlock()
	if err := c.s.Checkout.RequireBranch(ctx); err != nil {
		return err
	}
	return c.s.Checkout.Renew(ctx)
}

func (c *coordinator) freeSlot(ctx context.Context) (*slot, error) {
	if n := len(c.free); n > 0 {
		sl := c.free[n-1]
		c.free = c.free[:n-1]
		return sl, nil
	}
	steps, err := c.s.inSlot(ctx, strconv.Itoa(len(c.slots)+1), &work.Turn{Of: &c.turns})
	if err != nil {
		return nil, err
	}
	steps.atWork = func() []string {
		c.mu.Lock()
		defer c.mu.Unlock()
		return slices.Sorted(maps.Keys(c.atWork))
	}
	sl := &slot{steps: steps}
	c.slots = append(c.slots, sl)
	return sl, nil
}

func (c *coordinator) start(ctx context.Context, sl *slot, step plan.Step) {
	c.mu.Lock()
	sl.step, c.atWork[step.ID] = step, sl
	c.mu.Unlock()
	go func() {
		turn := sl.steps.Worker.Turn // given up while its session works
		turn.Take(func() {})         // it may wait as long as others work; reload does not write meanwhile
		checkout.Follow(sl.steps.Checkout, c.s.Checkout)
		_, sl.out, sl.err = doStep(ctx, sl.steps, step.ID)
		turn.Release()
		sl.rewrite = sl.steps.replanReason(&step, sl.err)
		c.ended <- sl
	}()
}

// finished handles the end of a step. An error ends the run.
func (c *coordinator) finished(ctx context.Context, sl *slot) error {
	c.mu.Lock()
	delete(c.atWork, sl.step.ID)
	c.mu.Unlock()
	err := sl.err
	if movedOn(err) && ctx.Err() == nil && c.last == nil {
		c.start(ctx, sl, sl.step) // on top of the current tip
		return nil
	}
	c.free = append(c.free, sl)
	if sl.rewrite != "" {
		c.rewrite = append(c.rewrite, sl.rewrite)
	}
	_, over := c.after(err)
	switch {
	case errors.Is(err, fault.ErrInterrupted):
		c.interrupted = append(c.interrupted, sl.step.ID)
	case over != nil && sl.out.Kept != "": // the others may take long
		sl.steps.Runner.Report(journal.Notice{Kind: journal.StepLands, Step: sl.step.ID,
			Reason: "waits for the next run: " + visible.FirstLine(err.Error())})
	}
	return over
}

func (s *Steps) inSlot(ctx context.Context, name string, turn *work.Turn) (*Steps, error) {
	c, err := s.Checkout.InSlot(ctx, name)
	if err != nil {
		return nil, err
	}
	b := NewSteps(s.Worker.ForTurn(s.Runner.ForCheckout(c), turn), s.Guard)
	b.Clean, b.Stopping = s.Clean, s.Stopping
	if s.Writer != nil {
		c.Repo.OnWrite = s.Writer()
	}
	return b, nil
}
