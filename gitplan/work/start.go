package work

import (
	"cmp"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/agent/cli"
	"github.com/git-plan/git-plan/gitplan/agent/command"
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
		n.Reason = strings.Join(slices.DeleteFunc([]string{n.Reason, outside(a)}, func(s string) bool { return s == "" }), "; ")
	}
	w.Report(n)
}

// outside says of an agent that it does not work in the sandbox which the heading names: only the
// checks of its work do. "" if it does.
func outside(a agent.Agent) string {
	switch a := a.(type) {
	case *command.Agent:
		return "outside the sandbox"
	case *cli.Agent:
		if a.OwnSandbox() {
			return "in a sandbox of its own"
		}
	}
	return ""
}
