package launch

import (
	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/elsewhere"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/settings"
	"github.com/git-plan/git-plan/gitplan/site"
)

// Of returns the launcher that starts the sessions of a role; nil if they run here.
func Of(c *settings.Config, role agent.Role) (*elsewhere.Launcher, error) {
	name, err := c.Launcher(role)
	if err != nil || name == "" {
		return nil, err
	}
	l, err := elsewhere.Configured(c, name)
	return &l, err
}

// From returns what a launcher starts for a site, for an agent or for checks.
func From(s *site.Site, l elsewhere.Launcher) *elsewhere.Agent {
	return &elsewhere.Agent{Launcher: l, Dir: s.Repo.Top, Secrets: s.Config.KeyVariables(), Note: func(text string) {
		if s.Once(text) {
			s.Report(journal.Notice{Kind: journal.StepNote, Text: text})
		}
	}}
}
