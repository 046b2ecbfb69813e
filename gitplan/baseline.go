package gitplan

import (
	"context"
	"errors"
	"slices"
	"strconv"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/place"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/site"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// Baseline is how one command of the plan ends on what HEAD has.
type Baseline struct {
	Section string `json:"section"` // checks, verification, or step: one of its own
	Step    string `json:"step,omitempty"`
	N       int    `json:"number"` // within its section or step, from 1
	Command string `json:"command"`
	State   string `json:"state"` // passes, fails, missing (its program) or accepted (it fails)
	Exit    int    `json:"exitCode"`
	Reason  string `json:"reason,omitempty"`
}

// Baseline returns how the plan's Checks, its Verification and the checks of its open steps end on
// what HEAD has, and ErrBaseline if a step would not be begun.
func (s *Steps) Baseline(ctx context.Context) (list []Baseline, stops error, err error) {
	err = s.atHead(ctx, func(b *prover) error {
		for i, command := range plan.Commands(s.Doc.Plan.Checks) {
			p, accepted, err := b.check(ctx, command)
			if err != nil {
				return err
			}
			if !p.Exit.OK() && !accepted && stops == nil {
				stops = red(i+1, p)
			}
			list = append(list, baseline("checks", i+1, p, accepted))
		}
		b.t.Quietly, b.t.Briefly = true, true
		verification, err := b.each(ctx, "verification", "", s.Doc.Plan.Verification)
		if err != nil {
			return err
		}
		list = append(list, verification...)
		for _, step := range unsettled(s.Checkout) {
			b.t.Files, b.t.Briefly = step.Files, false
			own, err := b.each(ctx, "step", step.ID, step.Checks)
			if err != nil {
				return err
			}
			list = append(list, own...)
		}
		return nil
	})
	return list, stops, err
}

// each returns how the checks end that may fail before the work.
func (b *prover) each(ctx context.Context, section, step string, checks []plan.Check) (list []Baseline, err error) {
	for i, command := range plan.Commands(checks) {
		p, known := b.find(command, b.tree)
		if !known || p.Missing() {
			if p, err = b.run(ctx, command); err != nil {
				return nil, err
			}
		}
		row := baseline(section, i+1, p, false)
		row.Step = step
		list = append(list, row)
	}
	return list, nil
}

func baseline(section string, n int, p site.Proof, accepted bool) Baseline {
	state := "fails"
	switch {
	case p.Exit.OK():
		state = "passes"
	case accepted:
		state = "accepted"
	case p.Missing():
		state = "missing"
	}
	return Baseline{Section: section, N: n, Command: p.Command, State: state, Exit: p.Exit.Code, Reason: p.Why}
}

// atHead runs do with the checks of the plan, as work by hand, in the place where a session would
// work.
func (s *Steps) atHead(ctx context.Context, do func(*prover) error) (err error) {
	release, err := s.asItIs(ctx)
	if err != nil {
		return err
	}
	defer release()
	p, err := s.readyByHand(ctx)
	if err != nil {
		return err
	}
	here, leave, err := p.Enter(ctx, agent.Executor)
	if err != nil {
		return err
	}
	defer func() { place.Abandon(s.Checkout, err) }()
	defer leave()
	b, err := s.prover(ctx, here, place.Proving{Name: "baseline"})
	if err != nil {
		return err
	}
	return errors.Join(do(b), s.Prove(b.more))
}

// Accept records that a person accepts that a check of the plan, named by its text or its number,
// fails on what HEAD has: until it passes it fails no step.
func (s *Steps) Accept(ctx context.Context, name string) (accepted Baseline, err error) {
	commands := plan.Commands(s.Doc.Plan.Checks)
	at := slices.Index(commands, name)
	if n, err := strconv.Atoi(name); at < 0 && err == nil && 1 <= n && n <= len(commands) {
		at = n - 1
	}
	if at < 0 {
		return accepted, fault.New(fault.ErrUnknownCheck, "the plan has no check %s", visible.OneLine(name, 200))
	}
	err = s.atHead(ctx, func(b *prover) error {
		p, already, err := b.check(ctx, commands[at])
		if err != nil {
			return err
		}
		if p.Exit.OK() {
			return fault.New(fault.ErrUnknownCheck, "`%s` passes, so there is nothing to accept", visible.OneLine(p.Command, 200))
		}
		accepted = baseline("checks", at+1, p, true)
		if already {
			return nil
		}
		return s.Store.Apply(ctx, s.Doc, s.Branch, journal.Change{Event: journal.Event{
			Kind: journal.Accepted, Check: journal.NameOfCheck(p.Command), By: journal.ByPerson, Tree: b.tree, Reason: visible.FirstLine(p.Why),
		}})
	})
	return accepted, err
}
