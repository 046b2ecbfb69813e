package queue

import (
	"context"
	"errors"
	"strings"
	"sync"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/integrity"
	"github.com/git-plan/git-plan/gitplan/journal"
)

// ID takes the place of a plan's id in the lock of the queue.
const ID = "queue"

// Plan is a plan to run.
type Plan struct{ Branch, ID string }

// Ended is how the run of a plan ended.
type Ended struct {
	Plan
	Begun bool
	Code  int    // its exit code
	Err   error  // why it could not begin
	Left  string // the work tree that was made for it and holds something still; "" if none does

	at place
}

// Queue runs plans.
type Queue struct {
	Checkout *checkout.Checkout
	Jobs     int // steps at work at once, in all plans
	// Run runs the plan that is checked out in a folder, up to jobs of its steps at once, and returns
	// the exit code. Apart asks for its steps to be worked on in clones, which
	// plan.worktreeSetup prepares.
	Run func(ctx context.Context, p Plan, dir string, jobs int, apart bool) (code int, err error)
}

// Open makes this process the only queue of its repository. Release the lock at the end.
func Open(c *checkout.Checkout, command string) (*journal.Lock, error) {
	lock, err := journal.Acquire(c.Repo, ID, command)
	if who, busy := journal.Working(c.Repo, ID); busy && errors.Is(err, fault.ErrBusy) {
		return nil, fault.New(fault.ErrBusy, "%s runs several plans of this repository already", who.Name())
	}
	return lock, err
}

// All runs plans, and returns how each ended, in their order. Once stopping reports true, none
// begins any more.
func (q *Queue) All(ctx context.Context, plans []Plan, stopping func() bool) []Ended {
	out := make([]Ended, len(plans))
	for i, p := range plans {
		out[i].Plan = p
	}
	lanes := min(q.Jobs, len(plans))
	if lanes == 1 {
		for i := range out {
			q.begin(ctx, &out[i], stopping)
			q.run(ctx, &out[i], q.Jobs, stopping)
			q.end(ctx, &out[i])
		}
		return out
	}
	// A session could have made, or removed, a work tree that appears or goes while it is at
	// work. So they are all made before the first session, and removed after the last.
	for i := range out {
		q.begin(ctx, &out[i], stopping)
	}
	q.sideBySide(ctx, out, lanes, stopping)
	for i := range out {
		q.end(ctx, &out[i])
	}
	return out
}

func (q *Queue) sideBySide(ctx context.Context, plans []Ended, lanes int, stopping func() bool) {
	next := make(chan *Ended)
	var all sync.WaitGroup
	for lane := range lanes {
		jobs := q.Jobs / lanes
		if lane < q.Jobs%lanes {
			jobs++
		}
		all.Go(func() {
			for e := range next {
				q.run(ctx, e, jobs, stopping)
			}
		})
	}
	for i := range plans {
		next <- &plans[i]
	}
	close(next)
	all.Wait()
}

// begin finds or makes the work tree of a plan.
func (q *Queue) begin(ctx context.Context, e *Ended, stopping func() bool) {
	if ctx.Err() == nil && !stopping() {
		e.at, e.Err = q.tree(ctx, e.Plan)
	}
}

func (q *Queue) run(ctx context.Context, e *Ended, jobs int, stopping func() bool) {
	if e.at.dir == "" || ctx.Err() != nil || stopping() {
		return
	}
	e.Begun = true
	e.Code, e.Err = q.Run(ctx, e.Plan, e.at.dir, jobs, e.at.made && q.Checkout.Config.String("plan.worktreeSetup") != "")
}

// end removes the work tree that was made for a plan.
func (q *Queue) end(ctx context.Context, e *Ended) {
	if e.at.made && !q.removed(context.WithoutCancel(ctx), e.at.dir, e.Code) {
		e.Left = e.at.dir
	}
}

// Of returns the plan of a branch of the repository.
func Of(c *checkout.Checkout, branch string) (Plan, bool) {
	id, ok := c.Config.Get(integrity.PlanKey(branch))
	return Plan{branch, id}, ok && id != ""
}

// Waiting returns the plans that --all means: approved, with a step that is open. They are in the order
// of git plan list.
func Waiting(ctx context.Context, c *checkout.Checkout) ([]Plan, error) {
	listed, err := c.Plans(ctx)
	var out []Plan
	for _, l := range listed {
		if l.State == "open" && !l.NoBranch && !strings.HasPrefix(l.Branch, "?") {
			out = append(out, Plan{l.Branch, l.ID})
		}
	}
	return out, err
}
