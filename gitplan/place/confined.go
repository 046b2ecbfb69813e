package place

import (
	"context"
	"path/filepath"
	"slices"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/agent/cli"
	"github.com/git-plan/git-plan/gitplan/confine"
	"github.com/git-plan/git-plan/gitplan/disk"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/sandbox"
)

// Confinable reports whether a session runs commands that are to be confined: sessions
// that only read run none, but of programs with commands of their own, and agents that
// a person names by a command confine themselves.
func Confinable(a agent.Agent, role agent.Role) bool {
	switch a.(type) {
	case *cli.Command:
		return false
	case *cli.Agent:
		return true
	}
	return role.Writes()
}

// ConfineSession is what the commands of a session may do.
func (p *Place) ConfineSession(ctx context.Context, a agent.Agent, s agent.Session) (*confine.Bounds, error) {
	if !Confinable(a, s.Role) {
		return nil, nil
	}
	c, err := p.confine(ctx, s.Dir)
	if program, ok := a.(*cli.Agent); ok && c != nil {
		p.Sandbox.AllowProgram(c, program.Program)
	}
	return c, err
}

// SandboxInForce is found out once. An error says that the sandbox that was asked for
// cannot be had; then nothing may be started.
func (p *Place) SandboxInForce(ctx context.Context) (sandbox.InForce, error) {
	s := &p.sandboxed
	s.once.Do(func() {
		if s.inForce, s.err = sandbox.Choose(ctx, p.Config); s.err == nil {
			disk.SweepTemps()
			p.Tell(journal.Notice{Event: journal.SandboxKind, Text: string(s.inForce.Kind), Reason: s.inForce.Reason})
		}
	})
	return s.inForce, s.err
}

// confine is what the programs of a session in dir may do.
func (p *Place) confine(ctx context.Context, dir string) (*confine.Bounds, error) {
	s, err := p.SandboxInForce(ctx)
	if err != nil {
		return nil, err
	}
	c, err := p.Sandbox.Confine(s.Kind, dir)
	if c != nil && p.Clone != nil && dir == p.Clone.Top {
		own := filepath.Join(dir, ".git") // all of a clone is its session's
		c.ReadOnly = slices.DeleteFunc(c.ReadOnly, func(path string) bool { return path == own })
		if !disk.Within(p.Repo.Top, dir) {
			c.ReadOnly = append(c.ReadOnly, p.Repo.Top)
		}
	}
	return c, err
}
