package work

import (
	"context"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/prompt"
)

// restFor is how long an agent that met a limit is not used if its provider does not say how
// long.
const restFor = 10 * time.Minute

func (r *resting) rest(name string, d time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.until == nil {
		r.until = map[string]time.Time{}
	}
	r.until[name] = time.Now().Add(d)
}

func (r *resting) rests(name string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return time.Now().Before(r.until[name])
}

// runOrFallBack runs a session with an agent, and if that one meets a limit or is not
// authorised, a second, fresh one with the fallback of the role. Both are one attempt: neither
// end says anything about the work.
func (w *Worker) runOrFallBack(ctx context.Context, by Confiner, a agent.Agent, s agent.Session) agent.Result {
	other, err := w.Config.Fallback(s.Role)
	if err != nil {
		return agent.Result{Status: agent.Unusable, Reason: err.Error()}
	}
	if other == nil || other.Name() == a.Name() {
		return w.run(ctx, by, a, s)
	}
	var first agent.Result
	if !w.common().resting.rests(a.Name()) {
		first = w.run(ctx, by, a, s)
		if first.Status != agent.Limited && first.Status != agent.Unauthorised || ctx.Err() != nil {
			return first
		}
		rest := first.RetryAfter
		if rest <= 0 {
			rest = restFor
		}
		w.common().resting.rest(a.Name(), rest)
		if s.Role.Writes() {
			s.Prompt.User += prompt.Section("Where you start", prompt.Resumed)
		}
	}
	s.Model, s.Effort = "", "" // these are the first agent's
	if allowed := s.Spend; allowed != nil {
		s.Spend = func(t agent.Tokens, c agent.Cost) error { return allowed(first.Tokens.Add(t), first.Cost.Add(c)) }
	}
	r := w.run(ctx, by, other, s)
	r.Tokens = first.Tokens.Add(r.Tokens)
	r.Cost = first.Cost.Add(r.Cost)
	return r
}
