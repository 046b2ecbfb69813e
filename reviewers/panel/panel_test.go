package panel

import (
	"context"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/agent/cli"
	"github.com/git-plan/git-plan/gitplan/proc"
)

// sessions holds sessions with a command of the person's own.
func sessions(line string, env ...string) Hold {
	return func(ctx context.Context, s agent.Session) agent.Result {
		s.Env = append(proc.Clean(), env...)
		return (&cli.Command{AgentName: "fake", Line: line}).Run(ctx, s)
	}
}

// judge is a persona whose sessions hold runs.
func judge(name string, h Hold) *Panelist {
	return &Panelist{Persona: Persona{Name: name, Rounds: Every, Blocking: true, Text: "Look."}, Hold: h}
}
