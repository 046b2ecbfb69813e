package place

import (
	"context"
	"errors"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/elsewhere"
	"github.com/git-plan/git-plan/gitplan/elsewhere/wire"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/gitplan/setup"
	"github.com/git-plan/git-plan/gitplan/site"
)

// run runs checks on the files as they are now: here, or by plan.checkLauncher on a machine that has
// what they need. That machine is sent the files that a commit would have, and no key; nothing of what
// the checks write there comes back.
func (p *Place) run(ctx context.Context, c site.Checks, commands []string) error {
	name := p.Config.String("plan.checkLauncher")
	if name == "" {
		return c.Run(ctx, commands)
	}
	l, err := elsewhere.Configured(p.Config, name)
	if err != nil {
		return err
	}
	a := launching(p.Site, l)
	a.Dir, a.Tree, a.Setup = p.Repo.Top, files{p}, p.Config.String("plan.worktreeSetup")
	s := agent.Session{ID: "check-" + setup.Random(4), Branch: p.Branch, On: func(e agent.Event) {
		n := c.About
		n.Kind, n.Text = journal.StepNote, e.Text
		p.Report(n)
	}}
	return a.Check(ctx, s, commands, c.Timeout, func(next elsewhere.Next) (bool, error) {
		c.Elsewhere = func(ctx context.Context) (site.Ran, error) {
			e, err := next(ctx)
			return ran(e), err
		}
		err := c.Run(ctx, commands)
		var failed *site.CheckFailure
		if errors.As(err, &failed) { // what of this machine may explain a failure explains nothing of that one
			failed.Withheld, failed.Unread = nil, nil
		}
		return err == nil, err
	})
}

// ran is how a command ended there: one that changed the files has not passed.
func ran(e wire.Ended) site.Ran {
	if len(e.Changed) > 0 && e.Code == 0 {
		e.Code = 1
	}
	return site.Ran{Exit: proc.Exit{Code: e.Code, TimedOut: e.TimedOut, Flooded: e.Flooded}, Output: e.Output, Changed: e.Changed}
}
