package work

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/progress"
	"github.com/git-plan/git-plan/gitplan/runner"
	"github.com/git-plan/git-plan/gitplan/visible"
	"github.com/git-plan/git-plan/gitplan/workspace"
)

// Checks run before the work that they judge: a check of the plan that fails on what HEAD has fails
// every session, whatever it does, and a step's own check shows the step done only if it fails before
// it. What is found out about a tree is noted, and not run again.

// Prover runs checks on what HEAD has, in the place of one task. What is known of a tree is noted
// (runner.Proof), so that nothing runs there twice, except what stops the work: a person may have
// installed a program since.
type Prover struct {
	w           *Worker
	here        *workspace.Workspace
	t           workspace.Proving
	tree, where string
	known, more []runner.Proof
}

// NewProver returns a Prover for a task that begins at a place.
func NewProver(ctx context.Context, w *Worker, here *workspace.Workspace, t workspace.Proving) (*Prover, error) {
	b := &Prover{w: w, here: here, t: t, tree: w.Checkout.Repo.EmptyTree(), where: where(w.Runner.Checkout), known: w.Runner.Proofs()}
	if here.Before.Head == "" {
		return b, nil
	}
	head, err := w.Checkout.Repo.ReadCommit(ctx, here.Before.Head) // HEAD may have moved on
	b.tree = head.Tree
	return b, err
}

// where returns the settings that decide how checks find what they need outside of the tree.
func where(c *checkout.Checkout) string {
	var out []string
	for _, key := range []string{"plan.isolation", "plan.worktreeSetup", "plan.sandbox"} {
		out = append(out, c.Config.String(key))
	}
	return strings.Join(out, "\x00")
}

// CheckBefore refuses a step if a check of the plan would fail all of its sessions, whatever they do.
// fresh says that nothing was done at the step yet: then its own checks are looked at, too. If
// they pass already, that is reported unless it was.
func CheckBefore(ctx context.Context, w *Worker, here *workspace.Workspace, step *plan.Step, fresh bool, reported *ReportOnce) error {
	b, err := NewProver(ctx, w, here, workspace.Proving{Name: step.ID, Files: step.Files, Of: journal.Notice{Step: step.ID}})
	if err != nil {
		return err
	}
	if err := b.noting(func() error { return b.plans(ctx) }); err != nil || !fresh {
		return err
	}
	b.t.Quietly = true
	err = b.ownChecks(ctx, step, reported)
	return errors.Join(err, b.Note())
}

// Note notes what was found out.
func (b *Prover) Note() error { return b.noting(func() error { return nil }) }

// noting notes what do finds out. Steps side by side take turns, so that each knows what another
// has found out.
func (b *Prover) noting(do func() error) error {
	defer b.w.Proving()()
	b.known = b.w.Runner.Proofs()
	err := do()
	err = errors.Join(err, b.w.Runner.Prove(b.more))
	b.known, b.more = append(b.known, b.more...), nil
	return err
}

// plans runs what the plan asks of every step, and of the last.
func (b *Prover) plans(ctx context.Context) error {
	for i, command := range plan.Commands(b.w.Checkout.Doc.Plan.Checks) {
		p, accepted, err := b.check(ctx, command)
		if err != nil {
			return err
		}
		if !p.Exit.OK() && !accepted {
			return red(i+1, p)
		}
	}
	defer func(t workspace.Proving) { b.t = t }(b.t)
	b.t.Quietly, b.t.Briefly = true, true
	return b.verification(ctx)
}

// red is why no session begins: the nth check of the plan fails.
func red(n int, p runner.Proof) error {
	text := "a check of the plan fails before any work: " + p.Why
	if p.Missing() {
		text = fmt.Sprintf("a check of the plan needs a program that is not there, or cannot be started: %s", p.Why)
	}
	return &fault.Fault{Kind: fault.ErrBaseline, Text: text, Next: fmt.Sprintf("git plan verify --base --accept %d", n)}
}

// check returns how a check of the plan ends on the tree, and whether it was accepted that it
// fails. One that was accepted and passes is required from now on.
func (b *Prover) check(ctx context.Context, command string) (p runner.Proof, accepted bool, err error) {
	accepted = progress.Accepted(b.w.Checkout.Doc.Events)[journal.NameOfCheck(command)]
	p, known := b.find(command, b.tree)
	if !known || !p.Exit.OK() && !accepted {
		if p, err = b.run(ctx, command); err != nil {
			return p, accepted, err
		}
	}
	if accepted && p.Exit.OK() {
		return p, false, require(ctx, b.w.Runner, command)
	}
	return p, accepted, nil
}

