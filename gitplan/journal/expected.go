package journal

import "sync"

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

// Expected returns the tip to which the ref of the plan is to be put back if it is at now, and
// whether it is where it may be.
func (s *Store) Expected(now string) (tip string, ok bool) {
	s.expected.mu.Lock()
	defer s.expected.mu.Unlock()
	return s.expected.tip, now == s.expected.tip || now == s.expected.next && now != ""
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
