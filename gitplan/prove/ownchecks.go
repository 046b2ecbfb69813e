package prove

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/progress"
	"github.com/git-plan/git-plan/gitplan/runner"
	"github.com/git-plan/git-plan/gitplan/visible"
	"github.com/git-plan/git-plan/gitplan/work"
)

// A step's own check shows it done only if it fails before the step.

// ownChecks runs the checks of a step before it, up to the first that fails, as one should, and of
// the others those that may run tests: one that does must still do so afterwards. If all pass they
// cannot show that the step is done, and a run reports that once. If the program of one is missing
// the step is refused: no session can install it.
func (b *Prover) ownChecks(ctx context.Context, step *plan.Step, reported *Once) error {
	fails := false
	for _, command := range plan.Commands(step.Checks) {
		if fails && !strings.Contains(command, "test") {
			continue
		}
		p, known := b.find(command, b.tree)
		if !known || p.Missing() {
			var err error
			if p, err = b.run(ctx, command); err != nil {
				return err
			}
		}
		if program := work.MissingProgram(command, b.w.Checkout.Repo.Top); program != "" && p.Missing() {
			return &fault.Fault{Kind: fault.ErrNoCheckProgram, Step: step.ID, Next: "git plan edit " + step.ID,
				Text: fmt.Sprintf("a check of step %s cannot run: `%s` begins with %s, which is nowhere on PATH", step.ID, visible.OneLine(command, 200), visible.OneLine(program, 80))}
		}
		fails = fails || !p.Exit.OK()
	}
	if b.green(step) && reported.first() {
		b.note("its own check passes before the step, so it only guards against a regression: `" + visible.OneLine(strings.Join(plan.Commands(step.Checks), "`, `"), 200) + "`")
	}
	return nil
}

// Once is true the first time that it is asked. A nil one always is.
type Once struct{ asked atomic.Bool }

func (o *Once) first() bool { return o == nil || o.asked.CompareAndSwap(false, true) }

// GreenBefore returns the open steps whose own checks are known to pass on what HEAD has: such
// checks cannot show that the step is done.
func GreenBefore(ctx context.Context, c *checkout.Checkout) []string {
	if c.Progress == nil { // the plan is new
		return nil
	}
	tree, err := headTree(ctx, c.Repo)
	known := (&runner.Runner{Checkout: c}).Proofs()
	if err != nil || len(known) == 0 {
		return nil
	}
	b := &Prover{tree: tree, where: where(c), known: known}
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
func (b *Prover) green(step *plan.Step) bool {
	commands := plan.Commands(step.Checks)
	for _, command := range commands {
		if p, known := b.find(command, b.tree); !known || !p.Exit.OK() {
			return false
		}
	}
	return len(commands) > 0
}

func headTree(ctx context.Context, r *git.Repo) (string, error) {
	head, err := r.ReadCommit(ctx, "HEAD")
	if errors.Is(err, git.ErrMissing) {
		return r.EmptyTree(), nil
	}
	return head.Tree, err
}
