package checkout

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/disk"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/gitplan/integrity"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/progress"
	"github.com/git-plan/git-plan/gitplan/prompt"
	"github.com/git-plan/git-plan/gitplan/sandbox"
	"github.com/git-plan/git-plan/gitplan/settings"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// Checkout is one work tree at one branch, with the plan of that branch: what every command works on.
type Checkout struct {
	Repo   *git.Repo
	Config *settings.Config
	Store  *journal.Store
	Branch string // short name; empty when HEAD is detached

	Prompts prompt.Prompts // the repository's own, see ReadProposals

	// Slot names one of several sessions that work at once, see InSlot; "" without those.
	Slot  string
	Clone *worktree.Made // of the task before, whose files the next one may go on with

	Doc      *journal.Document // nil if no plan is loaded
	Progress *progress.Progress
	Walked   []git.Commit // of the branch since the plan's start, newest first
	Sandbox  *sandbox.Sandbox

	walkedFor string // the id of the plan at whose start Walked ends
	rev       string // see Rev
}

// Rev is the revision to read: HEAD, or a branch that is not checked out, see LoadElsewhere and LoadToRead.
func (c *Checkout) Rev() string { return cmp.Or(c.rev, "HEAD") }

// Loaded returns the id of the plan that is loaded; "" without one.
func (c *Checkout) Loaded() string {
	if c.Doc == nil {
		return ""
	}
	return c.Doc.ID
}

// Open finds the repository, its configuration and the branch, and reads no plan yet.
func Open(ctx context.Context) (*Checkout, error) {
	repo, config, err := integrity.OpenHere(ctx)
	if err != nil {
		return nil, err
	}
	branch, err := repo.Branch(ctx)
	if err != nil {
		repo.Close()
		return nil, err
	}
	c := &Checkout{Repo: repo, Store: journal.NewStore(repo), Config: settings.New(config), Branch: branch}
	c.Sandbox = sandbox.Of(repo, c.Config)
	repo.Trusted = c.readyToRun
	return c, nil
}

// Outside returns a checkout without a repository, with the configuration for every repository; it is for doctor.
func Outside(ctx context.Context) (*Checkout, error) {
	repo, config, err := git.Outside(ctx)
	if err != nil {
		return nil, err
	}
	c := settings.New(config)
	return &Checkout{Repo: repo, Config: c, Sandbox: sandbox.Of(repo, c)}, nil
}

// readyToRun refuses a git of r that may run what a session configured, and confines its filters.
func (c *Checkout) readyToRun(ctx context.Context, r *git.Repo) error {
	if err := integrity.Trusted(ctx, c.Repo); err != nil {
		return err
	}
	return r.ConfinedOnce(func() error {
		id, _ := c.Bound()
		clone, _, _ := TaskIn(c.Repo, id, c.Slot).Clone()
		return c.Sandbox.ConfineFilters(ctx, r, clone)
	})
}

// Close closes what was kept open.
func (c *Checkout) Close() {
	c.Sandbox.Close()
	c.Repo.Close()
}

// PlanID returns the id of the plan that is attached to the branch, if that plan exists.
func (c *Checkout) PlanID(ctx context.Context) (string, bool) {
	if id, ok := c.Bound(); ok {
		if _, err := c.Repo.Resolve(ctx, journal.RefPrefix+id); !errors.Is(err, git.ErrMissing) {
			return id, true
		}
	}
	return "", false
}

// Bound returns the id that the branch's key has, whether there is such a plan or not.
func (c *Checkout) Bound() (id string, ok bool) {
	if c.Branch == "" {
		return "", false
	}
	return c.Config.Get(integrity.PlanKey(c.Branch))
}

// Attached returns the ids of plans that branches of this repository have, by branch.
func (c *Checkout) Attached() map[string]string {
	out := map[string]string{}
	for _, branch := range c.Config.Git.Subsections("branch", "plan") {
		if id, ok := c.Config.Get(integrity.PlanKey(branch)); ok && id != "" {
			out[branch] = id
		}
	}
	return out
}

// InSlot returns another view of this work tree and its plan, for one of several sessions at once. Close it.
func (c *Checkout) InSlot(ctx context.Context, slot string) (*Checkout, error) {
	repo := c.Repo.Clone()
	b := &Checkout{Repo: repo, Config: c.Config, Store: c.Store.WithRepo(repo), Branch: c.Branch, Slot: slot, Prompts: c.Prompts}
	b.Sandbox = sandbox.Of(repo, c.Config)
	repo.Trusted = b.readyToRun
	Follow(b, c)
	if err := b.Renew(ctx); err != nil {
		b.Close()
		return nil, err
	}
	return b, nil
}

// Follow has c take over what another view of the work tree has read; Renew goes on from there.
func Follow(c, of *Checkout) {
	doc := *of.Doc
	c.Doc, c.Progress, c.Walked, c.walkedFor = &doc, of.Progress, of.Walked, of.walkedFor
}

