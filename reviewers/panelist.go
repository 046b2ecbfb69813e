package reviewers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/fault"
)

// Hold runs one session with the agent of its role. It fills in what belongs to the
// person's set-up: id, environment, limits, budget, transcript. What the session has
// already is kept, and so are its Model and Effort unless they are empty.
type Hold func(ctx context.Context, s agent.Session) agent.Result

// Panelist is a [Reviewer]: a persona and what runs its sessions.
type Panelist struct {
	Persona
	Hold Hold
	// Shares says that its sessions have no way to write: they read the clone that
	// a round has. All others get one of their own.
	Shares bool
}

// Name returns the persona's name.
func (p *Panelist) Name() string { return p.Persona.Name }

// Review has the persona judge the target. One that changed what it was to judge
// is asked again in a fresh clone, once, and then has no say.
func (p *Panelist) Review(ctx context.Context, t *Target) (r Report) {
	if p.Shares {
		return p.review(ctx, t)
	}
	spoiled, err := t.apart(ctx, func(own *Target) bool {
		r = p.review(ctx, own).after(r)
		return r.Incomplete == ""
	})
	r.Required, r.Spoiled = p.Blocking, spoiled[0]
	if err != nil {
		r.Incomplete = line(err.Error(), maxTitle)
	}
	if r.Incomplete = cmp.Or(spoiled.twice(), r.Incomplete); r.Incomplete != "" {
		r.Covered, r.Findings = nil, nil
	}
	return r
}

// review runs a fresh session that reads the target, or one for each part of a large
// change, all at once. If one of them fails there is no answer.
func (p *Panelist) review(ctx context.Context, t *Target) Report {
	parts, _ := t.material(ctx, t.Judge)
	if len(parts) == 0 {
		return Report{Reviewer: p.Persona.Name, Required: p.Blocking, Incomplete: "there was nothing that it could be shown"}
	}
	reports := make([]Report, len(parts))
	var wg sync.WaitGroup
	for i, m := range parts {
		wg.Go(func() { reports[i] = p.part(ctx, t, m) })
	}
	wg.Wait()
	r := reports[0]
	for _, other := range reports[1:] {
		r = r.with(other)
	}
	if r.Incomplete != "" {
		r.Covered, r.Findings = nil, nil
	}
	return r
}

// part judges one part of a change. An answer that does not parse is sent back once,
// inside the session if the agent can be answered there.
func (p *Panelist) part(ctx context.Context, t *Target, m Material) Report {
	r := Report{Reviewer: p.Persona.Name, Required: p.Blocking}
	terms := Terms{Nonce: t.Nonce}
	accept := func(text string) error {
		a, err := ParseAnswer(text, terms)
		if err == nil {
			r.Covered, err = covered(a, m.Paths)
		}
		if err == nil {
			r.Findings = a.Findings
		}
		return err
	}
	s := t.session(agent.Reviewer, p.Persona.Name, reviewerPrompt(t, &p.Persona, m))
	s.Model, s.Effort = p.Model, p.Effort
	use, incomplete := ask(ctx, p.Hold, s, accept)
	r.Sessions = use.sessions
	r.Agent, r.Tokens, r.Cost, r.Spent, r.Incomplete = use.Agent, use.Tokens, use.Cost, spent(use.Result), incomplete
	r.Later = later("reviewer "+r.Reviewer, use.Status, use.Reason)
	for i := range r.Findings {
		f := &r.Findings[i]
		f.Reviewers, f.Round, f.Advice = []string{p.Persona.Name}, t.Round, !p.Blocking
	}
	t.anchor(ctx, pointers(r.Findings)...)
	return r
}

// with joins the report of another part.
func (r Report) with(o Report) Report {
	r.Incomplete, r.Spent, r.Later = cmp.Or(r.Incomplete, o.Incomplete), cmp.Or(r.Spent, o.Spent), cmp.Or(r.Later, o.Later)
	known := setOf(r.Covered)
	for _, path := range o.Covered {
		if !known[path] {
			r.Covered = append(r.Covered, path)
		}
	}
	r.Findings = Merge(r.Findings, o.Findings)
	r.Agent = cmp.Or(r.Agent, o.Agent)
	r.Sessions += o.Sessions
	r.Tokens = r.Tokens.Add(o.Tokens)
	r.Cost = agent.Cost{USD: r.Cost.USD + o.Cost.USD, Known: r.Cost.Known && o.Cost.Known}
	return r
}

