package doctor

import (
	"context"
	"fmt"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/remote"
)

// patience is how long a launcher is waited for: in a queue it may take longer, which is nothing wrong.
const patience = 10 * time.Second

// ExamineLaunchers starts a worker by each launcher, which is given nothing to do, and says what it is.
func ExamineLaunchers(ctx context.Context, c *checkout.Checkout) (out []Symptom) {
	for _, name := range remote.Names(c.Config) {
		s := Symptom{About: "launcher " + name, Found: Fine}
		l, err := remote.Configured(c.Config, name)
		l.Start = min(l.Start, patience)
		if err == nil {
			g, failed := l.Try(ctx, c.Repo.Top, c.Config.KeyVariables())
			err = failed
			s.Text = fmt.Sprintf("a worker answers after %s: git plan %s, git %s, %s/%s, CPUs: %d, sandbox %s", agent.Short(g.Start), g.Version, g.Git, g.OS, g.Arch, g.CPUs, g.Sandbox)
			if g.Problem != "" {
				err = fmt.Errorf("its worker cannot run sessions: %s", g.Problem)
			}
		}
		if err != nil {
			s.Found, s.Text, s.Fix = Wrong, err.Error(), "fix the launcher: git config planLauncher."+name+".command COMMAND; git plan man elsewhere has commands that work"
		}
		out = append(out, s)
	}
	return out
}
