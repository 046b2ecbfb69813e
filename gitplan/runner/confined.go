package runner

import (
	"context"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/agent/cli"
	"github.com/git-plan/git-plan/gitplan/disk"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/gitplan/sandbox"
)

// Confinable reports whether a session runs commands that must be confined. Sessions that only read run none,
// unless their agent is a program with commands of its own; an agent that is a command confines itself.
func Confinable(a agent.Agent, role agent.Role) bool {
	switch a.(type) {
	case *cli.Command:
		return false
	case *cli.Agent:
		return true
	}
	return role.Writes()
}

// ConfineSession returns what the commands of a session may do; nil if nothing confines them.
func (s *Runner) ConfineSession(ctx context.Context, a agent.Agent, session agent.Session) (*proc.Bounds, error) {
	if !Confinable(a, session.Role) {
		return nil, nil
	}
	c, err := s.Confine(ctx, session.Dir)
	if program, ok := a.(*cli.Agent); ok && c != nil {
		s.Checkout.Sandbox.AllowProgram(c, program.Program)
	}
	return c, err
}

// Agent returns the agent itself: sessions that only read run on this machine.
func (s *Runner) Agent(a agent.Agent, _ agent.Role) agent.Agent { return a }

// SandboxInForce finds out once which sandbox is in force. The error says that the configured one does not work.
func (s *Runner) SandboxInForce(ctx context.Context) (sandbox.InForce, error) {
	k := &s.common().sandboxed
	k.once.Do(func() {
		if k.inForce, k.err = sandbox.Choose(ctx, s.Checkout.Config); k.err == nil {
			disk.SweepTemps()
			s.Report(journal.Notice{Kind: journal.SandboxKind, Text: string(k.inForce.Kind), Reason: k.inForce.Reason})
		}
	})
	return k.inForce, k.err
}

// Confine returns what programs in dir may do; nil if nothing confines them.
func (s *Runner) Confine(ctx context.Context, dir string) (*proc.Bounds, error) {
	k, err := s.SandboxInForce(ctx)
	if err != nil {
		return nil, err
	}
	return s.Checkout.Sandbox.Confine(k.Kind, dir)
}
