package doctor

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/elsewhere"
)

// patience is how long a launcher is waited for: in a queue it may take longer, which is nothing wrong.
const patience = 10 * time.Second

// ExamineLaunchers starts a worker by each launcher, which is given nothing to do, and says what it is.
func ExamineLaunchers(ctx context.Context, c *checkout.Checkout) (out []Symptom) {
	for _, name := range elsewhere.Names(c.Config) {
		s := Symptom{About: "launcher " + name, Found: Fine}
		l, err := elsewhere.Configured(c.Config, name)
		l.Start = min(l.Start, patience)
		if err == nil {
			g, failed := l.Try(ctx, c.Repo.Top, c.Config.KeyVariables())
			err = failed
			s.Text = fmt.Sprintf("a worker answers after %s: git plan %s, git %s, %s/%s, CPUs: %d, sandbox %s", agent.Short(g.Start), g.Version, g.Git, g.OS, g.Arch, g.CPUs, g.Sandbox)
			if g.Looked {
				s.Text += there(g)
			}
			if why := g.Cannot(); why != "" && err == nil {
				err = fmt.Errorf("its worker cannot run sessions: %s", why)
			} else if g.Machine.Problem != "" {
				err = fmt.Errorf("its worker has no place for what it is sent: %s", g.Machine.Problem)
			}
		}
		if err != nil {
			s.Found, s.Text, s.Fix = Wrong, err.Error(), "fix the launcher: git config planLauncher."+name+".command COMMAND; git plan man elsewhere has commands that work"
		}
		out = append(out, s)
	}
	return out
}

// apart is from when on two clocks differ by more than the way between them takes.
const apart = 5 * time.Second

// there says what is on the machine of a worker.
func there(g elsewhere.Tried) string {
	agents := "none on its PATH"
	if len(g.Machine.Agents) > 0 {
		agents = strings.Join(g.Machine.Agents, "; ")
	}
	text := ", cache " + g.Machine.Cache + ", programs of agents: " + agents
	switch {
	case g.Apart > apart:
		text += "; its clock is ahead by " + agent.Short(g.Apart.Round(time.Second)) + ", which disturbs nothing here"
	case g.Apart < -apart:
		text += "; its clock is behind by " + agent.Short((-g.Apart).Round(time.Second)) + ", which disturbs nothing here"
	}
	return text
}
