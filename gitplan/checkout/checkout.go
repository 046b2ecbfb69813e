package checkout

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/progress"
	"github.com/git-plan/git-plan/gitplan/prompt"
	"github.com/git-plan/git-plan/gitplan/sandbox"
	"github.com/git-plan/git-plan/gitplan/settings"
	"github.com/git-plan/git-plan/gitplan/setup"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// Checkout is one work tree at one branch, with the plan of that branch: what
// every command works on.
type Checkout struct {
	Repo   *git.Repo
	Config *settings.Config
	Store  *journal.Store
	Branch string // short name; empty when HEAD is detached

	Prompts prompt.Prompts // of the repository or the configuration, where these have their own

	Doc      *journal.Document // nil where the branch has no plan
	Progress *progress.Progress
	Walked   []git.Commit // of the branch since the plan's start, newest first
	Sandbox  *sandbox.Sandbox
	filters  *once // see guarded
}

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
	repo.Guard = c.guarded
	repo.Moving = func(ref, new, old string) error { return setup.NoteMove(repo, ref, new, old) }
	return c, nil
}

// Outside is a checkout of no repository: git itself and its configuration for
// every repository. Only Examine works there.
func Outside(ctx context.Context) (*Checkout, error) {
	repo, config, err := git.Outside(ctx)
	if err != nil {
		return nil, err
	}
	c := settings.New(config)
	return &Checkout{Repo: repo, Config: c, Sandbox: sandbox.Of(repo, c)}, nil
}

// guarded is asked before each git that may run what is configured.
func (c *Checkout) guarded(ctx context.Context) error {
	if err := setup.Guard(ctx, c.Repo); err != nil {
		return err
	}
	c.filters.Do(func() {
		id, _ := c.Bound()
		clone, _, _ := ClonePlace(c.Repo, id)
		c.filters.err = c.Sandbox.ConfineFilters(ctx, clone)
	})
	return c.filters.err
}

// once is what is done once, and how that went.
type once struct {
	sync.Once
	err error
}

// Close ends what was kept open.
func (c *Checkout) Close() {
	c.Sandbox.Close()
	c.Repo.Close()
}

// PlanID is the id of the plan attached to the branch, if there is one. A key that
// names a plan which is gone is none.
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

// Bound is what the branch's key says, whether there is such a plan or not.
func (c *Checkout) Bound() (id string, ok bool) {
	if c.Branch == "" {
		return "", false
	}
	return c.Config.Get(setup.PlanKey(c.Branch))
}

// Load reads the branch's plan and derives what is done. ErrNoPlan says that
// there is none.
func (c *Checkout) Load(ctx context.Context) error {
	id, ok := c.PlanID(ctx)
	if !ok {
		if err := c.UnderWay(); c.Branch == "" && err != nil {
			return err
		}
		if c.Branch == "" {
			return fault.New(fault.ErrDetached, "HEAD is detached, so no branch's plan is meant")
		}
		return c.adopt(ctx)
	}
	doc, err := c.Store.Load(ctx, id)
	if err != nil {
		return err
	}
	if err := c.claim(ctx, doc); err != nil {
		return err
	}
	c.Doc = doc
	return c.Derive(ctx)
}

// Derive computes the progress anew from the plan's events and the branch's
// commits, by one walk of start..HEAD.
func (c *Checkout) Derive(ctx context.Context) error {
	commits, err := c.commits(ctx)
	if err != nil {
		return err
	}
	c.Walked = commits
	c.Progress = progress.Of(ctx, c.Store, c.Doc, commits)
	c.nameLast(ctx)
	if h, ok := journal.Working(c.Repo, c.Doc.ID); ok && h.PID != os.Getpid() { // we know what we do
		c.Progress.Mark(h.Step, progress.StateRunning)
	}
	if step, ok := c.OpenByNext(); ok {
		c.Progress.Mark(step, progress.StateRunning)
	}
	return nil
}

