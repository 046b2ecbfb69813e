package panel

import (
	"cmp"
	"context"
	"fmt"
	"sync"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/reviewers/finding"
)

// Panelist is a [Reviewer]: a persona and what runs its sessions.
type Panelist struct {
	Persona
	RunSession RunSession
	// Auto says that it is asked only of changes that call for it: see [CalledFor].
	Auto bool
	// Shares says that its sessions have no way to write here: they read the clone that
	// a round has, or a copy on another machine. All others get one of their own.
	Shares bool
	// Warms says that a model's service is asked for its sessions from here, whose cache what one
	// of them sends may fill for the others.
	Warms bool
}

// Name returns the persona's name.
func (p *Panelist) Name() string { return p.Persona.Name }

// Digest names the persona as it is, and when it is asked.
func (p *Panelist) Digest() string {
	if p.Auto {
		return p.Persona.Digest() + " " + fmt.Sprint(autoVersion)
	}
	return p.Persona.Digest()
}

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
		r.Incomplete = finding.Line(err.Error(), finding.MaxTitle)
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
func (p *Panelist) part(ctx context.Context, t *Target, m part) Report {
	r := Report{Reviewer: p.Persona.Name, Required: p.Blocking}
	terms := finding.Terms{Nonce: t.Nonce}
	accept := func(text string) error {
		a, err := finding.ParseAnswer(text, terms)
		if err == nil {
			r.Covered, err = a.Judged(m.Paths)
		}
		if err == nil {
			r.Findings = a.Findings
		}
		return err
	}
	s := t.session(agent.Reviewer, p.Persona.Name, reviewerPrompt(t, &p.Persona, m))
	s.Model, s.Effort, s.On = p.Model, p.Effort, t.heard
	use, incomplete := ask(ctx, p.RunSession, s, accept)
	r.Sessions = use.sessions
	r.Agent, r.Tokens, r.Cost, r.Spent, r.Incomplete = use.Agent, use.Tokens, use.Cost, Spent(use.Result), incomplete
	r.Later = Later("reviewer "+r.Reviewer, use.Status, use.Reason)
	for i := range r.Findings {
		f := &r.Findings[i]
		f.Reviewers, f.Round, f.Advice = []string{p.Persona.Name}, t.Round, !p.Blocking
	}
	t.Code(ctx).Anchor(r.Findings)
	return r
}
