package reviewers

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/budget"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/planner"
	"github.com/git-plan/git-plan/gitplan/prompt"
	"github.com/git-plan/git-plan/gitplan/setup"
	"github.com/git-plan/git-plan/gitplan/work"
	"github.com/git-plan/git-plan/reviewers/finding"
	"github.com/git-plan/git-plan/reviewers/panel"
)

// Critique has a critic look for what is wrong with the plan of a checkout, and the planner repair
// once what a second session confirms of that.
type Critique struct {
	*work.Worker
	Goal string // as a person put it; "" if only the plan says it
	Fix  bool   // the planner repairs what is confirmed
	// Last is what an earlier critique found in this very plan: nobody judges it again.
	Last *Critiqued

	meddled error // a session changed what is none of its business
}

// Critiqued is what came of a critique, as this clone keeps it.
type Critiqued struct {
	Schema   int               `json:"schema"`
	Meaning  string            `json:"meaning"` // digest of the plan that it is about
	Goal     string            `json:"goal,omitempty"`
	Findings []finding.Finding `json:"findings"`
	Unquoted int               `json:"unquoted,omitempty"` // more that quote what the plan does not say
	Repaired bool              `json:"repaired,omitempty"` // the planner tried to
}

// Standing returns the findings that are confirmed or may be so.
func (q *Critiqued) Standing() []finding.Finding {
	return slices.DeleteFunc(slices.Clone(q.Findings), func(f finding.Finding) bool {
		return f.Status != finding.Confirmed && f.Status != finding.Plausible
	})
}

// Confirmed returns the findings that are confirmed.
func (q *Critiqued) Confirmed() []finding.Finding {
	return slices.DeleteFunc(slices.Clone(q.Findings), func(f finding.Finding) bool { return f.Status != finding.Confirmed })
}

func critiqueFile(c *checkout.Checkout) string { return c.Repo.PlanDir(c.Doc.ID, "critique.json") }

// LastCritique returns what the last critique of a plan came to, with the lines that its findings
// have in the plan as it is now; nil without one. Of a plan that was changed since, those that
// quote what does not stand there any more are gone; stale says so.
func LastCritique(c *checkout.Checkout) (q *Critiqued, stale bool) {
	data, err := journal.ReadRegular(critiqueFile(c))
	if err != nil || json.Unmarshal(data, &q) != nil {
		return nil, false
	}
	stale = q.Meaning != c.Doc.Plan.Digest()
	q.Findings = panel.InPlan(c.Doc.Plan.Source, q.Findings)
	if stale {
		q.Findings = slices.DeleteFunc(q.Findings, func(f finding.Finding) bool { return f.Line == 0 })
	}
	return q, stale
}

// CriticRule is the rule of weaknesses that a critic found.
const CriticRule = "critic"

// CritiqueWeaknesses returns what is left of the last critique, for whoever approves the plan.
func CritiqueWeaknesses(c *checkout.Checkout) (out []plan.Weakness) {
	q, _ := LastCritique(c)
	if q == nil {
		return nil
	}
	return q.weaknesses(c.Doc.Plan)
}

// weaknesses returns what is left, by the lines of a plan.
func (q *Critiqued) weaknesses(p *plan.Plan) (out []plan.Weakness) {
	for _, f := range q.Standing() {
		text := f.Title
		if f.Status == finding.Plausible {
			text += " (not confirmed)"
		}
		out = append(out, plan.Weakness{Rule: CriticRule, Line: f.Line, Step: stepAt(p, f.Line), Text: text, Fix: finding.Line(f.Detail, 300)})
	}
	return out
}

// stepAt returns the step in which a line of a plan is; "" if it is in none.
func stepAt(p *plan.Plan, line int) (id string) {
	from := 0
	for _, s := range p.Steps {
		if s.Line <= line {
			id, from = s.ID, s.Line
		}
	}
	for _, s := range p.Sections {
		if from < s.Line && s.Line <= line {
			return ""
		}
	}
	return id
}

