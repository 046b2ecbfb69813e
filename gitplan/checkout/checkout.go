package checkout

import (
	"cmp"
	"context"
	"errors"
	"sync"

	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/progress"
	"github.com/git-plan/git-plan/gitplan/prompt"
	"github.com/git-plan/git-plan/gitplan/sandbox"
	"github.com/git-plan/git-plan/gitplan/settings"
	"github.com/git-plan/git-plan/gitplan/setup"
)

// Checkout is one work tree at one branch, with the plan of that branch: what
// every command works on.
type Checkout struct {
	Repo   *git.Repo
	Config *settings.Config
	Store  *journal.Store
	Branch string // short name; empty when HEAD is detached

	Prompts prompt.Prompts // the repository's own, see ReadProposals

	// Slot is the name of one of several places in which sessions work at once at the steps of the
	// plan, see Beside; "" is the only one there is else.
	Slot string

	Doc      *journal.Document // nil if no plan is loaded
	Progress *progress.Progress
	Walked   []git.Commit // of the branch since the plan's start, newest first
	Sandbox  *sandbox.Sandbox
	filters  *once // see readyToRun

	walkedFor string // the id of the plan at whose start Walked ends
	rev       string // see Rev
}

// Rev is what is looked at: HEAD, or the branch that LoadBranch was given.
func (c *Checkout) Rev() string { return cmp.Or(c.rev, "HEAD") }

// Open finds the repository, its configuration and the branch. It reads no
// plan yet.
func Open(ctx context.Context) (*Checkout, error) {
	repo, config, err := setup.OpenHere(ctx)
	if err != nil {
		return nil, err
	}
	branch, err := repo.Branch(ctx)
	if err != nil {
		repo.Close()
		return nil, err
	}
	c := &Checkout{Repo: repo, Store: journal.NewStore(repo), Config: settings.New(config), Branch: branch, filters: &once{}}
	c.Sandbox = sandbox.Of(repo, c.Config)
	repo.Trusted = c.readyToRun
	repo.Moving = func(ref, new, old string) error { return setup.NoteMove(repo, ref, new, old) }
	return c, nil
}

// Outside returns a checkout without a repository: it has git itself, and the configuration
// for every repository. It is enough for doctor.Examine only.
func Outside(ctx context.Context) (*Checkout, error) {
	repo, config, err := git.Outside(ctx)
	if err != nil {
		return nil, err
	}
	c := settings.New(config)
	return &Checkout{Repo: repo, Config: c, Sandbox: sandbox.Of(repo, c)}, nil
}

// readyToRun is called before each git that may run what is configured. It refuses that after a
// session that changed the set-up, and confines the filters that are configured.
func (c *Checkout) readyToRun(ctx context.Context) error {
	if err := setup.Trusted(ctx, c.Repo); err != nil {
		return err
	}
	c.filters.Do(func() {
		id, _ := c.Bound()
		clone, _, _ := ClonePlace(c.Repo, id, c.Slot)
		c.filters.err = c.Sandbox.ConfineFilters(ctx, clone)
	})
	return c.filters.err
}

// once keeps the error of what is done once.
type once struct {
	sync.Once
	err error
}

// Close closes what was kept open.
func (c *Checkout) Close() {
	c.Sandbox.Close()
	c.Repo.Close()
}

// PlanID returns the id of the plan that is attached to the branch. ok is false if there is
// none, or if the plan is gone.
func (c *Checkout) PlanID(ctx context.Context) (string, bool) {
	id, ok := c.Bound()
	if !ok {
		return "", false
	}
	if _, err := c.Repo.Resolve(ctx, journal.RefPrefix+id); errors.Is(err, git.ErrMissing) {
		return "", false
	}
	return id, true
}

// Bound returns the id that the branch's key has, whether there is such a plan or not.
func (c *Checkout) Bound() (id string, ok bool) {
	if c.Branch == "" {
		return "", false
	}
	return c.Config.Get(setup.PlanKey(c.Branch))
}

// Attached returns the ids of plans that branches of this repository have, by branch.
func (c *Checkout) Attached() map[string]string {
	out := map[string]string{}
	for _, branch := range c.Config.Git.Subsections("branch", "plan") {
		if id, ok := c.Config.Get(setup.PlanKey(branch)); ok && id != "" {
			out[branch] = id
		}
	}
	return out
}
