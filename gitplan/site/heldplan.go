package site

import (
	"context"
	"errors"

	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/journal"
)

// HoldPlan keeps the plan's text as it is from before a session until its work
// is settled: what a person types meanwhile is stored after that, so whatever
// else moves the plan is no person. It is held once, by whoever asks first.
func (s *Site) HoldPlan(ctx context.Context) (release func(), err error) {
	if s.Doc == nil || s.held != nil {
		return func() {}, nil
	}
	soon, cancel := context.WithTimeout(ctx, journal.Patience)
	defer cancel()
	held, err := journal.WaitText(soon, s.Repo, s.Doc.ID, nil)
	if errors.Is(err, context.DeadlineExceeded) {
		return nil, fault.New(fault.ErrBusy, "a git plan edit that stores what was typed does not end")
	}
	if err != nil {
		return nil, err
	}
	tip, err := s.Repo.Resolve(ctx, journal.RefPrefix+s.Doc.ID)
	if err != nil {
		return nil, errors.Join(err, held.Close())
	}
	s.held = held
	s.setTip(tip)
	return func() {
		s.held = nil
		_ = held.Close()
	}, nil
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
