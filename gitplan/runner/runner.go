package runner

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"sync"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/agent/cli"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/disk"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/gitplan/integrity"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/gitplan/sandbox"
)

// Runner runs things in a checkout; all tasks of one command share it.
type Runner struct {
	Checkout *checkout.Checkout
	On       func(journal.Notice)     // may be nil; never called twice at once
	Mask     func(text string) string // takes secrets out of what sessions, checks and hooks print: secret.Mask, or nil

	Found     []worktree.RawFile // the files without a commit that the last task found in the work tree, for the next one
	FoundTree string             // the tree that keeps Found
	Began     time.Time          // the start of the first session or check of all tasks, by Now; zero before it

	mu       sync.Mutex
	shared   *shared           // made by common
	refs     map[string]string // the result of Refs, valid while refFiles are the same
	refFiles map[string]fs.FileInfo
}

// shared is what runners share whose tasks are at work at the same time.
type shared struct {
	reporting sync.Mutex
	reported  sync.Map   // the names given to Once
	checking  sync.Mutex // guards the record of results

	choosing   sync.Once // sets the two below
	sandbox    sandbox.InForce
	sandboxErr error

	holding sync.Mutex // guards the two below
	holders int        // callers of LockPlan that have not released it
	held    io.Closer  // the lock of the plan's text, nil without holders
}

func (r *Runner) common() *shared {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.shared = cmp.Or(r.shared, &shared{})
	return r.shared
}

// ForCheckout returns the runner of another checkout of the same work tree, for a task that runs in parallel with
// those of s: they lock the plan together, and their notices come one at a time.
func (r *Runner) ForCheckout(c *checkout.Checkout) *Runner {
	return &Runner{Checkout: c, On: r.On, Mask: r.Mask, shared: r.common()}
}

// Now returns the time by the clock of the repository's file system, a little behind; zero if unknown.
func (r *Runner) Now() (at time.Time) {
	f, err := os.CreateTemp(r.Checkout.Repo.GitDir, "plan-now-")
	if err != nil {
		return at
	}
	defer f.Close()
	_ = os.Remove(f.Name())
	if info, err := f.Stat(); err == nil {
		at = info.ModTime()
	}
	return at
}

// Report passes a notice on.
func (r *Runner) Report(n journal.Notice) {
	if r.On == nil {
		return
	}
	k := r.common()
	k.reporting.Lock()
	defer k.reporting.Unlock()
	n.Time, n.Branch, n.Plan = time.Now(), r.Checkout.Branch, r.Checkout.Loaded()
	r.On(n.Safe())
}

// ReportNote reports what the task of a name left.
func (r *Runner) ReportNote(name, text string) {
	r.Report(journal.About(name, agent.Executor, 0).Of(journal.StepNote, text))
}

// Once reports whether it is called with this name for the first time in this run.
func (r *Runner) Once(name string) bool {
	_, before := r.common().reported.LoadOrStore(name, true)
	return !before
}

// Masked is an agent whose words hold no secrets: they become commits, events and reviews, which are pushed.
type Masked struct {
	agent.Agent
	Mask func(string) string
}

func (m Masked) Run(ctx context.Context, s agent.Session) agent.Result {
	accept, ask, on := s.Accept, s.Ask, s.On
	if accept != nil {
		s.Accept = func(ctx context.Context, r agent.Result) error { return accept(ctx, r.Each(m.Mask)) }
	}
	if ask != nil {
		s.Ask = func(questions []agent.Question) ([]string, error) {
			return ask(agent.Result{Questions: questions}.Each(m.Mask).Questions)
		}
	}
	s.On = func(e agent.Event) {
		e.Text = m.Mask(e.Text)
		on(e)
	}
	return m.Agent.Run(ctx, s).Each(m.Mask)
}

// Masked returns a text without secrets.
func (r *Runner) Masked(text string) string {
	if r.Mask == nil {
		return text
	}
	return r.Mask(text)
}

// LockPlan locks the plan's text, and records its tip, from before a session until its work is settled, and the last
// caller has released it. What a person types meanwhile is stored after that: whatever moves the plan before that is not a person.
func (r *Runner) LockPlan(ctx context.Context) (release func(), err error) {
	doc := r.Checkout.Doc
	if doc == nil {
		return func() {}, nil
	}
	k := r.common()
	k.holding.Lock()
	defer k.holding.Unlock()
	if k.holders == 0 {
		soon, cancel := context.WithTimeout(ctx, journal.OrphanTimeout)
		defer cancel()
		held, err := journal.WaitText(soon, r.Checkout.Repo, doc.ID, nil)
		if errors.Is(err, context.DeadlineExceeded) {
			return nil, fault.New(fault.ErrBusy, "a git plan edit that stores what was typed does not end")
		}
		if err != nil {
			return nil, err
		}
		tip, err := r.Checkout.Repo.Resolve(ctx, journal.RefPrefix+doc.ID)
		if err != nil {
			return nil, errors.Join(err, held.Close())
		}
		r.Checkout.Store.ExpectTip(doc.ID, tip)
		k.held = held
	}
	k.holders++
	return sync.OnceFunc(func() {
		k.holding.Lock()
		defer k.holding.Unlock()
		if k.holders--; k.holders == 0 {
			_ = k.held.Close()
		}
	}), nil
}

