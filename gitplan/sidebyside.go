package gitplan

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strconv"
	"sync"

	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/progress"
	"github.com/git-plan/git-plan/gitplan/visible"
	"github.com/git-plan/git-plan/gitplan/work"
	"github.com/git-plan/git-plan/gitplan/workspace"
)

// Steps that do not need each other can be done at the same time. Each is at work in a slot: a
// clone, a note and a view of the plan of its own (checkout.InSlot), and walks as step does. Two
// things are the coordinator's: which step goes into which slot, and whose turn it is at the work
// tree (work.Turn), where one step lands at a time, from the look at HEAD to the tick. If the
// branch moved while a step was at work, what passed is put on top of what is there now, and checked
// again (workspace.Rebase); if that conflicts or fails, it is kept, and begun again in a fresh clone, as
// after a person's commit.

// coordinator runs the steps of one plan side by side.
type coordinator struct {
	s      *Steps
	w      Walk
	cancel context.CancelCauseFunc // of all
	turns  work.Turns

	slots    []*slot          // all
	free     []*slot          // in which nothing is at work
	noting   sync.Mutex       // around writing to atWork, and around reading it in a slot
	atWork   map[string]*slot // by step
	ended    chan *slot
	draining bool         // nothing more begins
	alone    string       // a step that is to be done with nothing beside it; "" if there is none
	stuck    error        // of the last step that got stuck
	rewrite  []*plan.Step // after which the plan is to be written again, when nothing is at work
	last     error        // why it drains
}

// slot is a place for one step at a time.
type slot struct {
	Steps *Steps
	step  *plan.Step // at work, or that has just ended
	err   error      // with which it ended
	moved int        // how often the branch had moved when it was to land
}

func (s *Steps) sideBySide(ctx context.Context, w Walk) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	c := &coordinator{s: s, w: w, cancel: cancel, atWork: map[string]*slot{}, ended: make(chan *slot)}
	defer c.close(ctx)
	if err := s.recoverSlots(ctx); err != nil {
		return err
	}
	for {
		if err := c.begin(ctx); err != nil && len(c.atWork) == 0 {
			return err
		} else if err != nil {
			c.drain(err)
		}
		if len(c.atWork) == 0 {
			if c.last != nil {
				return c.last
			}
			return c.over()
		}
		if err := c.settled(ctx, <-c.ended); err != nil {
			c.drain(err)
		}
	}
}

// over is the end: there is no step to begin, and none at work.
func (c *coordinator) over() error {
	_, err := c.s.pick("")
	if err == nil && c.w.Until != "" { // only steps behind it are left
		return c.allStuck()
	}
	if c.stuck != nil && errors.Is(err, fault.ErrNotRunnable) {
		return c.allStuck()
	}
	return err
}

// allStuck is the error of the last step that got stuck, with the other blocked ones: what was
// printed of them may be far above.
func (c *coordinator) allStuck() error {
	var f *fault.Fault
	if !errors.As(c.stuck, &f) {
		return c.stuck
	}
	var others []string
	for _, s := range c.s.Checkout.Doc.Plan.Steps {
		if s.ID != f.Step && c.s.Checkout.Progress.Steps[s.ID].State == progress.StateBlocked {
			others = append(others, s.ID)
		}
	}
	if len(others) == 0 {
		return c.stuck
	}
	all := *f
	all.Text += "; blocked, too: " + visible.Few(others)
	return &all
}

// place returns the number of a step in the plan, from 0; -1 if there is no such step.
func (c *coordinator) place(id string) int {
	return slices.IndexFunc(c.s.Checkout.Doc.Plan.Steps, func(s plan.Step) bool { return s.ID == id })
}

// drain begins nothing more, and ends with an error when what is at work is over. What a session
// did to the set-up ends all of them.
func (c *coordinator) drain(why error) {
	c.draining = true
	if c.last == nil {
		c.last = why
	}
	if errors.Is(why, fault.ErrSetupChanged) || errors.Is(why, fault.ErrSetupUnseen) {
		c.cancel(why)
	}
}

// begin starts steps while there is room for them.
func (c *coordinator) begin(ctx context.Context) error {
	if c.draining || ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err := c.again(ctx); err != nil {
		return err
	}
	if err := c.s.Stopped(); err != nil {
		return err
	}
	if len(c.atWork) > 0 && journal.TextWanted(c.s.Checkout.Repo, c.s.Checkout.Doc.ID) { // or whoever edits the plan would wait forever
		return nil
	}
	if len(c.rewrite) > 0 {
		if len(c.atWork) > 0 {
			return nil
		}
		if err := c.planAgain(); err != nil {
			return err
		}
	}
	waits, err := c.s.Checkout.NotApproved()
	if err != nil {
		return err
	}
	busy := map[string]bool{}
	for id := range c.atWork {
		busy[id] = true
	}
	ready := c.s.Checkout.Progress.Ready(c.s.Checkout.Doc.Plan, waits, busy)
	if until := c.place(c.w.Until); until >= 0 {
		ready = slices.DeleteFunc(ready, func(s *plan.Step) bool { return c.place(s.ID) > until })
	}
	for _, step := range ready {
		if c.alone != "" && (step.ID != c.alone || len(c.atWork) > 0) {
			continue
		}
		if len(c.atWork) == c.w.Jobs {
			break
		}
		sl, err := c.room(ctx)
		if err != nil {
			return err
		}
		c.start(ctx, sl, step)
	}
	return nil
}

