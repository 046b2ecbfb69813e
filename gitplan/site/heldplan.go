package site

import (
	"context"
	"errors"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/journal"
	"sync"
)

// HoldPlan keeps the plan's text as it is from before a session until its work
// is settled: what a person types meanwhile is stored after that, so whatever
// else moves the plan is no person. It is held until the last of those who asked has released it.
func (s *Site) HoldPlan(ctx context.Context) (release func(), err error) {
	if s.Doc == nil {
		return func() {}, nil
	}
	s.holding.Lock()
	defer s.holding.Unlock()
	if s.holders == 0 {
		if err := s.hold(ctx); err != nil {
			return nil, err
		}
	}
	s.holders++
	return sync.OnceFunc(s.release), nil
}

// hold takes the lock of the plan's text, and notes the plan's tip.
func (s *Site) hold(ctx context.Context) error {
	soon, cancel := context.WithTimeout(ctx, journal.Patience)
	defer cancel()
	held, err := journal.WaitText(soon, s.Repo, s.Doc.ID, nil)
	if errors.Is(err, context.DeadlineExceeded) {
		return fault.New(fault.ErrBusy, "a git plan edit that stores what was typed does not end")
	}
	if err != nil {
		return err
	}
	tip, err := s.Repo.Resolve(ctx, journal.RefPrefix+s.Doc.ID)
	if err != nil {
		return errors.Join(err, held.Close())
	}
	s.held = held
	s.setTip(tip)
	return nil
}

func (s *Site) release() {
	s.holding.Lock()
	defer s.holding.Unlock()
	if s.holders--; s.holders == 0 {
		_ = s.held.Close()
	}
}

// Stored says that this program itself has just stored something in the plan.
func (s *Site) Stored() {
	if s.Doc != nil {
		s.setTip(s.Doc.Tip)
	}
}

func (s *Site) setTip(tip string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tip = tip
}