// Slots returns the slots of a plan in which a session works, or worked when git plan was killed.
func Slots(r *git.Repo, plan string) (out []string) {
	notes, _ := os.ReadDir(journal.NotesWithin(r, tasks).Dir)
	folders, _ := os.ReadDir(filepath.Dir(r.PlanDir(plan)))
	for _, e := range append(notes, folders...) {
		name, note := strings.CutSuffix(e.Name(), journal.NoteExt)
		_, err := os.Stat(r.PlanDir(name, "clone")) // it may be half made, without a note
		if of, slot := integrity.OfSlot(name); (note || err == nil) && of == plan && slot != "" {
			out = append(out, slot)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Throwaway clones the repository at a commit, if any, into a new folder until remove, where no session can write.
func Throwaway(ctx context.Context, r *git.Repo, commit, name string) (dir string, remove func(), err error) {
	state, err := journal.StateFolder()
	if err != nil {
		return "", nil, err
	}
	parent, remove, err := disk.TempFolderIn(filepath.Join(state, "git-plan", "clones"), "clone")
	if err != nil {
		return "", nil, err
	}
	if dir = filepath.Join(parent, name); commit == "" {
		err = os.Mkdir(dir, 0o700)
	} else {
		err = worktree.CloneAt(ctx, r, dir, commit)
	}
	if err != nil {
		remove()
	}
	return dir, remove, err
}

// installs lists the folders that package managers fill, the file that says with what, and the command that does it.
var installs = []struct{ folder, lock, command string }{
	{"node_modules", "package-lock.json", "npm ci"},
	{"node_modules", "pnpm-lock.yaml", "pnpm install --frozen-lockfile"},
	{"node_modules", "yarn.lock", "yarn install --immutable"},
	{"vendor", "composer.lock", "composer install"},
	{".venv", "uv.lock", "uv sync"},
	{".venv", "poetry.lock", "python3 -m venv .venv && poetry install"},
	{".venv", "requirements.txt", "python3 -m venv .venv && .venv/bin/pip install -r requirements.txt"},
}

// CloneSetup returns a folder of packages that clones lack, and the command that makes it; "" with plan.worktreeSetup.
func CloneSetup(ctx context.Context, c *Checkout) (lacks, command string) {
	if c.Config.String("plan.worktreeSetup") != "" {
		return "", ""
	}
	tracked := worktree.Tracked(ctx, c.Repo)
	for _, i := range installs {
		info, err := os.Stat(filepath.Join(c.Repo.Top, i.folder))
		below := func(p string) bool { return strings.HasPrefix(p, i.folder+"/") }
		if err == nil && info.IsDir() && slices.Contains(tracked, i.lock) && !slices.ContainsFunc(tracked, below) {
			return i.folder, i.command
		}
	}
	return "", ""
}

// ReadProposals takes settings and prompts from .gitplan of the base: a branch cannot change its own rules.
func (c *Checkout) ReadProposals(ctx context.Context, base string) (warnings []string, err error) {
	if base == "" {
		return nil, nil
	}
	if folder, err := c.Repo.Read(ctx, base+":.gitplan"); err != nil || folder.Type != "tree" {
		return nil, nil
	}
	warnings = readConfig(ctx, c, base)
	own := map[agent.Role]string{}
	for _, role := range prompt.Worded() {
		name := prompt.PromptFolder + "/" + string(role) + ".md"
		o, err := c.Repo.Read(ctx, base+":"+name)
		if err != nil || o.Type != "blob" {
			continue
		}
		own[role] = strings.ReplaceAll(string(o.Data), "\r\n", "\n")
		if err := prompt.CheckTemplate(role, own[role]); err != nil {
			return warnings, fault.New(fault.ErrTemplate, "%s of %s, %v", name, base, err)
		}
	}
	c.Prompts = own
	return warnings, nil
}

func readConfig(ctx context.Context, c *Checkout, base string) (warnings []string) {
	o, err := c.Repo.Read(ctx, base+":"+settings.RepositoryConfig)
	if err != nil || o.Type != "blob" {
		return nil
	}
	out, err := c.Repo.Capture(ctx, git.Command{Args: []string{"config", "--file", "-", "--no-includes", "--list", "-z"},
		Stdin: bytes.NewReader(o.Data)})
	if err != nil {
		return []string{fmt.Sprintf("%s of %s is not a valid configuration: %v", settings.RepositoryConfig,
			visible.OneLine(base, 100), err)}
	}
	proposed := map[string]string{}
	for _, entry := range git.Names(out) {
		key, value, _ := strings.Cut(entry, "\n")
		if why := settings.Refused(key, value); why != "" {
			warnings = append(warnings, fmt.Sprintf("%s: %s is ignored: %s", settings.RepositoryConfig, visible.OneLine(key, 100), why))
			continue
		}
		proposed[key] = value
	}
	c.Config.Proposed = proposed
	return warnings
}

// Template returns a template of a plan: one of the repository, from the base commit, or a built-in one. ErrNoTemplate.
func (c *Checkout) Template(ctx context.Context, base, kind string) (string, error) {
	kind = cmp.Or(kind, prompt.PlainTemplate)
	if base != "" && !strings.ContainsAny(kind, "/\\:\x00") {
		if o, err := c.Repo.Read(ctx, base+":"+prompt.TemplateFolder+"/"+kind+".md"); err == nil && o.Type == "blob" &&
			len(o.Data) <= prompt.MaxTemplate {
			return string(o.Data), nil
		}
	}
	if text, ok := prompt.PlanTemplate(kind); ok {
		return text, nil
	}
	return "", fault.New(fault.ErrNoTemplate, "there is no template %s; the built-in templates are %s", kind,
		strings.Join(prompt.PlanTemplates(), ", "))
}

// StepPrompt returns what writes the prompts of a step; instructions are read now, before a session changes them.
func (c *Checkout) StepPrompt(ctx context.Context, step *plan.Step) func(prompt.Attempt) agent.Prompt {
	own, _ := prompt.Instructions(c.Repo.Top, prompt.MaxInstructions)
	const perToken = 0.5 // bytes of the map for each token of the model's context: a seventh of it
	room := int(perToken * float64(c.Config.Window(agent.Executor)))
	return func(try prompt.Attempt) agent.Prompt {
		if try.Dir != "" {
			try.Code = prompt.MapFor(ctx, c.Repo, try.Dir, step, room)
		}
		return c.Prompts.Step(c.Doc.Plan, c.Progress, step, try, own, prompt.Budget)
	}
}
