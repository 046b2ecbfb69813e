package gitplan

import (
	"context"
	"errors"
	"os"
	"strings"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/integrity"
	"github.com/git-plan/git-plan/gitplan/journal"
)

// Several plans run one after the other, each by a git plan of its own in the work tree that has its branch. A branch
// that is checked out nowhere gets a linked work tree for that time, at .git/plan/PLAN/tree: unlike with a clone, git
// then refuses the branch elsewhere, and approvals and configuration hold there.

// QueueID takes the place of a plan's id in the lock of the queue: a repository has one at a time.
const QueueID = "queue"

// QueuedPlan is a plan to run.
type QueuedPlan struct{ Branch, ID string }

// QueueEnd is how the run of a plan ended.
type QueueEnd struct {
	QueuedPlan
	Begun bool
	Code  int    // its exit code
	Err   error  // why it could not begin
	Left  string // the work tree that was made for it and is still needed
}

// Queue runs plans.
type Queue struct {
	Checkout *checkout.Checkout
	// Run runs the plan that is checked out in a folder, and returns the exit code. With clones, its
	// steps work in clones, which plan.worktreeSetup prepares.
	Run func(ctx context.Context, p QueuedPlan, dir string, clones bool) (code int, err error)
}

// OpenQueue makes this process the only queue of its repository. Release the lock at the end.
func OpenQueue(c *checkout.Checkout, command string) (*journal.Lock, error) {
	lock, err := journal.Acquire(c.Repo, QueueID, command)
	if who, busy := journal.Working(c.Repo, QueueID); busy && errors.Is(err, fault.ErrBusy) {
		return nil, fault.New(fault.ErrBusy, "%s runs several plans of this repository already", who.Name())
	}
	return lock, err
}

// All runs plans, and returns how each ended, in their order. Once stopping reports true, none begins.
func (q *Queue) All(ctx context.Context, plans []QueuedPlan, stopping func() bool) (out []QueueEnd) {
	for _, p := range plans {
		e := QueueEnd{QueuedPlan: p}
		if ctx.Err() == nil && !stopping() {
			q.run(ctx, &e)
		}
		out = append(out, e)
	}
	return out
}

func (q *Queue) run(ctx context.Context, e *QueueEnd) {
	dir, made, err := q.tree(ctx, e.QueuedPlan)
	if err != nil {
		e.Err = err
		return
	}
	e.Begun = true
	e.Code, e.Err = q.Run(ctx, e.QueuedPlan, dir, made && q.Checkout.Config.String("plan.worktreeSetup") != "")
	const busy, interrupted, terminated = 5, 128 + 2, 128 + 15
	needed := e.Code == busy || e.Code > 128 && e.Code != interrupted && e.Code != terminated // killed: the next run goes on there
	if made && (needed || q.git(context.WithoutCancel(ctx), "worktree", "remove", dir) != nil) {
		e.Left = dir
	}
}

func (q *Queue) tree(ctx context.Context, p QueuedPlan) (dir string, made bool, err error) {
	own := q.Checkout.Repo.PlanDir(p.ID, "tree")
	trees, err := q.Checkout.Repo.Trees(ctx)
	if err != nil {
		return "", false, err
	}
	for _, t := range trees {
		if t.Branch != p.Branch {
			continue
		}
		if !same(t.Dir, own) {
			return t.Dir, false, nil
		}
		if _, err := os.Stat(own); err == nil { // of a queue that was killed, or that left something in it
			return own, true, nil
		}
		if err := q.git(ctx, "worktree", "remove", "--force", own); err != nil { // git still lists a folder that is gone
			return "", false, err
		}
		break
	}
	if err := q.git(ctx, "worktree", "add", "-q", own, p.Branch); err != nil {
		return "", false, fault.New(fault.ErrBusy, "no work tree can be made for %s: %v", p.Branch, err)
	}
	return own, true, nil
}

func (q *Queue) git(ctx context.Context, args ...string) error {
	err := q.Checkout.Repo.Run(ctx, git.Command{Args: args, Writes: true})
	var failed *git.Error
	if errors.As(err, &failed) && failed.Stderr != "" {
		return errors.New(strings.TrimSpace(failed.Stderr))
	}
	return err
}

// same reports whether two paths name the same folder; git may list one that is gone.
func same(a, b string) bool {
	x, err := os.Stat(a)
	y, err2 := os.Stat(b)
	return a == b || err == nil && err2 == nil && os.SameFile(x, y)
}

// PlanOf returns the plan of a branch of the repository.
func PlanOf(c *checkout.Checkout, branch string) (QueuedPlan, bool) {
	id, ok := c.Config.Get(integrity.PlanKey(branch))
	return QueuedPlan{branch, id}, ok && id != ""
}

// WaitingPlans returns the plans that --all means: approved, with an open step, in the order of git plan list.
func WaitingPlans(ctx context.Context, c *checkout.Checkout) (out []QueuedPlan, err error) {
	listed, err := c.Plans(ctx)
	for _, l := range listed {
		if l.State == "open" && !l.NoBranch && l.Branch != checkout.UnknownBranch {
			out = append(out, QueuedPlan{l.Branch, l.ID})
		}
	}
	return out, err
}
