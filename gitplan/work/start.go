package work

import (
	"cmp"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/journal"
)

// Start reports that a command begins to work: on what, and which agent and model will do most of
// it. who is the word by which a person chose these for this command, or "".
func (w *Worker) Start(role agent.Role, title, who string) {
	name, model := w.Config.Meant(who)
	n := journal.Notice{Kind: journal.RunStart, Text: title, Agent: cmp.Or(name, w.Config.AgentName(role))}
	if name == "" {
		n.Reason = w.Config.NotChosen(role)
	}
	if a, err := w.Config.NamedAgent(n.Agent, role); err == nil {
		n.Model = modelOf(a, agent.Session{Model: model})
	}
	w.Report(n)
}
