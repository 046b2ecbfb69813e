package gitplan

import (
	"context"
	"errors"
	"github.com/git-plan/git-plan/gitplan/work"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/workspace"
)

// Baseline returns how the plan's Checks, its Verification and the checks of its open steps end on
// what HEAD has, and ErrBaseline if a step would not be begun.
func (s *Steps) Baseline(ctx context.Context) (list []work.CheckResult, stops error, err error) {
	err = s.atHead(ctx, func(b *work.Prover) (err error) {
		list, stops, err = b.Baseline(ctx)
		return err
	})
	return list, stops, err
}

// Accept records that a person accepts that a check of the plan fails on what HEAD has.
func (s *Steps) Accept(ctx context.Context, name string) (accepted work.CheckResult, err error) {
	err = s.atHead(ctx, func(b *work.Prover) (err error) {
		accepted, err = b.Accept(ctx, name)
		return err
	})
	return accepted, err
}

// atHead runs do with the checks of the plan, as work by hand, in the place where a session would
// work.
func (s *Steps) atHead(ctx context.Context, do func(*work.Prover) error) (err error) {
	release, err := s.lockAndReload(ctx)
	if err != nil {
		return err
	}
	defer release()
	p, err := s.readyByHand(ctx)
	if err != nil {
		return err
	}
	here, leave, err := p.Enter(ctx, agent.Executor)
	if err != nil {
		return err
	}
	defer func() { workspace.Abandon(s.Runner.Checkout, err) }()
	defer leave()
	b, err := work.NewProver(ctx, s.Worker, here, workspace.Proving{Name: "baseline"})
	if err != nil {
		return err
	}
	return errors.Join(do(b), b.Note())
}