// find returns what is known of a command on one tree; without a command, on the last one.
func (b *Prover) find(command, tree string) (runner.Proof, bool) {
	for _, list := range [][]runner.Proof{b.more, b.known} {
		for _, p := range slices.Backward(list) {
			if p.Command == command && p.Where == b.where && (tree == "" || p.Tree == tree) {
				return p, true
			}
		}
	}
	return runner.Proof{}, false
}

func (b *Prover) run(ctx context.Context, command string) (runner.Proof, error) {
	p := runner.Proof{Tree: b.tree, Where: b.where, Command: command}
	failed, tested, err := b.t.Run(ctx, b.here, command)
	if err != nil {
		return p, err
	}
	p.Tested = tested
	if failed != nil {
		p.Exit, p.Why = failed.Exit, failed.Error()
	}
	b.more = append(b.more, p)
	return p, nil
}

// verification reports which commands of the plan's Verification prove nothing or could not be
// run. They may fail before the work, and each text of the section is looked at once.
func (b *Prover) verification(ctx context.Context) error {
	var green []string
	for _, command := range plan.Commands(b.w.Checkout.Doc.Plan.Verification) {
		if _, known := b.find(command, ""); known {
			continue
		}
		p, err := b.run(ctx, command)
		if err != nil {
			return err
		}
		switch {
		case p.Missing():
			b.note("Verification needs a program that is not there, or cannot be started: " + p.Why)
		case p.Exit.OK():
			green = append(green, visible.OneLine(command, 200))
		}
	}
	begun := b.w.Checkout.Progress.Done > b.w.Checkout.Progress.Skipped()
	if len(green) > 0 && !begun {
		b.note("Verification passes before any work, so it cannot show yet that the plan is done: `" + strings.Join(green, "`, `") + "`")
	}
	return nil
}

func (b *Prover) note(text string) { b.w.Runner.Report(b.t.Of.Of(journal.StepNote, text)) }

// require ends the acceptance of a check, since it passes.
func require(ctx context.Context, s *runner.Runner, command string) error {
	return s.Checkout.Store.Apply(ctx, s.Checkout.Doc, s.Checkout.Branch, journal.Change{Event: journal.Event{Kind: journal.Required, Check: journal.NameOfCheck(command), By: journal.ByAgent}})
}

// NoteChecks notes how the checks of a step that is done ended, for the next step, and requires from
// now on those that pass.
func NoteChecks(ctx context.Context, s *runner.Runner, step *plan.Step, out Outcome) error {
	var proofs []runner.Proof
	for _, command := range plan.Commands(step.Checks) {
		proofs = append(proofs, runner.Proof{Tree: out.Tree, Where: where(s.Checkout), Command: command, Tested: out.Tested[command]})
	}
	for _, command := range plan.Commands(s.Checkout.Doc.Plan.Checks) {
		p := runner.Proof{Tree: out.Tree, Where: where(s.Checkout), Command: command, Tested: out.Tested[command]}
		switch passes, accepted := out.Accepted[command]; {
		case accepted && passes:
			if err := require(ctx, s, command); err != nil {
				return err
			}
		case accepted:
			p.Exit.Code, p.Why = 1, fmt.Sprintf("`%s` failed after the last step", command)
		}
		proofs = append(proofs, p)
	}
	if out.Tree == "" { // after a crash nothing but the commit is known
		return nil
	}
	return s.Prove(proofs)
}

// ownChecks runs the checks of a step before it, up to the first that fails, as one should, and of
// the others those that may run tests: one that does must still do so afterwards. If all pass they
// cannot show that the step is done, and a run reports that once. If the program of one is missing
// the step is refused: no session can install it.
func (b *Prover) ownChecks(ctx context.Context, step *plan.Step, reported *ReportOnce) error {
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
		if program := MissingProgram(command, b.w.Checkout.Repo.Top); program != "" && p.Missing() {
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

// ReportOnce is true the first time that it is asked. A nil one always is.
type ReportOnce struct{ asked atomic.Bool }

func (o *ReportOnce) first() bool { return o == nil || o.asked.CompareAndSwap(false, true) }

// PassingBefore returns the open steps whose own checks are known to pass on what HEAD has: such
// checks cannot show that the step is done.
func PassingBefore(ctx context.Context, c *checkout.Checkout) []string {
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
