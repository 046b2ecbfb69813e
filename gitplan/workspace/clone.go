package workspace

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/disk"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/gitplan/integrity"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/gitplan/remote"
	"github.com/git-plan/git-plan/gitplan/runner"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// clone is where sessions work with plan.isolation=clone. What they leave is read as files only, by a git whose HEAD,
// index and configuration are out of their reach (worktree.PrivateWorktree). What passed is put into the work tree.
type clone struct {
	r        *git.Repo        // nil after a crash, until it is opened
	launcher *remote.Launcher // has sessions run on another machine; what they send back is put into the clone
}

// confine lets what works in a clone write all of it, and nothing of the work tree.
func (w *Workspace) confine(to *proc.Confinement) {
	if !w.InClone() || to == nil {
		return
	}
	top, outer := w.Dir(), w.Checkout.Repo.Top
	own := filepath.Join(top, ".git")
	to.ReadOnly = slices.DeleteFunc(to.ReadOnly, func(path string) bool { return path == own })
	if !disk.Within(outer, top) {
		to.ReadOnly = append(to.ReadOnly, outer)
	}
}

// Enter returns the workspace of a role's sessions: the work tree, or a new clone, which Forget removes.
func (w *Workspace) Enter(ctx context.Context, role agent.Role) (here *Workspace, leave func(), err error) {
	where, err := w.Checkout.Config.Isolation()
	if err != nil {
		return w, func() {}, err
	}
	l, err := remote.Of(w.Checkout.Config, role)
	if err != nil || where == "tree" && l == nil && w.Checkout.Slot == "" {
		return w, func() {}, err
	}
	if err := w.Checkout.Task().RequireFreeClone(); err != nil {
		return nil, nil, err
	}
	r, now, err := cloned(ctx, w)
	c := &clone{r: r, launcher: l}
	switch {
	case ctx.Err() != nil:
		err = fault.New(fault.ErrInterrupted, "interrupted while the clone for the session was made")
	case err != nil:
		err = fault.New(fault.ErrClone, "the clone for the session cannot be made: %s", err.Error())
	default:
		here = At(w.Runner, nil)
		here.clone, w.Checkout.Clone = c, worktree.NewMade(ctx, c.r)
		err = prepare(ctx, here, now)
	}
	if err != nil {
		if c.r != nil {
			c.r.Close()
		}
		w.Checkout.Task().DiscardClone()
		return nil, nil, err
	}
	return here, c.r.Close, nil
}

// cloned makes the clone in the place of one that was left, whole or half made. Its status is nil if it is not known.
func cloned(ctx context.Context, w *Workspace) (*git.Repo, *worktree.Status, error) {
	top, gitDir, err := w.Checkout.Task().Clone()
	refs, unread := w.Runner.Refs(ctx)
	if err = errors.Join(err, unread); err != nil {
		return nil, nil, err
	}
	private := worktree.Private{Top: top, GitDir: gitDir, Branch: w.Checkout.Branch, Head: w.Before.Head, Refs: refs}
	config := w.Checkout.Config.Git // what decides what git reads in the clone, and who the author is there
	for _, key := range append(config.Keys("filter"), "user.name", "user.email", "core.autocrlf", "core.eol",
		"core.filemode", "core.ignorecase", "core.precomposeunicode", "core.symlinks") {
		if v, ok := config.Get(key); ok && !strings.Contains(key, "=") {
			private.Settings = append(private.Settings, key, v)
		}
	}
	if made := w.Checkout.Clone; made != nil {
		if r, s, err := made.Again(ctx, w.Checkout.Repo, private); err == nil {
			return r, s, nil
		}
	}
	w.Checkout.Task().DiscardClone()
	// gitDir first: doctor finds the clone by it
	if err := errors.Join(os.MkdirAll(gitDir, 0o700), os.MkdirAll(filepath.Dir(top), 0o700)); err != nil {
		return nil, nil, err
	}
	r, err := worktree.PrivateClone(ctx, w.Checkout.Repo, private)
	if err != nil {
		return nil, nil, err
	}
	for _, path := range worktree.Submodules(r) {
		if worktree.PutSubmodule(ctx, w.Checkout.Repo, r, path) != nil && w.Runner.Once("submodule "+path) {
			w.Runner.ReportNote("", "the submodule "+path+" is not in clones, since its commit is not here; to have it there: git submodule update --init -- "+visible.Shell(path))
		}
	}
	return r, nil, nil
}

