package place

import (
	"context"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/confine"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/gitplan/place/persons"
	"github.com/git-plan/git-plan/gitplan/place/unseen"
	"github.com/git-plan/git-plan/gitplan/setup"
	"github.com/git-plan/git-plan/gitplan/site"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// Place is where the sessions and checks of one task work, and everything that they must
// leave as it was.
type Place struct {
	*site.Site
	Before *worktree.Status // the tree when the task began: clean but for untracked files

	isolation isolation
	own       checkout.InProgress // what was there then and is the person's, and how far the task has come
	ledger    unseen.Ledger       // who wrote what since then, as far as git does not say it
	onto      string              // the commit below the one that ends the task
	began     time.Time           // by the clock of the file system
	change    Changeset           // the one that was asked for last
	sighted   *worktree.Status    // the last one that look returned

	// Of the session at work, or the last one:
	index *worktree.Index // as it was before; nil if a person works by hand
	seen  persons.Seen    // the person's files as they were after the last session
}

// isolation is what differs between the work tree and what takes its place. Each kind has a file; a
// configuration names it (Enter), or the note of a task that was killed (noted).
type isolation interface {
	// repo has the files: the repository itself, or one with a HEAD, an index and objects of its own.
	repo() *git.Repo
	// name is in the note of the task; "" is the work tree.
	name() string
	// lasts reports whether the next task finds what is left here.
	lasts() bool
	// scene adds the part of the set-up that is here.
	scene(at *setup.Scene)
	// confine adds what programs that work in dir may do.
	confine(c *confine.Bounds, dir string)

	// agent returns what holds the sessions of an agent here.
	agent(p *Place, a agent.Agent, role agent.Role) agent.Agent
	// moved returns an error if these are no longer the files that a session was given.
	moved(before setup.Setup) error
	// strayed says how HEAD is somewhere a session may not leave it; "" if it is not.
	strayed(ctx context.Context, p *Place, s *worktree.Status) (string, error)
	// fold takes what the session committed itself back into the index.
	fold(ctx context.Context, p *Place, s *worktree.Status) (*Leftover, error)
	// forgive takes commits that a check made for what was there before the session.
	forgive(commits []git.Commit)
	// rebase puts a tree that passed on top of a commit to which the branch has moved, or reports
	// that it cannot here.
	rebase(ctx context.Context, p *Place, before setup.Setup, tree, head string) (fits bool, err error)
	// land brings a tree that passed into the work tree, and calls commit there.
	land(ctx context.Context, p *Place, tree string, out *Ending, commit func() error) error

	// finish is land after a crash.
	finish(ctx context.Context, p *Place, name, tree string, out *Ending, commit func() error) error
	// keepLeft keeps what a crash left here of a task that began at a commit, or at None.
	keepLeft(ctx context.Context, p *Place, name, began string) (kept string, err error)
}

// Dirty returns the error of a tree that must be clean.
func Dirty(s *worktree.Status) error {
	if unmerged := s.Unmerged(); len(unmerged) > 0 {
		return fault.New(fault.ErrUnmerged, "not merged: %s", visible.Few(unmerged))
	}
	return fault.New(fault.ErrDirty, "not committed: %s", visible.Few(s.Paths()))
}

// Tree returns the repository with the files with which sessions and checks work.
func (p *Place) Tree() *git.Repo { return p.isolation.repo() }

// Apart reports whether only sessions and checks work here, not a person too.
func (p *Place) Apart() bool { return !p.isolation.lasts() }

// Scene returns the place as far as its set-up goes.
func (p *Place) Scene() setup.Scene {
	at := p.Site.Scene()
	p.isolation.scene(&at)
	return at
}

// Dir returns the folder in which sessions and checks work.
func (p *Place) Dir() string { return p.Tree().Top }

// ConfineSession returns what the commands of a session may do; nil if nothing confines them.
func (p *Place) ConfineSession(ctx context.Context, a agent.Agent, s agent.Session) (*confine.Bounds, error) {
	c, err := p.Site.ConfineSession(ctx, a, s)
	if c != nil {
		p.isolation.confine(c, s.Dir)
	}
	return c, err
}

// Agent returns what holds the sessions of an agent here: the agent itself, or one that has them run
// elsewhere.
func (p *Place) Agent(a agent.Agent, role agent.Role) agent.Agent {
	return p.isolation.agent(p, a, role)
}

// Begin remembers, before a session at the task, what it must leave alone.
func (p *Place) Begin(ctx context.Context, task, session string) (watch *site.Watch, err error) {
	watch = p.Watch(p.Scene())
	if err := watch.Session(ctx, task, session, p.Before.Head); err != nil {
		return nil, err
	}
	if p.index, err = worktree.OpenIndex(p.Tree()); err != nil {
		watch.Remove()
		return nil, err
	}
	p.ledger.Since = time.Time{}
	return watch, nil
}

// Session returns the id of the last session here; "" if there was none.
func (p *Place) Session() string { return p.own.Session }