// planAgain has the plan written again, while nothing is at work that goes by its old text.
func (c *coordinator) planAgain() error {
	steps := c.rewrite
	c.rewrite = nil
	for _, step := range steps {
		again, err := c.w.Replan(step)
		if err != nil {
			return err
		}
		if again {
			c.stuck = nil
		}
	}
	return nil
}

// again reads the plan and the branch again, while no step is about to land.
func (c *coordinator) again(ctx context.Context) error {
	c.turns.Lock()
	defer c.turns.Unlock()
	if err := c.s.Checkout.StillThere(ctx); err != nil {
		return err
	}
	if err := c.s.Checkout.Reload(ctx); err != nil {
		return err
	}
	return c.s.Checkout.Derive(ctx)
}

// room returns a slot in which nothing is at work.
func (c *coordinator) room(ctx context.Context) (*slot, error) {
	if n := len(c.free); n > 0 {
		sl := c.free[n-1]
		c.free = c.free[:n-1]
		return sl, nil
	}
	steps, err := c.s.inSlot(ctx, strconv.Itoa(len(c.slots)+1), c.turns.NewTurn())
	if err != nil {
		return nil, err
	}
	sl := &slot{Steps: steps}
	c.slots = append(c.slots, sl)
	return sl, nil
}

func (c *coordinator) start(ctx context.Context, sl *slot, step *plan.Step) {
	if sl.step == nil || sl.step.ID != step.ID {
		sl.moved = 0
	}
	c.noting.Lock()
	sl.step, c.atWork[step.ID] = step, sl
	c.noting.Unlock()
	sl.Steps.Worker.Turn.Exclusive(sl.moved > 1 || c.alone == step.ID)
	sl.Steps.atWork = c.steps
	go func() {
		_, _, sl.err = sl.Steps.Step(ctx, step.ID)
		c.ended <- sl
	}()
}

// steps returns the ids of the steps that are at work.
func (c *coordinator) steps() []string {
	c.noting.Lock()
	defer c.noting.Unlock()
	return slices.Sorted(maps.Keys(c.atWork))
}

// settled takes note of how a step ended. An error ends the run.
func (c *coordinator) settled(ctx context.Context, sl *slot) error {
	c.noting.Lock()
	delete(c.atWork, sl.step.ID)
	c.noting.Unlock()
	err := sl.err
	if errors.Is(err, fault.ErrMovedBranch) && !errors.Is(err, fault.ErrLeftBranch) && ctx.Err() == nil && !c.draining {
		if sl.moved++; sl.Steps.collided[sl.step.ID] > 1 {
			c.alone = sl.step.ID
		}
		c.start(ctx, sl, sl.step) // on top of what is there now
		return nil
	}
	c.free = append(c.free, sl)
	if c.alone == sl.step.ID {
		c.alone = ""
	}
	switch {
	case err == nil:
		c.w.Done()
		if sl.Steps.Proposes(sl.step.ID) {
			c.rewrite = append(c.rewrite, sl.step)
		}
	case gotStuck(err):
		c.stuck = err
		may, err := c.s.wouldReplan(sl.step.ID)
		if may {
			c.rewrite = append(c.rewrite, sl.step)
		}
		return err
	default:
		if sl.Steps.Checkout.TaskState().Waits() { // the others may take long
			sl.Steps.Runner.Report(journal.Notice{Kind: journal.StepLands, Step: sl.step.ID, Reason: "waits for the next run: " + visible.FirstLine(err.Error())})
		}
		return err
	}
	return nil
}

func (c *coordinator) close(ctx context.Context) {
	for _, sl := range c.slots {
		if sl.err != nil { // the session of work that waits is reported by no event yet
			_ = sl.Steps.Worker.AccountFailed(ctx, sl.err)
		}
		if sl.Steps.Checkout.TaskState().Name == "" { // nothing waits there
			workspace.DiscardClone(sl.Steps.Runner.Checkout)
		}
		sl.Steps.Checkout.Close()
	}
}

// inSlot returns a walk through the same plan in a slot.
func (s *Steps) inSlot(ctx context.Context, name string, turn *work.Turn) (*Steps, error) {
	c, err := s.Runner.Checkout.InSlot(ctx, name)
	if err != nil {
		return nil, err
	}
	b := NewSteps(s.Worker.ForTurn(s.Runner.ForCheckout(c), turn), s.Guard)
	b.GuardOf, b.Clean, b.noteGreen, b.collided = s.GuardOf, s.Clean, s.noteGreen, map[string]int{}
	if s.GuardOf != nil {
		if b.Guard, err = s.GuardOf(c); err != nil {
			c.Close()
			return nil, err
		}
	}
	if s.Writer != nil {
		c.Repo.OnWrite = s.Writer()
	}
	return b, nil
}
