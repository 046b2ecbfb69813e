package place

import (
	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/elsewhere"
)

// launched is a clone whose sessions run elsewhere, by the launcher of their role. What
// they send back is put into the clone as if they had written it there. From then on it is a clone
// like any other, after a crash as well.
type launched struct {
	*clone
	launcher elsewhere.Launcher
}

// launch has the sessions of a clone run by a launcher.
func (p *Place) launch(l elsewhere.Launcher) {
	if c, ok := p.isolation.(*clone); ok {
		p.isolation = &launched{c, l}
	}
}

func (l *launched) agent(p *Place, a agent.Agent, role agent.Role) agent.Agent {
	out := launching(p.Site, l.launcher)
	out.Agent, out.Settings = a, elsewhere.Settings(p.Config, a, role)
	out.Dir, out.Tree, out.Setup = l.outer, files{p}, p.Config.String("plan.worktreeSetup")
	return out
}