// prepare runs plan.worktreeSetup. Untracked files that it creates are not a session's work.
func prepare(ctx context.Context, w *Workspace, s *worktree.Status) (err error) {
	if command := w.Checkout.Config.String("plan.worktreeSetup"); command != "" {
		c, err := w.checks(ctx, "setup", journal.Notice{})
		if err != nil {
			return err
		}
		c.Setup, s = true, nil
		err = c.Run(ctx, []string{command})
		var failed *runner.CheckFailure
		switch {
		case ctx.Err() != nil:
			return fault.New(fault.ErrInterrupted, "interrupted in plan.worktreeSetup")
		case errors.As(err, &failed):
			return fault.New(fault.ErrClone, "plan.worktreeSetup failed, so no session ran: %s", failed.Error())
		case err != nil:
			return err
		}
	}
	if s == nil {
		s, err = worktree.ReadStatusIgnored(ctx, w.Tree())
	}
	if err != nil {
		return err
	}
	if !s.Clean() {
		return fault.New(fault.ErrClone, "plan.worktreeSetup must leave alone what git tracks, and it changed %s",
			visible.OneLine(strings.Join(s.Paths(), ", "), 400))
	}
	s.Untracked, s.Ignored = nil, append(s.Untracked, s.Ignored...)
	w.Before = s
	return nil
}

func (c *clone) keepInterrupted(ctx context.Context, w *Workspace) (kept string, err error) {
	if w.state.Phase == checkout.Checking { // no session has worked in it
		w.Checkout.Task().Forget()
		return "", nil
	}
	if w.state.Phase == checkout.Landing && journal.OrNone(w.Before.Head) == w.state.Head {
		left, err := c.takeBack(ctx, w)
		if err != nil {
			return "", err
		}
		none, _ := w.Checkout.Repo.Lookup(ctx, "HEAD^{tree}")
		if left != "" && left != w.state.Tree && left != none { // others may have changed it since
			left, err = w.Checkout.Attempts().Keep(ctx, left, parents(w.Before.Head), w.state.Name,
				checkout.Ending{Reason: "the work tree, as a crash left it"})
			if err != nil {
				return "", err
			}
			w.Runner.ReportNote(w.state.Name,
				"the work tree as it was after the kill is kept; see it: "+w.Checkout.Attempts().ShowCommand(left))
		}
	}
	if w.state.AwaitsCommit() {
		if kept, err = w.KeepPassed(ctx); err == nil { // else all of it is still in the clone
			w.Runner.ReportNote(w.state.Name, "the waiting work is kept; see it: "+w.Runner.Checkout.Attempts().ShowCommand(kept))
			w.Before, err = worktree.ReadStatusIgnored(ctx, w.Checkout.Repo)
			return kept, err
		}
	}
	top, gitDir, err := w.Checkout.Task().Clone()
	if err != nil {
		return "", err
	}
	if _, err := os.Stat(filepath.Join(gitDir, "HEAD")); err == nil && integrity.IsFolder(top) {
		if kept, err = c.keepAll(ctx, w, top, gitDir); err != nil {
			return "", err
		}
	}
	w.Before, err = worktree.ReadStatusIgnored(ctx, w.Checkout.Repo)
	return kept, err
}

func (c *clone) keepAll(ctx context.Context, w *Workspace, top, gitDir string) (kept string, err error) {
	if c.r, err = worktree.PrivateWorktree(w.Checkout.Repo, top, gitDir, trimNone(w.state.Head)); err != nil {
		return "", err
	}
	defer c.r.Close()
	if err := journal.FreeOfLocks(c.r); err != nil {
		return "", err
	}
	// What was staged is in the files, too; git gc does not know this index, and may have removed the objects.
	if err := worktree.ReadTree(ctx, c.r, cmp.Or(trimNone(w.state.Head), c.r.EmptyTree())); err != nil {
		return "", err
	}
	in := At(w.Runner, w.Before)
	in.clone, in.state = c, w.state
	c.r.MakeTopAccessible()
	s, err := in.status(ctx)
	if err != nil {
		return "", err
	}
	in.Before = &worktree.Status{Head: s.Head}
	changes, err := in.keepable(ctx, s)
	if err != nil {
		return "", err
	}
	if kept, err = in.keepChanges(ctx, changes, w.state.Ended()); err != nil {
		return "", err
	}
	in.reportKept(kept, append(changes.Status.Paths(), changes.Added...))
	return kept, nil
}

// Agent returns the agent that runs sessions here: the agent itself, or one that has them run on another machine.
func (w *Workspace) Agent(a agent.Agent, role agent.Role) agent.Agent {
	c := w.clone
	if c == nil || c.launcher == nil {
		return a
	}
	paths := func(ctx context.Context) ([]string, error) {
		s, err := w.status(ctx)
		if err != nil {
			return nil, err
		}
		return w.Files.changesIn(s).Paths(), nil
	}
	return &remote.Agent{Agent: a, Launcher: *c.launcher, Dir: w.Checkout.Repo.Top, Files: w.Tree(), Paths: paths,
		Settings: remote.Settings(w.Checkout.Config, a),
		Setup:    w.Checkout.Config.String("plan.worktreeSetup"), Secrets: w.Checkout.Config.KeyVariables(), Note: func(text string) {
			if w.Runner.Once(text) {
				w.Runner.Report(journal.Notice{Kind: journal.StepNote, Text: text})
			}
		}}
}
