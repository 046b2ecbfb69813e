package panel

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/reviewers/finding"
	"github.com/git-plan/git-plan/reviewers/ledger"
)

// sessions has the persona judge the target in one fresh session, or for a large change in one session for each part,
// all at once. All of them must answer.
func (r *Reviewer) sessions(ctx context.Context, t *Target) (all Report) {
	parts, _ := t.split(ctx, t.Judge)
	if len(parts) == 0 {
		return Report{Use: Use{Incomplete: "there was nothing that it could be shown"}}
	}
	reports := make([]Report, len(parts))
	var wg sync.WaitGroup
	for i, shown := range parts {
		wg.Go(func() { reports[i] = r.judgePart(ctx, t, shown) })
	}
	wg.Wait()
	all = reports[0]
	for _, p := range reports[1:] {
		all.Use, all.Covered = all.and(p.Use), plan.Unique(append(all.Covered, p.Covered...))
		all.Findings = finding.Merge(all.Findings, p.Findings)
	}
	if all.Incomplete != "" {
		all.Covered, all.Findings = nil, nil
	}
	return all
}

// judgePart judges one part of a change. An answer that cannot be parsed, misquotes or omits files is rejected once.
func (r *Reviewer) judgePart(ctx context.Context, t *Target, shown part) (rep Report) {
	asked := false // misquoted or missing files were rejected once
	accept := func(text string) error {
		a, err := finding.ParseAnswer(text, finding.Terms{Nonce: t.Nonce})
		if err == nil {
			rep.Findings = a.Findings
			rep.Covered, err = a.Judged(shown.Paths)
		}
		if err != nil || asked {
			return err
		}
		asked = true
		judged := func(path string) bool { return slices.Contains(rep.Covered, path) }
		left := slices.DeleteFunc(slices.Clone(shown.Paths), judged)
		if err = t.Code(ctx).Misquoted(a.Findings); err == nil && len(left) > 0 {
			err = fmt.Errorf(`"covered" leaves out what you were shown: %s; judge that, too`, finding.Some(left, 20))
		}
		return err
	}
	s := t.session(agent.Reviewer, r.Name, reviewerPrompt(t, &r.Persona, shown))
	s.Model, s.Effort, s.On = r.Model, r.Effort, t.onEvent
	rep.Use = ask(ctx, r.RunSession, "reviewer "+r.Name, s, accept)
	for i := range rep.Findings {
		f := &rep.Findings[i]
		f.Reviewers, f.Round, f.NonBlocking = []string{r.Name}, t.Round, !r.Blocking
	}
	t.Code(ctx).Anchor(rep.Findings)
	return rep
}

// RunSession runs one session with the agent of its role, and sets the session's ID and limits.
type RunSession func(ctx context.Context, s agent.Session) agent.Result

func (t *Target) session(role agent.Role, reviewer string, prompt agent.Prompt) agent.Session {
	return agent.Session{
		Role: role, Plan: t.PlanID, Branch: t.Branch, Attempt: 1, Dir: t.Dir, Prompt: prompt, Nonce: t.Nonce,
		Review: agent.Review{Base: t.Base, Head: t.Head, Reviewer: reviewer, Round: t.Round},
	}
}

// Use is the end and the usage of the sessions of one reviewer or verifier.
type Use struct {
	Agent      string // agent and model, such as "openai/gpt-5.6"; empty for rules and commands
	Sessions   int
	Tokens     agent.Tokens
	Cost       agent.Cost
	Incomplete string // why there is no usable answer, in one line; empty if there is one
	Spent      string // why the budget did not allow it to go on; empty if it did
	Later      error  `json:"-"` // why it could not answer now but may later; else nil
}

// and returns the sum of u and other sessions of the same reviewer.
func (u Use) and(o Use) Use {
	u.Agent, u.Incomplete = cmp.Or(u.Agent, o.Agent), cmp.Or(u.Incomplete, o.Incomplete)
	u.Spent, u.Later = cmp.Or(u.Spent, o.Spent), cmp.Or(u.Later, o.Later)
	u.Cost = agent.Cost{USD: u.Cost.USD + o.Cost.USD, Known: u.Cost.Known && (o.Cost.Known || o.Sessions == 0)}
	u.Sessions += o.Sessions
	u.Tokens = u.Tokens.Add(o.Tokens)
	return u
}

func (u Use) recorded(name string) ledger.Reviewed {
	return ledger.Reviewed{Name: name, Agent: u.Agent, Incomplete: u.Incomplete, Sessions: u.Sessions, Tokens: u.Tokens,
		CostUSD: journal.Dollars(u.Cost)}
}

// ask runs a session. If accept rejects its answer, one more session is told why.
func ask(ctx context.Context, run RunSession, who string, s agent.Session, accept func(string) error) (use Use) {
	s.Accept = func(_ context.Context, r agent.Result) error { return accept(r.Answer) }
	user := s.Prompt.User
	for try := 1; ; try++ {
		s.Attempt = try
		r := run(ctx, s)
		use = Use{Agent: r.Agent, Sessions: 1, Tokens: r.Tokens, Cost: r.Cost, Spent: Spent(r),
			Later: Later(who, r.Status, r.Reason)}.and(use)
		if r.Status != agent.Done {
			why, silent := strings.CutPrefix(finding.Line(r.Reason, finding.MaxTitle), agent.Silent)
			if !silent { // a silent agent's reason says that it failed
				why = strings.TrimSuffix(fmt.Sprintf("%s: %s", r.Status, why), ": ")
			}
			use.Incomplete = why
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

// Spent returns why the budget did not allow a session to go on; "" if it did.
func Spent(r agent.Result) string {
	if r.Status != agent.Stopped {
		return ""
	}
	return cmp.Or(finding.Line(r.Reason, finding.MaxTitle), "the budget is spent")
}

// Later returns the error of a session that could not finish now but may later; nil for any other status.
func Later(who string, status agent.Status, reason string) error {
	if !status.Transient() {
		return nil
	}
	return &fault.Fault{Kind: status.Fault(),
		Text: finding.Line(strings.TrimSuffix(fmt.Sprintf("%s: %s: %s", who, status, reason), ": "), finding.MaxTitle)}
}
