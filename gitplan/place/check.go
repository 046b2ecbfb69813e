package place

import (
	"context"
	"errors"

	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/place/unseen"
	"github.com/git-plan/git-plan/gitplan/site"
)

// Check runs commands that judge the work of a session: in its environment and
// sandbox, since they run what it wrote. keep, which may be nil, gets what they printed.
func (p *Place) Check(ctx context.Context, name string, of journal.Notice, commands []string, keep site.Keep) error {
	if len(commands) == 0 {
		return nil
	}
	c, err := p.checks(ctx, name, of)
	if err != nil {
		return err
	}
	c.Keep = keep
	return c.Run(ctx, commands)
}

func (p *Place) checks(ctx context.Context, name string, of journal.Notice) (c site.Checks, err error) {
	c = p.Checks(name, of, p.Config.Environment(nil))
	if p.own.Session != "" { // this marks whatever it commits as not the person's
		c.Env = append(c.Env, site.InReflog(p.own.Session))
	}
	c.Dir = p.Dir()
	if c.Confine, err = p.Confine(ctx, c.Dir); c.Confine != nil {
		p.isolation.confine(c.Confine, c.Dir)
	}
	return c, err
}

// TryInside runs checks while the session is still there, on what a commit will have, and returns
// the tree that passed: if the same is to be committed later, they need not run again. What the
// checks themselves wrote is not the session's work. If the set-up changed, no git is run, and
// the session may end: InPlace judges that.
func (p *Place) TryInside(ctx context.Context, watch *site.Watch, t Asked, run func(context.Context) error) (passed string, err error) {
	if err := watch.Unchanged(ctx); err != nil {
		return "", nil
	}
	before, err := p.look(ctx)
	if barred := p.barred(before, err); barred != "" {
		return "", errors.New(barred)
	}
	if err != nil {
		return "", err
	}
	idle := (&Leftover{Status: before, Added: p.added(before)}).Empty()
	if idle {
		p.unseenLook().NoteHidden(before)
	}
	if err := p.judgedAsCommitted(ctx, t, before, run); err != nil {
		return "", err
	}
	if err := watch.Unchanged(ctx); err != nil {
		return "", nil
	}
	after, err := p.look(ctx)
	if err != nil {
		return "", err
	}
	added := p.ledger.WithoutByproducts(p.added(before), p.added(after))
	p.ledger.WithoutByproducts(p.inside(before), p.inside(after))
	p.ledger.Checked(before, after)
	if idle {
		p.ledger.Since = p.Now().Add(1) // what the check wrote is not the session's work
	}
	if after.Head != p.Before.Head {
		return "", nil
	}
	return worktree.Snapshot(ctx, p.Tree(), append(after.Unstaged(), added...))
}

// Try runs checks on what a commit will have, then checks that everything is in its place, and
// marks out failed if not. It returns the paths that a commit takes. Files that a check
// itself adds are not among them, but its changes of tracked files count: many checks format.
// failure is that of the checks.
func (p *Place) Try(ctx context.Context, watch *site.Watch, name string, t Asked, left *Leftover, out *Ending, run func(context.Context) error) (paths []string, failure, err error) {
	failure = p.judgedAsCommitted(ctx, t, left.Status, run)
	if ctx.Err() != nil {
		return nil, nil, failure
	}
	after, err := p.InPlace(context.WithoutCancel(ctx), name, watch, out)
	if err != nil || after == nil {
		return nil, nil, err
	}
	added := p.ledger.WithoutByproducts(left.Added, after.Added)
	p.ledger.WithoutByproducts(p.inside(left.Status), p.inside(after.Status))
	p.ledger.Checked(left.Status, after.Status)
	return append(after.Status.Unstaged(), added...), failure, nil
}

// judgedAsCommitted has checks run on what a commit will have of a session's work.
func (p *Place) judgedAsCommitted(ctx context.Context, t Asked, s *worktree.Status, run func(context.Context) error) error {
	if !t.Session {
		return run(ctx)
	}
	return p.unseenLook().AsCommitted(ctx, unseen.Judged{Status: s, Named: Asked{Checks: t.Checks}.names(), Began: p.began, Config: p.Config.Git, Note: func(aside []string) error {
		if p.own.Aside = aside; len(aside) == 0 { // each later note says so
			return nil
		}
		return p.noteProgress()
	}}, run)
}

// inside returns the submodules in which a session left something uncommitted.
func (p *Place) inside(s *worktree.Status) []string { return p.unseenLook().Inside(p.Before, s) }

// LookAgain looks at what is left after a commit hook has changed it.
func (p *Place) LookAgain(ctx context.Context, left *Leftover) (err error) {
	if left.Status, err = p.look(ctx); err == nil {
		left.Added = p.added(left.Status)
	}
	return err
}
