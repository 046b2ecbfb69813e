package gitplan

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/place"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/progress"
	"github.com/git-plan/git-plan/gitplan/site"
	"github.com/git-plan/git-plan/gitplan/visible"
	"github.com/git-plan/git-plan/gitplan/work"
)

// Checks are proved before they judge: a check of the plan that fails on what HEAD has fails
// every session, whatever it does. What is known of a tree is noted (site.Proof), so that nothing
// runs there twice, except what stops the work: a person may have installed a program since.

// prover runs checks on what HEAD has, in the place of one task.
type prover struct {
	s           *Steps
	here        *place.Place
	t           place.Proving
	tree, where string
	known, more []site.Proof
}

func (s *Steps) prover(ctx context.Context, here *place.Place, t place.Proving) (*prover, error) {
	b := &prover{s: s, here: here, t: t, tree: s.Repo.EmptyTree(), where: s.where(), known: s.Proofs()}
	if here.Before.Head == "" {
		return b, nil
	}
	head, err := s.Repo.ReadCommit(ctx, here.Before.Head) // HEAD may have moved on
	b.tree = head.Tree
	return b, err
}

func (s *Steps) headTree(ctx context.Context) (string, error) {
	head, err := s.Repo.ReadCommit(ctx, "HEAD")
	if errors.Is(err, git.ErrMissing) {
		return s.Repo.EmptyTree(), nil
	}
	return head.Tree, err
}

// where returns the settings that decide how checks find what they need outside of the tree.
func (s *Steps) where() string {
	var out []string
	for _, key := range []string{"plan.isolation", "plan.worktreeSetup", "plan.sandbox", "plan.checkLauncher"} {
		out = append(out, s.Config.String(key))
	}
	return strings.Join(out, "\x00")
}

// prove refuses a step if a check of the plan would fail all of its sessions, whatever they do.
// fresh says that nothing was done at the step yet: then its own checks are looked at, too.
func (s *Steps) prove(ctx context.Context, here *place.Place, step *plan.Step, fresh bool) (err error) {
	b, err := s.prover(ctx, here, place.Proving{Name: step.ID, Files: step.Files, Of: journal.Notice{Step: step.ID}})
	if err != nil {
		return err
	}
	if err := b.noting(func() error { return b.plans(ctx) }); err != nil || !fresh {
		return err
	}
	b.t.Quietly = true
	err = b.ownChecks(ctx, step)
	return errors.Join(err, b.noting(func() error { return nil }))
}

// noting notes what do finds out. Steps side by side take turns, so that each knows what another
// has found out.
func (b *prover) noting(do func() error) error {
	defer b.s.Proving()()
	b.known = b.s.Proofs()
	err := do()
	err = errors.Join(err, b.s.Prove(b.more))
	b.known, b.more = append(b.known, b.more...), nil
	return err
}

// plans runs what the plan asks of every step, and of the last.
func (b *prover) plans(ctx context.Context) error {
	for i, command := range plan.Commands(b.s.Doc.Plan.Checks) {
		p, accepted, err := b.check(ctx, command)
		if err != nil {
			return err
		}
		if !p.Exit.OK() && !accepted {
			return red(i+1, p)
		}
	}
	defer func(t place.Proving) { b.t = t }(b.t)
	b.t.Quietly, b.t.Briefly = true, true
	return b.verification(ctx)
}

// red is why no session begins: the nth check of the plan fails.
func red(n int, p site.Proof) error {
	text := "a check of the plan fails before any work: " + p.Why
	if p.Missing() {
		text = fmt.Sprintf("a check of the plan needs a program that is not there, or cannot be started: %s", p.Why)
	}
	return &fault.Fault{Kind: fault.ErrBaseline, Text: text, Next: fmt.Sprintf("git plan baseline --accept %d", n)}
}

// check returns how a check of the plan ends on the tree, and whether it was accepted that it
// fails. One that was accepted and passes is required from now on.
func (b *prover) check(ctx context.Context, command string) (p site.Proof, accepted bool, err error) {
	accepted = progress.Accepted(b.s.Doc.Events)[journal.NameOfCheck(command)]
	p, known := b.find(command, b.tree)
	if !known || !p.Exit.OK() && !accepted {
		if p, err = b.run(ctx, command); err != nil {
			return p, accepted, err
		}
	}
	if accepted && p.Exit.OK() {
		return p, false, b.s.require(ctx, command)
	}
	return p, accepted, nil
}

// find returns what is known of a command on one tree; without a command, on the last one.
func (b *prover) find(command, tree string) (site.Proof, bool) {
	for _, list := range [][]site.Proof{b.more, b.known} {
		for _, p := range slices.Backward(list) {
			if p.Command == command && p.Where == b.where && (tree == "" || p.Tree == tree) {
				return p, true
			}
		}
	}
	return site.Proof{}, false
}

func (b *prover) run(ctx context.Context, command string) (site.Proof, error) {
	p := site.Proof{Tree: b.tree, Where: b.where, Command: command}
	failed, err := b.here.Prove(ctx, b.t, command)
	if err != nil {
		return p, err
	}
	if failed != nil {
		p.Exit, p.Why = failed.Exit, failed.Error()
	}
	b.more = append(b.more, p)
	return p, nil
}

// verification reports which commands of the plan's Verification prove nothing or could not be
// run. They may fail before the work, and each text of the section is looked at once.
func (b *prover) verification(ctx context.Context) error {
	var green []string
	for _, command := range plan.Commands(b.s.Doc.Plan.Verification) {
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
	if len(green) > 0 {
		b.note("Verification passes before any work, so it cannot show yet that the plan is done: `" + strings.Join(green, "`, `") + "`")
	}
	return nil
}

func (b *prover) note(text string) { b.s.Report(b.t.Of.Of(journal.StepNote, text)) }

// require ends the acceptance of a check, since it passes.
func (s *Steps) require(ctx context.Context, command string) error {
	return s.Store.Apply(ctx, s.Doc, s.Branch, journal.Change{Event: journal.Event{Kind: journal.Required, Check: journal.NameOfCheck(command), By: journal.ByAgent}})
}

// proved notes how the checks of a step that is done ended, for the next step, and requires from
// now on those that pass.
func (s *Steps) proved(ctx context.Context, step *plan.Step, out work.Outcome) error {
	var proofs []site.Proof
	for _, command := range plan.Commands(step.Checks) {
		proofs = append(proofs, site.Proof{Tree: out.Tree, Where: s.where(), Command: command})
	}
	for _, command := range plan.Commands(s.Doc.Plan.Checks) {
		p := site.Proof{Tree: out.Tree, Where: s.where(), Command: command}
		switch passes, accepted := out.Accepted[command]; {
		case accepted && passes:
			if err := s.require(ctx, command); err != nil {
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