// after adds what was used before by the same reviewer, who is asked again.
func (r Report) after(before Report) Report {
	r.Sessions += before.Sessions
	r.Tokens = r.Tokens.Add(before.Tokens)
	r.Cost = agent.Cost{USD: r.Cost.USD + before.Cost.USD, Known: r.Cost.Known && (before.Cost.Known || before.Sessions == 0)}
	return r
}

// session returns what every session of a round has.
func (t *Target) session(role agent.Role, reviewer string, prompt agent.Prompt) agent.Session {
	return agent.Session{
		Role: role, Plan: t.PlanID, Branch: t.Branch, Attempt: 1, Dir: t.Dir, Prompt: prompt, Nonce: t.Nonce,
		Review: agent.Review{Base: t.Base, Head: t.Head, Reviewer: reviewer, Round: t.Round},
	}
}

// held says how the last of some sessions ended, and what all of them used.
type held struct {
	agent.Result
	sessions int
}

// ask runs a session until accept takes its answer; if accept refuses, it runs another one
// that is told what was wrong. The second value says why there is no answer.
func ask(ctx context.Context, hold Hold, s agent.Session, accept func(string) error) (held, string) {
	s.Accept = func(_ context.Context, r agent.Result) error { return accept(r.Answer) }
	user := s.Prompt.User
	var use held
	for try := 1; ; try++ {
		s.Attempt = try
		r := hold(ctx, s)
		use = held{add(use.Result, r), try}
		if r.Status != agent.Done {
			return use, reason(r)
		}
		err := accept(r.Answer)
		if err == nil {
			return use, ""
		}
		if try == 2 {
			return use, "its answer cannot be used: " + line(err.Error(), maxTitle)
		}
		p := &wording{}
		p.heading("Once more")
		p.say("An answer to this was given and could not be used. Give the whole answer again, mended. What was wrong:")
		p.data("error", cut(err.Error(), maxText))
		s.Prompt.User = user + p.text.String()
	}
}

// add sums what two sessions used; the later one is how it ended.
func add(a, b agent.Result) agent.Result {
	b.Tokens = a.Tokens.Add(b.Tokens)
	b.Cost = agent.Cost{USD: a.Cost.USD + b.Cost.USD, Known: b.Cost.Known && (a.Cost.Known || a.Status == "")}
	return b
}

// spent says why the budget did not allow a session to go on; empty if it did.
func spent(r agent.Result) string {
	if r.Status != agent.Stopped {
		return ""
	}
	return cmp.Or(line(r.Reason, maxTitle), "the budget is spent")
}

// later returns why a session did not come to its end now, though the same one may later;
// nil for every other end.
func later(who string, status agent.Status, reason string) error {
	kinds := map[agent.Status]error{agent.Limited: fault.ErrLimited, agent.Unreachable: fault.ErrUnreachable}
	if kinds[status] == nil {
		return nil
	}
	return &fault.Fault{Kind: kinds[status], Text: line(strings.TrimSuffix(fmt.Sprintf("%s: %s: %s", who, status, reason), ": "), maxTitle)}
}

func reason(r agent.Result) string {
	if why := line(r.Reason, maxTitle); why != "" {
		return fmt.Sprintf("%s: %s", r.Status, why)
	}
	return string(r.Status)
}

// covered returns the files a reviewer says it judged and was shown, sorted, also one that
// a fix deleted, which the branch does not change any more. A reviewer that judged none of
// what it was shown has not reviewed.
func covered(a *Answer, shown []string) ([]string, error) {
	said := setOf(a.Covered)
	out := slices.DeleteFunc(slices.Clone(shown), func(path string) bool { return !said[path] })
	if len(out) == 0 {
		return nil, errors.New(`"covered" names no file of the change that you were shown`)
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}