// Run judges the plan, has what is found verified, and with Fix the planner repair what is
// confirmed; what then stays was verified again. If the result is known it comes with the error.
func (q *Critique) Run(ctx context.Context) (out *Critiqued, err error) {
	defer func() {
		if err != nil {
			err = q.AccountFailed(ctx, err)
		}
	}()
	for _, role := range []agent.Role{agent.Critic, agent.Verifier} {
		if _, err := q.Config.Agent(role); err != nil {
			return nil, err
		}
		if err := q.SetTimeouts(&work.Task{Role: role}); err != nil {
			return nil, err
		}
	}
	release, err := q.LockPlan(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	t, err := q.target(ctx)
	if err != nil {
		return nil, err
	}
	critic := panel.Critic{RunSession: q.runSession}
	if out = q.Last; out == nil {
		c := critic.Judge(ctx, t)
		if err := q.ended(ctx, c); err != nil {
			return nil, err
		}
		out = &Critiqued{Schema: 1, Goal: q.Goal, Findings: c.Findings, Unquoted: c.Unquoted}
		if err := q.keep(ctx, out); err != nil {
			return out, err
		}
	}
	if !q.Fix || len(out.Confirmed()) == 0 {
		return out, nil
	}
	return out, q.repair(ctx, critic, out)
}

// repair has the planner repair what is confirmed, and what then stays verified.
func (q *Critique) repair(ctx context.Context, critic panel.Critic, out *Critiqued) error {
	confirmed := out.Confirmed()
	faults := panel.PlanFaults(confirmed)
	if q.Goal != "" {
		faults += "\nThe goal as it was asked for: " + q.Goal
	}
	if _, err := planner.Replan(ctx, q.Worker, journal.ByAgent, faults, nil); err != nil {
		return err
	}
	t, err := q.target(ctx)
	if err != nil {
		return err
	}
	again := critic.Verify(ctx, t, confirmed)
	if err := q.ended(ctx, again); err != nil {
		return err
	}
	out.judgedAgain(again.Findings)
	return q.keep(ctx, out)
}

// judgedAgain takes over what a verifier said of findings after the planner repaired the plan.
func (q *Critiqued) judgedAgain(list []finding.Finding) {
	q.Repaired = true
	for i := range q.Findings {
		f := &q.Findings[i]
		at := slices.IndexFunc(list, func(o finding.Finding) bool { return o.ID == f.ID })
		if at < 0 {
			continue
		}
		if *f = list[at]; f.Status == finding.Refuted {
			f.TakeAsFixed()
		}
	}
}

// target is the plan as it is stored now, and what a critic reads beside it.
func (q *Critique) target(ctx context.Context) (*panel.PlanTarget, error) {
	p := q.Doc.Plan
	text := string(p.Source)
	instructions, survey, err := planner.About(ctx, q.Worker, prompt.Planning{Goal: q.Goal, Context: [][2]string{{panel.PlanName, text}}})
	if err != nil {
		return nil, err
	}
	return &panel.PlanTarget{
		Goal: q.Goal, Text: p.Source, Survey: survey, Instructions: instructions, PlanID: q.Doc.ID, Branch: q.Branch, Nonce: panel.NewNonce(),
		Cites: func(quote string) bool { return inRepository(ctx, q.Repo, quote) },
	}, nil
}

// runSession runs a session of the critic or the verifier where it can change nothing that lasts.
func (q *Critique) runSession(ctx context.Context, s agent.Session) agent.Result {
	a, err := q.Config.Agent(s.Role)
	if err != nil {
		return agent.Result{Status: agent.Unusable, Reason: err.Error()}
	}
	s.ID = fmt.Sprintf("%s-%d-%s", s.Role, s.Attempt, setup.Random(3))
	r, err := planner.Reading(ctx, q.Worker, a, s.Role, s.ID, func(dir string) agent.Result {
		s.Dir = dir
		return q.RunReview(ctx, a, s)
	})
	if err != nil {
		q.meddled = err
		return agent.Result{Status: agent.Failed, Reason: err.Error()}
	}
	return r
}

// ended returns the error of a critique that gave no usable answer.
func (q *Critique) ended(ctx context.Context, c panel.Critique) error {
	switch {
	case q.meddled != nil:
		return q.meddled
	case ctx.Err() != nil:
		return fault.New(fault.ErrInterrupted, "interrupted before the plan was judged")
	case c.Spent != "":
		return budget.Overspent("", c.Spent)
	case c.Later != nil:
		return c.Later
	case c.Incomplete != "":
		return fault.New(fault.ErrCritic, "the critique is incomplete: %s", c.Incomplete)
	}
	return nil
}

// keep writes down what a critique came to, and what its sessions used.
func (q *Critique) keep(ctx context.Context, out *Critiqued) error {
	out.Meaning = q.Doc.Plan.Digest()
	out.Findings = panel.InPlan(q.Doc.Plan.Source, out.Findings)
	data, err := json.MarshalIndent(out, "", "  ")
	if err == nil {
		err = journal.WriteFile(critiqueFile(q.Checkout), append(data, '\n'))
	}
	if err != nil {
		return err
	}
	reason := fmt.Sprintf("the critic: %s, %d confirmed", finding.Count(len(out.Findings), "finding"), len(out.Confirmed()))
	return q.Account(ctx, journal.Event{Kind: journal.Checked, Head: journal.None, Reason: reason})
}

// maxCited bounds what is searched for a citation, in bytes: all files, and each of them.
const (
	maxCited     = 256 << 20
	maxCitedFile = 1 << 20
)

// inRepository reports whether a text is in a file that git tracks, as the work tree has it.
func inRepository(ctx context.Context, r *git.Repo, quote string) bool {
	list, err := r.Bytes(ctx, "ls-files", "-z")
	if err != nil {
		return false
	}
	root, err := os.OpenRoot(r.Top)
	if err != nil {
		return false
	}
	defer root.Close()
	left := int64(maxCited)
	for _, name := range strings.Split(strings.TrimSuffix(string(list), "\x00"), "\x00") {
		info, err := root.Lstat(name)
		if err != nil || !info.Mode().IsRegular() || info.Size() > maxCitedFile {
			continue
		}
		if left -= info.Size(); left < 0 || ctx.Err() != nil {
			return false
		}
		if data, err := root.ReadFile(name); err == nil && finding.Quotes(quote, data) {
			return true
		}
	}
	return false
}
