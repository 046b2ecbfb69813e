package workspace

import (
	"context"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/remote"
)

// Agent returns the agent that runs sessions here: the agent itself, or one that has them run on another machine.
func (p *Workspace) Agent(a agent.Agent, role agent.Role) agent.Agent {
	c, ok := p.backend.(*clone)
	if !ok || c.launcher == nil {
		return a
	}
	return &remote.Agent{Agent: a, Launcher: *c.launcher, Dir: c.outer, Tree: files{p}, Settings: remote.Settings(p.Checkout.Config, a, role),
		Setup: p.Checkout.Config.String("plan.worktreeSetup"), Secrets: p.Checkout.Config.KeyVariables(), Note: func(text string) {
			if p.Runner.Once(text) {
				p.Runner.Report(journal.Notice{Kind: journal.StepNote, Text: text})
			}
		}}
}

// files are those with which a session on another machine begins, and which it leaves.
type files struct{ p *Workspace }

func (f files) Repo() *git.Repo { return f.p.Tree() }

// paths are those that a commit would take now.
func (f files) paths(ctx context.Context) ([]string, error) {
	s, err := f.p.status(ctx)
	if err != nil {
		return nil, err
	}
	return f.p.wrote.changesIn(s).Paths(), nil
}

func (f files) Snapshot(ctx context.Context) (string, error) {
	paths, err := f.paths(ctx)
	if err != nil {
		return "", err
	}
	return worktree.Snapshot(ctx, f.p.Tree(), paths)
}

func (f files) Become(ctx context.Context, from *git.Repo, tree string) error {
	paths, err := f.paths(ctx)
	if err != nil {
		return err
	}
	return worktree.Become(ctx, from, paths, tree)
}
