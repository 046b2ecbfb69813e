package place

import (
	"context"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/elsewhere"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/settings"
	"github.com/git-plan/git-plan/gitplan/site"
)

// LauncherOf returns the launcher that starts the sessions of a role; nil if they run here.
func LauncherOf(c *settings.Config, role agent.Role) (*elsewhere.Launcher, error) {
	name, err := c.Launcher(role)
	if err != nil || name == "" {
		return nil, err
	}
	l, err := elsewhere.Configured(c, name)
	return &l, err
}

// launching returns what a launcher starts, for an agent or for checks.
func launching(s *site.Site, l elsewhere.Launcher) *elsewhere.Agent {
	return &elsewhere.Agent{Launcher: l, Dir: s.Repo.Top, Secrets: s.Config.KeyVariables(), Note: func(text string) {
		if s.Once(text) {
			s.Report(journal.Notice{Kind: journal.StepNote, Text: text})
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
