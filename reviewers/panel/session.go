package panel

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/reviewers/finding"
)

// RunSession runs one session with the agent of its role. It fills in what belongs to the
// person's set-up: id, environment, limits, budget, transcript. What the session has
// already is kept, and so are its Model and Effort unless they are empty.
type RunSession func(ctx context.Context, s agent.Session) agent.Result

// session returns what every session of a round has.
func (t *Target) session(role agent.Role, reviewer string, prompt agent.Prompt) agent.Session {
	return agent.Session{
		Role: role, Plan: t.PlanID, Branch: t.Branch, Attempt: 1, Dir: t.Dir, Prompt: prompt, Nonce: t.Nonce,
		Review: agent.Review{Base: t.Base, Head: t.Head, Reviewer: reviewer, Round: t.Round, Hidden: slices.Sorted(maps.Keys(t.Secret))},
	}
}

// used says how the last of some sessions ended, and what all of them used.
type used struct {
	agent.Result
	sessions int
}

// ask runs a session and has accept judge its answer; if accept refuses it, ask runs one more
// session whose prompt says what was wrong. The string says why there is no answer.
func ask(ctx context.Context, run RunSession, s agent.Session, accept func(string) error) (used, string) {
	s.Accept = func(_ context.Context, r agent.Result) error { return accept(r.Answer) }
	user := s.Prompt.User
	var use used
	for try := 1; ; try++ {
		s.Attempt = try
		r := run(ctx, s)
		use = used{add(use.Result, r), try}
		if r.Status != agent.Done {
			return use, reason(r)
		}
		err := accept(r.Answer)
		if err == nil {
			return use, ""
		}
		if try == 2 {
			return use, "its output cannot be used: " + finding.Line(err.Error(), finding.MaxTitle)
		}
		p := &wording{}
		p.heading("Once more")
		p.say("Your answer to this could not be used. Give the whole answer again, corrected. What was wrong:")
		p.data("error", finding.Cut(err.Error(), finding.MaxText))
		s.Prompt.User = user + p.text.String()
	}
}

// add sums what two sessions used; the later one is how it ended.
func add(a, b agent.Result) agent.Result {
	b.Tokens = a.Tokens.Add(b.Tokens)
	b.Cost = agent.Cost{USD: a.Cost.USD + b.Cost.USD, Known: b.Cost.Known && (a.Cost.Known || a.Status == "")}
	return b
}

// Spent says why the budget did not allow a session to go on; empty if it did.
func Spent(r agent.Result) string {
	if r.Status != agent.Stopped {
		return ""
	}
	return cmp.Or(finding.Line(r.Reason, finding.MaxTitle), "the budget is spent")
}

// Later returns the error of a session that could not finish now but may later, because of a
// limit, an unreachable service or lost machines; nil if it ended in any other way.
func Later(who string, status agent.Status, reason string) error {
	kinds := map[agent.Status]error{agent.Limited: fault.ErrLimited, agent.Unreachable: fault.ErrUnreachable, agent.Lost: fault.ErrLost}
	if kinds[status] == nil {
		return nil
	}
	return &fault.Fault{Kind: kinds[status], Text: finding.Line(strings.TrimSuffix(fmt.Sprintf("%s: %s: %s", who, status, reason), ": "), finding.MaxTitle)}
}

func reason(r agent.Result) string {
	why := finding.Line(r.Reason, finding.MaxTitle)
	switch {
	case why == "":
		return string(r.Status)
	case agent.IsNoAnswer(why): // which says that it failed
		return agent.WhyNoAnswer(why)
	}
	return fmt.Sprintf("%s: %s", r.Status, why)
}
