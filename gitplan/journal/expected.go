package journal

import (
	"context"
	"errors"
	"sync"

	"github.com/git-plan/git-plan/gitplan/git"
)

// expected is where the ref of the plan may be while sessions work: where it was when its text was
// held, or where this program has moved it since. Stores of one process share it: several
// sessions may be at work at once, and what is stored for one is no tampering of another.
type expected struct {
	mu   sync.Mutex
	plan string
	tip  string
	next string // the tip that is being stored now, which the ref has or will have
}

// Expect says where the ref of the plan is: its text is held, so only this program moves it on.
func (s *Store) Expect(plan, tip string) {
	s.expected.mu.Lock()
	defer s.expected.mu.Unlock()
	s.expected.plan, s.expected.tip, s.expected.next = plan, tip, ""
}

// Back puts the ref of the plan back if it is not where it may be. It returns where it was and where
// it is now, and moved is false if it was in its place. What it was moved to stays in its reflog.
func (s *Store) Back(ctx context.Context, plan string) (was, is string, moved bool, err error) {
	s.expected.mu.Lock() // else another session's event could come between the look and the comparison
	defer s.expected.mu.Unlock()
	now, err := s.Repo.Resolve(ctx, RefPrefix+plan)
	if err != nil && !errors.Is(err, git.ErrMissing) {
		return "", "", false, err
	}
	if now == s.expected.tip || now == s.expected.next && now != "" {
		return "", "", false, nil
	}
	return now, s.expected.tip, true, s.Repo.UpdateRef(ctx, RefPrefix+plan, s.expected.tip, now, "plan: put back after a session")
}

// behind reports whether another session of this program has moved the ref since a document was read.
func (s *Store) behind(d *Document) bool {
	s.expected.mu.Lock()
	defer s.expected.mu.Unlock()
	return s.expected.plan == d.ID && s.expected.tip != "" && s.expected.tip != d.Tip
}

// moving notes a tip before the ref is moved to it, and moved whether that was done.
func (s *Store) moving(plan, tip string) (moved func(error)) {
	s.expected.mu.Lock()
	defer s.expected.mu.Unlock()
	if plan != s.expected.plan {
		return func(error) {}
	}
	s.expected.next = tip
	return func(err error) {
		s.expected.mu.Lock()
		defer s.expected.mu.Unlock()
		if err == nil {
			s.expected.tip = tip
		}
		s.expected.next = ""
	}
}
