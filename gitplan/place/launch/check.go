package launch

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

// Check runs checks of a site on the files of a tree as they are now: here, or by plan.checkLauncher on
// a machine that has what they need. That machine is sent the files that a commit would have, and no
// key; nothing of what the checks write there comes back.
func Check(ctx context.Context, s *site.Site, tree elsewhere.Tree, c site.Checks, commands []string) error {
	name := s.Config.String("plan.checkLauncher")
	if name == "" {
		return c.Run(ctx, commands)
	}
	l, err := elsewhere.Configured(s.Config, name)
	if err != nil {
		return err
	}
	a := From(s, l)
	a.Dir, a.Tree, a.Setup = s.Repo.Top, tree, s.Config.String("plan.worktreeSetup")
	session := agent.Session{ID: "check-" + setup.Random(4), Branch: s.Branch, On: func(e agent.Event) {
		n := c.About
		n.Kind, n.Text = journal.StepNote, e.Text
		s.Report(n)
	}}
	return a.Check(ctx, session, commands, c.Timeout, func(next elsewhere.Next) (bool, error) {
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
