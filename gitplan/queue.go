package gitplan

import (
	"context"
	"errors"
	"os"
	"slices"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/disk"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/integrity"
	"github.com/git-plan/git-plan/gitplan/journal"
)

// QueueID takes the place of a plan's id in the lock of the queue: a repository has one at a time.
const QueueID = "queue"

// QueuedPlan is a plan to run.
type QueuedPlan struct {
	Branch, ID string
	Base       string // the branch of a plan before it, from whose result it starts; or ""
}

const busy, interrupted, terminated = 5, 128 + 2, 128 + 15 // exit codes of a run

// QueueEnd is how the run of a plan ended.
type QueueEnd struct {
	QueuedPlan
	Begun bool
	Code  int    // its exit code, or that of a plan that did not begin
	Waits bool   // for the plan of its base, which did not end well
	Err   error  // why it could not begin
	Left  string // the work tree that was made for it and is still needed
}

// Queue runs plans one after the other, each by a git plan of its own in the work tree of its branch, if need be in a linked
// one at .git/plan/PLAN/tree: unlike a clone, that has approvals and settings, and keeps the branch to itself.
type Queue struct {
	Checkout *checkout.Checkout
	// Run runs the plan that is checked out in a folder, its steps in clones if clones says so, and returns the exit code.
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
func (q *Queue) All(ctx context.Context, plans []QueuedPlan, stopping func() bool) []QueueEnd {
	out := make([]QueueEnd, len(plans))
	for i, p := range plans {
		e := &out[i]
		*e = QueueEnd{QueuedPlan: p, Code: interrupted}
		e.Waits = slices.ContainsFunc(out[:i], func(o QueueEnd) bool { return o.Branch == p.Base && !(o.Begun && o.Code == 0) })
		if e.Waits {
			e.Code = 0 // the other one has a code
			continue
		}
		if ctx.Err() != nil || stopping() {
			continue
		}
		dir, made, err := q.tree(ctx, p)
		if err == nil && p.Base != "" {
			err = q.startFromBase(ctx, dir, p)
		}
		if err == nil {
			e.Begun = true
			e.Code, err = q.Run(ctx, p, dir, made && q.Checkout.Config.String("plan.worktreeSetup") != "")
		}
		if e.Err = err; err != nil {
			e.Code = 1
		}
		// killed: the next run goes on there
		needed := e.Code == busy || e.Code > 128 && e.Code != interrupted && e.Code != terminated
		if made && (needed || gitIn(context.WithoutCancel(ctx), q.Checkout.Repo, "worktree", "remove", dir) != nil) {
			e.Left = dir
		}
	}
	return out
}

// tree returns the work tree that has a plan's branch, and whether a queue made it.
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
		mine := disk.Real(t.Dir) == disk.Real(own) // it is of a queue that was killed, or that left something in it
		if _, err := os.Stat(t.Dir); err == nil {
			return t.Dir, mine, nil
		}
		if !mine {
			return "", false, fault.New(fault.ErrBusy, "its work tree %s is gone (git worktree prune)", t.Dir)
		}
	}
	// by force, since git still lists own if that is gone
	if err := gitIn(ctx, q.Checkout.Repo, "worktree", "add", "-q", "--force", own, p.Branch); err != nil {
		return "", false, fault.New(fault.ErrBusy, "no work tree can be made for %s: %v", p.Branch, err)
	}
	return own, true, nil
}

// startFromBase moves the branch of a plan of which nothing was begun forward to that of its base.
func (q *Queue) startFromBase(ctx context.Context, dir string, p QueuedPlan) error {
	lock, err := journal.Acquire(q.Checkout.Repo, p.ID, "run")
	if err != nil {
		return err
	}
	defer lock.Release()
	doc, err := q.Checkout.Store.Load(ctx, p.ID)
	if err != nil || slices.ContainsFunc(doc.Events, func(e journal.Event) bool { return e.Kind == journal.Started }) {
		return err
	}
	err = gitIn(ctx, q.Checkout.Repo.Unbound(dir), "-c", "advice.diverging=false", "merge", "-q", "--ff-only",
		"--no-autostash", "refs/heads/"+p.Base)
	if err != nil {
		return fault.New(fault.ErrMovedBranch, "it cannot start from %s: %v (git rebase %s %s)", p.Base, err, p.Base, p.Branch)
	}
	return nil
}

func gitIn(ctx context.Context, r *git.Repo, args ...string) error {
	return r.Run(ctx, git.Command{Args: args, Writes: true})
}

// PlanOf returns the plan of a branch of the repository.
func PlanOf(c *checkout.Checkout, branch string) (QueuedPlan, bool) {
	id, ok := c.Config.Get(integrity.PlanKey(branch))
	return QueuedPlan{Branch: branch, ID: id}, ok && id != ""
}

// WaitingPlans returns the approved plans with an open step or a goal to pursue, each after the plan of its base.
func WaitingPlans(ctx context.Context, c *checkout.Checkout) (out []QueuedPlan, err error) {
	listed, err := c.Plans(ctx)
	of := map[string]checkout.Listed{} // by branch
	for _, l := range listed {
		if l.Unattached == "" && l.Branch != checkout.UnknownBranch {
			of[l.Branch] = l
		}
	}
	added := map[string]bool{}
	var add func(l checkout.Listed)
	add = func(l checkout.Listed) {
		if added[l.Branch] {
			return
		}
		added[l.Branch] = true
		p := QueuedPlan{Branch: l.Branch, ID: l.ID}
		if base, ok := of[l.Base]; ok && l.Base != l.Branch {
			p.Base = l.Base
			add(base)
		}
		out = append(out, p)
	}
	for _, l := range listed {
		waits := l.State == "open"
		if l.State == "done" && l.Pursues { // a kill may have ended its run before the review
			doc, err := c.Store.Load(ctx, l.ID)
			waits = err == nil && doc.Newest().Kind != journal.Reviewed
		}
		if waits && of[l.Branch].ID == l.ID {
			add(l)
		}
	}
	return out, err
}