// Unlocked is journal.FreeOfLocks for the work tree, after it ended what a killed session left running.
func (r *Runner) Unlocked(recovers bool) error {
	if note := r.Checkout.Task().State(); recovers && note.Session != "" && !note.InOtherWorktree(r.Checkout.Repo.Top) {
		proc.Sweep(proc.Mark(note.Session))
	}
	return journal.FreeOfLocks(r.Checkout.Repo, r.OwnRefs()...)
}

// OwnRefs returns the refs that a task writes.
func (r *Runner) OwnRefs() []string {
	own := []string{"refs/heads/" + r.Checkout.Branch}
	if r.Checkout.Doc != nil {
		own = append(own, journal.RefPrefix+r.Checkout.Doc.ID)
	}
	return own
}

// Scene returns what to fingerprint for the work tree.
func (r *Runner) Scene() integrity.Target {
	c := r.Checkout
	return integrity.Target{Repo: c.Repo, Config: c.Config, Branch: c.Branch, Plan: c.Loaded(), Slot: c.Slot}
}

// AttachAgain attaches the plan to its branch if a session detached it.
func (r *Runner) AttachAgain(ctx context.Context) error {
	if r.Checkout.Doc == nil {
		return nil
	}
	return r.Checkout.Repo.SetConfig(ctx, integrity.PlanKey(r.Checkout.Branch), r.Checkout.Doc.ID)
}

// PlanBack puts the plan's ref back if it was moved or removed, and says so.
func (r *Runner) PlanBack(ctx context.Context) (moved []string, err error) {
	if r.Checkout.Doc == nil {
		return nil, nil
	}
	was, is, strayed, err := r.Checkout.Store.RestoreRef(ctx, r.Checkout.Doc.ID)
	if !strayed {
		return nil, err
	}
	return []string{integrity.PlanMoved(r.Checkout.Doc.ID, was, is)}, err
}

// BranchBack puts the branch, which is at now, back to head ("" if it was unborn), and HEAD on it.
func (r *Runner) BranchBack(ctx context.Context, head, now, reason string) (err error) {
	repo, ref := r.Checkout.Repo, "refs/heads/"+r.Checkout.Branch
	switch {
	case repo.Symbolic(ref): // what is committed would go to another branch
		err = repo.ChangeRefs(ctx, reason, git.RefChange{Ref: ref, New: head})
	case head == now:
	case head == "":
		err = repo.DeleteRef(ctx, ref, now, reason)
	default:
		err = repo.UpdateRef(ctx, ref, head, now, reason)
	}
	if on, berr := repo.Branch(ctx); err != nil || berr == nil && on == r.Checkout.Branch {
		return err
	}
	return repo.Run(ctx, git.Command{Args: []string{"symbolic-ref", "HEAD", ref}, Writes: true})
}

// Confinable reports whether a session runs commands that must be confined. Sessions that only read run none,
// unless their agent is a program with commands of its own; an agent that is a command confines itself.
func Confinable(a agent.Agent, role agent.Role) bool {
	switch a.(type) {
	case *cli.Command:
		return false
	case *cli.Agent:
		return true
	}
	return role.Writes()
}

// ConfineSession returns what the commands of a session may do; nil if nothing confines them.
func (r *Runner) ConfineSession(ctx context.Context, a agent.Agent, session agent.Session) (*proc.Confinement, error) {
	if !Confinable(a, session.Role) {
		return nil, nil
	}
	c, err := r.Confine(ctx, session.Dir)
	if program, ok := a.(*cli.Agent); ok && c != nil {
		r.Checkout.Sandbox.AllowProgram(c, program.Program)
	}
	return c, err
}

// Agent returns the agent itself: sessions that only read run on this machine.
func (r *Runner) Agent(a agent.Agent, _ agent.Role) agent.Agent { return a }

// SandboxInForce finds out once which sandbox is in force. The error says that the configured one does not work.
func (r *Runner) SandboxInForce(ctx context.Context) (sandbox.InForce, error) {
	k := r.common()
	k.choosing.Do(func() {
		if k.sandbox, k.sandboxErr = sandbox.Choose(ctx, r.Checkout.Config); k.sandboxErr == nil {
			disk.SweepTemps()
			r.Report(journal.Notice{Kind: journal.SandboxKind, Text: string(k.sandbox.Kind), Reason: k.sandbox.Reason})
		}
	})
	return k.sandbox, k.sandboxErr
}

// Confine returns what programs in dir may do; nil if nothing confines them.
func (r *Runner) Confine(ctx context.Context, dir string) (*proc.Confinement, error) {
	k, err := r.SandboxInForce(ctx)
	if err != nil {
		return nil, err
	}
	return r.Checkout.Sandbox.Confine(k.Kind, dir, true)
}
