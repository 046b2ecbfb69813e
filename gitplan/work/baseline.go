package work

import (
	"context"
	"slices"
	"strconv"

	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/runner"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// CheckResult is how one command of the plan ends on what HEAD has.
type CheckResult struct {
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
func (b *Prover) Baseline(ctx context.Context) (list []CheckResult, stops error, err error) {
	for i, command := range plan.Commands(b.w.Checkout.Doc.Plan.Checks) {
		p, accepted, err := b.check(ctx, command)
		if err != nil {
			return nil, nil, err
		}
		if !p.Exit.OK() && !accepted && stops == nil {
			stops = red(i+1, p)
		}
		list = append(list, resultOf("checks", i+1, p, accepted))
	}
	b.t.Quietly, b.t.Briefly = true, true
	verification, err := b.each(ctx, "verification", "", b.w.Checkout.Doc.Plan.Verification)
	if err != nil {
		return nil, nil, err
	}
	list = append(list, verification...)
	for _, step := range unsettled(b.w.Runner.Checkout) {
		b.t.Files, b.t.Briefly = step.Files, false
		own, err := b.each(ctx, "step", step.ID, step.Checks)
		if err != nil {
			return nil, nil, err
		}
		list = append(list, own...)
	}
	return list, stops, nil
}

// each returns how the checks end that may fail before the
func (b *Prover) each(ctx context.Context, section, step string, checks []plan.Check) (list []CheckResult, err error) {
	for i, command := range plan.Commands(checks) {
		p, known := b.find(command, b.tree)
		if !known || p.Missing() {
			if p, err = b.run(ctx, command); err != nil {
				return nil, err
			}
		}
		row := resultOf(section, i+1, p, false)
		row.Step = step
		list = append(list, row)
	}
	return list, nil
}

func resultOf(section string, n int, p runner.Proof, accepted bool) CheckResult {
	state := "fails"
	switch {
	case p.Exit.OK():
		state = "passes"
	case accepted:
		state = "accepted"
	case p.Missing():
		state = "missing"
	}
	return CheckResult{Section: section, N: n, Command: p.Command, State: state, Exit: p.Exit.Code, Reason: p.Why}
}

// Accept records that a person accepts that a check of the plan, named by its text or its number,
// fails on what HEAD has: until it passes it fails no step.
func (b *Prover) Accept(ctx context.Context, name string) (accepted CheckResult, err error) {
	commands := plan.Commands(b.w.Checkout.Doc.Plan.Checks)
	at := slices.Index(commands, name)
	if n, err := strconv.Atoi(name); at < 0 && err == nil && 1 <= n && n <= len(commands) {
		at = n - 1
	}
	if at < 0 {
		return accepted, fault.New(fault.ErrUnknownCheck, "the plan has no check %s", name)
	}
	p, already, err := b.check(ctx, commands[at])
	if err != nil {
		return accepted, err
	}
	if p.Exit.OK() {
		return accepted, fault.New(fault.ErrUnknownCheck, "`%s` passes, so there is nothing to accept", p.Command)
	}
	accepted = resultOf("checks", at+1, p, true)
	if already {
		return accepted, nil
	}
	return accepted, b.w.Checkout.Store.Apply(ctx, b.w.Checkout.Doc, b.w.Checkout.Branch, journal.Change{Event: journal.Event{
		Kind: journal.Accepted, Check: journal.NameOfCheck(p.Command), By: journal.ByPerson, Tree: b.tree, Reason: visible.FirstLine(p.Why),
	}})
}
