package gitplan

import (
	"context"
	"strings"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/progress"
	"github.com/git-plan/git-plan/gitplan/site"
	"github.com/git-plan/git-plan/gitplan/visible"
	"github.com/git-plan/git-plan/gitplan/work"
)

// A step's own check shows it done only if it fails before the step.

// ownChecks reports that the checks of a step are known to pass before it: they cannot show it
// done. None is run for that: it may be slow, or wait for what the session does. git plan baseline
// runs them.
func (b *prover) ownChecks(step *plan.Step) {
	if b.green(step) {
		b.note("its own check passes before any work, so it cannot show the step done: `" + visible.OneLine(strings.Join(plan.Commands(step.Checks), "`, `"), 200) + "`")
	}
}

// GreenBefore returns the open steps whose own checks are known to pass on what HEAD has: they
// cannot show them done.
func GreenBefore(ctx context.Context, c *checkout.Checkout) []string {
	if c.Progress == nil { // of a plan that is new
		return nil
	}
	s := &Steps{Worker: &work.Worker{Site: &site.Site{Checkout: c}}}
	tree, err := s.headTree(ctx)
	known := s.Proofs()
	if err != nil || len(known) == 0 {
		return nil
	}
	b := &prover{s: s, tree: tree, where: s.where(), known: known}
	var out []string
	for _, step := range unsettled(c) {
		if b.green(step) {
			out = append(out, step.ID)
		}
	}
	return out
}

// unsettled returns the steps that are neither done nor skipped.
func unsettled(c *checkout.Checkout) (out []*plan.Step) {
	for i := range c.Doc.Plan.Steps {
		step := &c.Doc.Plan.Steps[i]
		if st := c.Progress.Steps[step.ID].State; st != progress.StateDone && st != progress.StateSkipped {
			out = append(out, step)
		}
	}
	return out
}

// green reports that all commands of a step's own checks are known to pass before it.
func (b *prover) green(step *plan.Step) bool {
	commands := plan.Commands(step.Checks)
	for _, command := range commands {
		if p, known := b.find(command, b.tree); !known || !p.Exit.OK() {
			return false
		}
	}
	return len(commands) > 0
}
