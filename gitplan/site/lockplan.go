package site

import (
	"context"
	"errors"
	"io"
	"sync"

	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/journal"
)

// LockPlan keeps the plan's text as it is from before a session until its work is settled: what a
// person types meanwhile is stored after that, so if anything else moves the plan it is not a
// person. It is held until the last one who asked for that has released it.
func (s *Site) LockPlan(ctx context.Context) (release func(), err error) {
	if s.Doc == nil {
		return func() {}, nil
	}
	k := s.common()
	k.holding.Lock()
	defer k.holding.Unlock()
	if k.holders == 0 {
		if k.held, err = s.lockPlan(ctx); err != nil {
			return nil, err
		}
	}
	k.holders++
	return sync.OnceFunc(s.release), nil
}

// lockPlan takes the lock of the plan's text, and notes the plan's tip.
func (s *Site) lockPlan(ctx context.Context) (io.Closer, error) {
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
	s.Store.Expect(s.Doc.ID, tip)
	return held, nil
}

func (s *Site) release() {
	k := s.common()
	k.holding.Lock()
	defer k.holding.Unlock()
	if k.holders--; k.holders == 0 {
		_ = k.held.Close()
	}
}
