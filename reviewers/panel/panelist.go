package panel

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/reviewers/finding"
	"github.com/git-plan/git-plan/reviewers/ledger"
)

// Panelist is a [Reviewer]: a persona and what runs its sessions.
type Panelist struct {
	Persona
	RunSession RunSession
	// Auto says that it is asked only of changes that call for it: see [CalledFor].
	Auto bool
	// Shares says that its sessions cannot write here, so they read the clone that a round has.
	Shares bool
	// Primes says that its sessions ask a model's service from here, whose cache others may use.
	Primes bool
}

// LooksLast reports whether a reviewer is asked when nothing blocks any more.
func LooksLast(r Reviewer) bool {
	p, ok := r.(*Panelist)
	return ok && p.Rounds == Last
}

func (p *Panelist) Name() string { return p.Persona.Name }

func (p *Panelist) Digest() string {
	if p.Auto {
		return p.Persona.Digest() + " " + fmt.Sprint(autoVersion)
	}
	return p.Persona.Digest()
}

// Review has the persona judge the target. A persona that changed the judged files has no say.
func (p *Panelist) Review(ctx context.Context, t *Target) Report {
	if p.Shares {
		return p.review(ctx, t)
	}
	r := Report{Reviewer: p.Persona.Name, Required: p.Blocking}
	err := t.inClone(ctx, func(own *Target) bool {
		r = p.review(ctx, own)
		return r.Incomplete == ""
	})
	return r.failed(err)
}

// review runs a fresh session, or one for each part of a large change, all at once. All of them must answer.
func (p *Panelist) review(ctx context.Context, t *Target) Report {
	parts, _ := t.split(ctx, t.Judge)
	if len(parts) == 0 {
		return Report{Reviewer: p.Persona.Name, Required: p.Blocking,
			Use: Use{Incomplete: "there was nothing that it could be shown"}}
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

// part judges one part of a change. An answer that does not parse, has a wrong quote, or leaves files out is sent back once.
func (p *Panelist) part(ctx context.Context, t *Target, m part) Report {
	r := Report{Reviewer: p.Persona.Name, Required: p.Blocking}
	asked := false // to quote again, or to judge the rest
	accept := func(text string) error {
		a, err := finding.ParseAnswer(text, finding.Terms{Nonce: t.Nonce})
		if err == nil {
			r.Covered, err = a.Judged(m.Paths)
		}
		if err == nil {
			r.Findings = a.Findings
		}
		if err == nil && !asked {
			asked, err = true, t.Code(ctx).Misquoted(a.Findings)
			if left := slices.DeleteFunc(slices.Clone(m.Paths),
				func(path string) bool { return slices.Contains(r.Covered, path) }); err == nil && len(left) > 0 {
				err = fmt.Errorf(`"covered" leaves out what you were shown: %s; judge that, too`, finding.Some(left, 20))
			}
		}
		return err
	}
	s := t.session(agent.Reviewer, p.Persona.Name, reviewerPrompt(t, &p.Persona, m))
	s.Model, s.Effort, s.On = p.Model, p.Effort, t.onEvent
	r.Use = ask(ctx, p.RunSession, "reviewer "+r.Reviewer, s, accept)
	for i := range r.Findings {
		f := &r.Findings[i]
		f.Reviewers, f.Round, f.NonBlocking = []string{p.Persona.Name}, t.Round, !p.Blocking
	}
	t.Code(ctx).Anchor(r.Findings)
	return r
}

// RunSession runs one session with the agent of its role, and fills in what the session leaves empty.
type RunSession func(ctx context.Context, s agent.Session) agent.Result

func (t *Target) session(role agent.Role, reviewer string, prompt agent.Prompt) agent.Session {
	return agent.Session{
		Role: role, Plan: t.PlanID, Branch: t.Branch, Attempt: 1, Dir: t.Dir, Prompt: prompt, Nonce: t.Nonce,
		Review: agent.Review{Base: t.Base, Head: t.Head, Reviewer: reviewer, Round: t.Round,
			Hidden: slices.Sorted(maps.Keys(t.Secret))},
	}
}

// Use is how the sessions of one reviewer or verifier ended, and what they used.
type Use struct {
	Agent      string // who ran, as "openai/gpt-5.6"; empty for rules and commands
	Sessions   int
	Tokens     agent.Tokens
	Cost       agent.Cost
	Incomplete string // why there is no usable answer, in one line; empty if there is one
	Spent      string // why the budget did not allow it to go on
	Later      error  `json:"-"` // why it could not answer now; no word against it
}

// and adds what other sessions of the same reviewer used. How it ended stays.
func (u Use) and(o Use) Use {
	u.Agent = cmp.Or(u.Agent, o.Agent)
	u.Cost = agent.Cost{USD: u.Cost.USD + o.Cost.USD, Known: u.Cost.Known && (o.Cost.Known || o.Sessions == 0)}
	u.Sessions += o.Sessions
	u.Tokens = u.Tokens.Add(o.Tokens)
	return u
}

func (u Use) recorded(name string) ledger.Reviewed {
	return ledger.Reviewed{Name: name, Agent: u.Agent, Incomplete: u.Incomplete, Sessions: u.Sessions, Tokens: u.Tokens,
		CostUSD: journal.Dollars(u.Cost)}
}

// ask runs a session and has accept judge its answer; if that is refused, one more session is told why.
func ask(ctx context.Context, run RunSession, who string, s agent.Session, accept func(string) error) (use Use) {
	s.Accept = func(_ context.Context, r agent.Result) error { return accept(r.Answer) }
	user := s.Prompt.User
	for try := 1; ; try++ {
		s.Attempt = try
		r := run(ctx, s)
		use = Use{Agent: r.Agent, Sessions: 1, Tokens: r.Tokens, Cost: r.Cost, Spent: Spent(r),
			Later: Later(who, r.Status, r.Reason)}.and(use)
		if r.Status != agent.Done {
			use.Incomplete = reason(r)
			return use
		}
		err := accept(r.Answer)
		if err == nil {
			return use
		}
		if try == 2 {
			use.Incomplete = "its output cannot be used: " + finding.Line(err.Error(), finding.MaxTitle)
			return use
		}
		p := &promptBuilder{}
		p.heading("Once more")
		p.say("Your answer to this could not be used. Give the whole answer again, corrected. What was wrong:")
		p.data("error", finding.Cut(err.Error(), finding.MaxText))
		s.Prompt.User = user + p.text.String()
	}
}

// Spent says why the budget did not allow a session to go on; empty if it did.
func Spent(r agent.Result) string {
	if r.Status != agent.Stopped {
		return ""
	}
	return cmp.Or(finding.Line(r.Reason, finding.MaxTitle), "the budget is spent")
}

// Later returns the error of a session that could not finish now but may later; nil for any other end.
func Later(who string, status agent.Status, reason string) error {
	if !status.Transient() {
		return nil
	}
	return &fault.Fault{Kind: status.Fault(),
		Text: finding.Line(strings.TrimSuffix(fmt.Sprintf("%s: %s: %s", who, status, reason), ": "), finding.MaxTitle)}
}

func reason(r agent.Result) string {
	why, silent := strings.CutPrefix(finding.Line(r.Reason, finding.MaxTitle), agent.Silent)
	if silent { // which says that it failed
		return why
	}
	return strings.TrimSuffix(fmt.Sprintf("%s: %s", r.Status, why), ": ")
}