// nameLast names the commits that are gone by what the branch had of each step
// last: an amend or a rebase has given them other names than the events know.
func (c *Checkout) nameLast(ctx context.Context) {
	gone := map[string]progress.StepState{}
	for id, st := range c.Progress.Steps {
		if st.State == progress.StateReopened && st.Reason == progress.IsGone {
			gone[id] = st
		}
	}
	if len(gone) == 0 || c.Branch == "" {
		return
	}
	had, _ := c.Repo.Log(ctx, "--walk-reflogs", "-n", "200", "refs/heads/"+c.Branch) // none where no log is kept
	rewritten := progress.Rewrites(c.Doc.Events)
	for id, st := range gone {
		for _, commit := range had {
			if NamesStep(commit.Message, c.Doc.ID, id) || progress.Fold(rewritten[commit.OID])[id] {
				st.Commit = commit.OID
				c.Progress.Steps[id] = st
				break
			}
		}
	}
	c.notPulled(ctx, gone)
}

// notPulled finds the steps whose commits are on the branch's upstream, or on the
// remote's branch of its name: they were done in another clone, or are there still.
// So was one whose commit is not even in this clone, which keeps what it had for months.
func (c *Checkout) notPulled(ctx context.Context, gone map[string]progress.StepState) {
	type source struct{ ref, pull string }
	var sources []source
	if remote, err := c.Remote("", false); err == nil {
		sources = append(sources, source{"refs/remotes/" + remote + "/" + c.Branch, "git pull " + visible.Shell(remote) + " " + visible.Shell(c.Branch)})
	}
	if _, ok := c.Config.Get("branch." + c.Branch + ".merge"); ok {
		upstream, _ := c.Repo.Output(ctx, "for-each-ref", "--format=%(upstream)", "refs/heads/"+c.Branch)
		sources = append(sources, source{upstream, "git pull"}) // the last has the last word
	}
	for _, from := range sources {
		there, _ := c.Repo.Log(ctx, "--ignore-missing", "-n", "5000", from.ref, "--not", "HEAD")
		for id, st := range gone {
			for _, commit := range there {
				if commit.OID == st.Last.Head || NamesStep(commit.Message, c.Doc.ID, id) {
					st.Commit, st.Pull = commit.OID, from.pull
					st.Reason = "is on " + strings.TrimPrefix(strings.TrimPrefix(from.ref, "refs/remotes/"), "refs/heads/") + ", not here"
					c.Progress.Steps[id] = st
					break
				}
			}
		}
	}
	for id := range gone {
		st := c.Progress.Steps[id]
		if _, err := c.Repo.Resolve(ctx, st.Commit+"^{commit}"); st.Pull == "" && len(sources) > 0 && errors.Is(err, git.ErrMissing) {
			st.Pull, st.Reason = sources[len(sources)-1].pull, "is not in this clone"
			c.Progress.Steps[id] = st
		}
	}
}

// commits are those of the branch since the plan's start.
func (c *Checkout) commits(ctx context.Context) ([]git.Commit, error) {
	head, err := c.Repo.Resolve(ctx, "HEAD^{commit}")
	if errors.Is(err, git.ErrMissing) {
		return nil, nil // unborn
	}
	if err != nil {
		return nil, err
	}
	return progress.Since(ctx, c.Store, c.Doc, head)
}

// OpenByNext is the step that a person opened with `git plan next`.
func (c *Checkout) OpenByNext() (step string, ok bool) {
	for id, e := range progress.LastEvents(c.Doc.Events) {
		if e.Kind == journal.Started && e.By == journal.ByPerson {
			return id, true
		}
	}
	return "", false
}

// LoadFor reads the named plan, whatever the branch; without a name, the plan
// of the branch, or, during a bisect, of the branch where it began.
func (c *Checkout) LoadFor(ctx context.Context, id string) error {
	if id == "" && c.Branch == "" {
		if began, err := os.ReadFile(filepath.Join(c.Repo.GitDir, "BISECT_START")); err == nil {
			c.Branch = strings.TrimPrefix(strings.TrimSpace(string(began)), "refs/heads/")
		}
	}
	if id == "" {
		return c.Load(ctx)
	}
	doc, err := c.Store.Load(ctx, id)
	if err != nil {
		return err
	}
	c.Doc = doc
	return c.Derive(ctx)
}

// Attached are the plans that the branches of this repository have, by branch.
func (c *Checkout) Attached() map[string]string {
	out := map[string]string{}
	for _, branch := range c.Config.Git.Subsections("branch", "plan") {
		if id, ok := c.Config.Get(setup.PlanKey(branch)); ok && id != "" {
			out[branch] = id
		}
	}
	return out
}
