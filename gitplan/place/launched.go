package place

import (
	"context"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/remote"
)

// launched is a clone whose sessions run on another machine. What
// they send back is put into the clone as if they had written it there. From then on it is a clone
// like any other, after a crash as well.
type launched struct {
	*clone
	launcher remote.Launcher
}

// launch has the sessions of a clone run by a launcher.
func (p *Place) launch(l remote.Launcher) {
	if c, ok := p.isolation.(*clone); ok {
		p.isolation = &launched{c, l}
	}
}

func (l *launched) agent(p *Place, a agent.Agent, role agent.Role) agent.Agent {
	return &remote.Agent{Agent: a, Launcher: l.launcher, Dir: l.outer, Tree: files{p}, Settings: remote.Settings(p.Config, a, role),
		Setup: p.Config.String("plan.worktreeSetup"), Secrets: p.Config.KeyVariables(), Note: func(text string) {
			if p.Once(text) {
				p.Report(journal.Notice{Kind: journal.StepNote, Text: text})
			}
		}}
}

// files are those of a place: as a session elsewhere begins with them, and as it leaves them.
type files struct{ p *Place }

func (f files) Repo() *git.Repo { return f.p.Tree() }

// paths are those that a commit would take now.
func (f files) paths(ctx context.Context) ([]string, error) {
	s, err := f.p.look(ctx)
	if err != nil {
		return nil, err
	}
	return (&Leftover{Status: s, Added: f.p.added(s)}).Paths(), nil
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
