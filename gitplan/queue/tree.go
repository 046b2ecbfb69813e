package queue

import (
	"context"
	"errors"
	"os"
	"strings"

	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/git"
)

// place is the work tree in which a plan runs.
type place struct {
	dir  string
	made bool // by a queue, which removes it
}

// tree returns the work tree that has a plan's branch, after making one if none has.
func (q *Queue) tree(ctx context.Context, p Plan) (place, error) {
	r := q.Checkout.Repo
	own := r.PlanDir(p.ID, "tree")
	if q.Checkout.Branch == p.Branch && r.Top != "" {
		return place{dir: r.Top, made: same(r.Top, own)}, nil
	}
	at, err := q.checkedOut(ctx, p.Branch)
	if err != nil {
		return place{}, err
	}
	if at != "" && !same(at, own) {
		return place{dir: at}, nil
	}
	_, missing := os.Stat(own)
	switch {
	case at != "" && missing == nil: // of a queue that was killed, or left something in it
		return place{own, true}, nil
	case at != "": // git still lists a folder that is gone
		if err := q.git(ctx, "worktree", "remove", "--force", own); err != nil {
			return place{}, err
		}
	}
	err = q.git(ctx, "worktree", "add", "-q", own, p.Branch)
	if err != nil {
		return place{}, fault.New(fault.ErrBusy, "no work tree can be made for %s: %v", p.Branch, err)
	}
	return place{own, true}, nil
}

// checkedOut returns the work tree that has a branch; "" if none has.
func (q *Queue) checkedOut(ctx context.Context, branch string) (string, error) {
	trees, err := q.Checkout.Repo.Trees(ctx)
	for _, t := range trees {
		if t.Branch == branch {
			return t.Dir, err
		}
	}
	return "", err
}

// removed removes a work tree that was made for a run, and reports whether it is gone. It stays
// if git finds something in it that is not committed, or if its run did not come to its own end:
// the next run needs what is noted there.
func (q *Queue) removed(ctx context.Context, dir string, code int) bool {
	return code != busy && !killed(code) && q.git(ctx, "worktree", "remove", dir) == nil
}

// Exit codes of git plan run: the plan is worked on elsewhere, and what a signal asked for was done.
const (
	busy        = 5
	interrupted = 128 + 2
	terminated  = 128 + 15
)

// killed reports whether a signal ended a run before it could settle what it had begun.
func killed(code int) bool { return code > 128 && code != interrupted && code != terminated }

func (q *Queue) git(ctx context.Context, args ...string) error {
	err := q.Checkout.Repo.Run(ctx, git.Command{Args: args, Writes: true})
	var failed *git.Error
	if errors.As(err, &failed) && failed.Stderr != "" {
		return errors.New(strings.TrimSpace(failed.Stderr))
	}
	return err
}

func same(a, b string) bool {
	x, err := os.Stat(a)
	y, err2 := os.Stat(b)
	return a == b || err == nil && err2 == nil && os.SameFile(x, y)
}
