package gitplan

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/progress"
	"github.com/git-plan/git-plan/gitplan/runner"
	"github.com/git-plan/git-plan/gitplan/visible"
	"github.com/git-plan/git-plan/gitplan/work"
	"github.com/git-plan/git-plan/gitplan/workspace"
)

// Guard inspects what a step's session changed in a checkout. An error fails the attempt.
type Guard func(context.Context, *checkout.Checkout, *plan.Step, workspace.Changeset) (workspace.Guarded, error)

// Steps does the steps of one plan: Step one of them, Run all, in turn or several at once.
type Steps struct {
	Worker   *work.Worker
	Runner   *runner.Runner     // the Worker's
	Checkout *checkout.Checkout // the Runner's
	Guard    Guard
	Clean    bool // start over instead of going on from a kept attempt

	// Measuring returns those of some files that decide what the commands of Done when measure.
	Measuring func(ctx context.Context, c *checkout.Checkout, files []string) ([]string, error)

	Stopping func() bool // reports whether the run was asked to end; nil never does
	until    string      // of RunOptions

	// If several steps are at work at once:
	Writer func() func(pid int) // Repo.OnWrite of one of several checkouts
	atWork func() []string      // all steps
}

// NewSteps returns the steps of the plan that the worker's checkout has loaded.
func NewSteps(w *work.Worker, guard Guard) *Steps {
	return &Steps{Worker: w, Runner: w.Runner, Checkout: w.Checkout, Guard: guard}
}

// Step does the named step, or the next that is ready, and returns the one that was worked on.
func (s *Steps) Step(ctx context.Context, name string) (step *plan.Step, out work.Outcome, err error) {
	defer s.Checkout.Task().DiscardIdleClone()
	return doStep(ctx, s, name)
}

// doStep is Step, after which the next one may go on with its clone.
func doStep(ctx context.Context, s *Steps, name string) (step *plan.Step, out work.Outcome, err error) {
	release, err := s.lockAndReload(ctx)
	if err != nil {
		return nil, out, err
	}
	defer release()
	asked, err := s.named(name)
	if err != nil {
		return nil, out, err
	}
	ws, recovered, err := s.ready(ctx)
	if err != nil {
		return nil, out, err
	}
	if recovered != nil && (asked == nil || asked.ID == recovered.ID) {
		return recovered, out, nil
	}
	if step, err = s.choose(name); err != nil {
		return nil, out, err
	}
	if err := s.prerequisites(ctx, ws); err != nil {
		return step, out, err
	}
	task, err := s.task(ctx, ws, step)
	if err != nil {
		return step, out, err
	}
	out, err = s.Worker.Work(ctx, ws, task)
	if err != nil {
		return step, out, s.Worker.AccountFailed(ctx, err)
	}
	return step, out, s.settle(ctx, ws, step, out)
}

func (s *Steps) choose(name string) (*plan.Step, error) {
	step, err := s.pick(name)
	if err != nil {
		return nil, err
	}
	if commit, ok := s.Checkout.Progress.DoneElsewhere(step.ID); ok {
		return nil, fault.AtStep(fault.ErrElsewhere, step.ID,
			"commit %.10s names step %s, but the plan here does not know that it is done", commit, step.ID)
	}
	if st := s.Checkout.Progress.Steps[step.ID]; st.Pull != "" {
		return nil, &fault.Fault{Kind: fault.ErrNotPulled, Step: step.ID, Next: st.Pull,
			Text: fmt.Sprintf("commit %.10s, which did step %s, %s", st.Commit, step.ID, st.Reason)}
	}
	return step, nil
}

func (s *Steps) pick(name string) (*plan.Step, error) {
	waits, err := s.Checkout.NotApproved()
	if err != nil {
		return nil, err
	}
	p, pl := s.Checkout.Progress, s.Checkout.Doc.Plan
	if name == "" {
		if ready := upTo(pl, s.until, p.Ready(pl, waits, nil)); len(ready) > 0 {
			return ready[0], nil
		}
		if s.until != "" && s.Ended(&plan.Step{ID: s.until}) != nil {
			return nil, errUntil
		}
		if len(upTo(pl, s.until, p.Ready(pl, plan.Unapproved{}, nil))) > 0 {
			return nil, s.Checkout.RequireApproval()
		}
		if p.Complete() {
			return nil, fault.New(fault.ErrNothingLeft, "%s", p.AllDone())
		}
		text := "no open step can run: " + s.waiting()
		if blocked, ok := p.Blocked(pl); ok {
			return nil, &fault.Fault{Kind: fault.ErrAllWait, Step: blocked.ID,
				Next: progress.Unblock(blocked.ID, p.Steps[blocked.ID].Last()), Text: text}
		}
		return nil, fault.New(fault.ErrNotRunnable, "%s", text)
	}
	step, err := s.named(name)
	if err != nil {
		return nil, err
	}
	if err := s.Ended(step); err != nil {
		return nil, err
	}
	if waits.WaitsFor(step.ID) {
		return nil, fault.New(fault.ErrUnapproved, "step %s is not approved", step.ID)
	}
	if unmet := p.Unmet(step); len(unmet) > 0 {
		return nil, fault.AtStep(fault.ErrNotRunnable, step.ID, "step %s needs %s first", step.ID, strings.Join(unmet, ", "))
	}
	return step, nil
}

// errUntil says that the step until which a run goes has ended, and no step up to it can run.
var errUntil = errors.New("the run goes no further")

// upTo returns those of some steps that are not behind the one until which a run goes.
func upTo(pl *plan.Plan, until string, steps []*plan.Step) []*plan.Step {
	last, ok := pl.Step(until)
	return slices.DeleteFunc(steps, func(step *plan.Step) bool { return ok && step.N > last.N })
}

// Ended returns an error if no session may work on a step any more: it is done, skipped or blocked.
func (s *Steps) Ended(step *plan.Step) error {
	switch st := s.Checkout.Progress.Steps[step.ID]; st.State {
	case progress.StateDone, progress.StateSkipped:
		return fault.New(fault.ErrNothingLeft, "step %s is %s already", step.ID, st.State)
	case progress.StateBlocked:
		kind := fault.ErrStepBlocked
		switch {
		case st.Last().Question:
			kind = fault.ErrStepAsks
		case st.Unchanged():
			kind = fault.ErrNoChange
		}
		return &fault.Fault{Kind: kind, Step: step.ID, Next: progress.Unblock(step.ID, st.Last()),
			Text: fmt.Sprintf("step %s is blocked: %s", step.ID, cmp.Or(st.Reason, "by hand"))}
	}
	return nil
}

// named returns the step of a name, nil for no name: a misspelt one is reported before the tree is looked at.
func (s *Steps) named(name string) (*plan.Step, error) {
	step, ok := s.Checkout.Doc.Plan.Step(name)
	if name != "" && !ok {
		return nil, s.Checkout.Doc.Plan.NoStep(name)
	}
	return step, nil
}

func (s *Steps) waiting() string {
	var out []string
	for _, step := range s.Checkout.Doc.Plan.Steps {
		switch st := s.Checkout.Progress.Steps[step.ID]; st.State {
		case progress.StateBlocked:
			out = append(out, fmt.Sprintf("%s is blocked (%s)", step.ID, cmp.Or(st.Reason, "by hand")))
		case progress.StateOpen, progress.StateReopened:
			if unmet := s.Checkout.Progress.Unmet(&step); len(unmet) > 0 { // else it is behind the end of the run
				out = append(out, fmt.Sprintf("%s needs %s", step.ID, strings.Join(unmet, ", ")))
			}
		}
	}
	if len(out) > 3 {
		out = append(out[:3], fmt.Sprintf("and %d more", len(out)-3))
	}
	return strings.Join(out, "; ")
}

// Autostash stashes the user's changes, if asked, and returns what Unstash brings back, also what a killed run had stashed.
func (s *Steps) Autostash(ctx context.Context, asked bool) (checkout.Stash, error) {
	c := s.Checkout
	stash := checkout.Stashed(c, c.Doc.ID)
	if stash.Commit != "" {
		if _, err := c.Repo.ReadCommit(ctx, stash.Commit); err != nil {
			checkout.ForgetStash(ctx, c, stash, false)
			s.note("the changes that --autostash set aside are no longer in the repository")
			stash = checkout.Stash{}
		}
	}
	if stash.Commit == "" && !asked {
		return stash, nil
	}
	if err := c.RequirePlace(ctx); err != nil || c.SessionsTree() {
		return stash, err
	}
	if stash.Commit != "" {
		if err := worktree.PutAwayStash(ctx, c.Repo, stash.Commit); err != nil || !asked {
			return stash, err
		}
		if err := s.Unstash(ctx, stash); err != nil { // to stash it together with what came since
			return stash, err
		}
	}
	return s.stash(ctx)
}

func (s *Steps) note(text string) {
	s.Runner.Report(journal.Notice{Kind: journal.StepNote, Text: text})
}

func (s *Steps) stash(ctx context.Context) (stash checkout.Stash, err error) {
	if err := s.Runner.Unlocked(false); err != nil {
		return stash, err
	}
	status, err := worktree.ReadStatusIgnored(ctx, s.Checkout.Repo)
	if err != nil || status.Clean() {
		return stash, err
	}
	if len(status.Unmerged()) > 0 || status.Head == "" { // git stash leaves these out
		return stash, workspace.Dirty(status)
	}
	if err := workspace.Dirty(status); errors.Is(err, fault.ErrSubmodules) {
		return stash, err
	}
	paths, err := worktree.Unstashable(ctx, s.Checkout.Repo, status)
	if err != nil {
		return stash, err
	}
	if len(paths) > 0 {
		return stash, fault.New(fault.ErrNotAside,
			"git stash would not bring these files back, so nothing is set aside: %s", visible.Few(paths))
	}
	err = worktree.Stash(ctx, s.Checkout.Repo, func(commit string) (err error) {
		stash, err = checkout.KeepStash(ctx, s.Checkout, commit, status.Head)
		return err
	})
	return stash, err
}

// Unstash restores a stash, if there is one, or, as git rebase --autostash does, puts changes that no longer fit on git's stash.
func (s *Steps) Unstash(ctx context.Context, stash checkout.Stash) error {
	c := s.Checkout
	if stash.Commit == "" {
		return nil
	}
	if c.SessionsTree() { // the next step keeps that first
		s.note("your changes stay set aside until the work of the session is settled")
		return nil
	}
	err := worktree.Unstash(ctx, c.Repo, stash.Commit)
	if err == nil {
		checkout.ForgetStash(ctx, c, stash, true)
		s.note("your changes are back in the tree")
		return nil
	}
	if !errors.Is(err, worktree.ErrConflict) {
		return &fault.Fault{Kind: fault.ErrNotRestored, Next: "git stash apply --index " + stash.Kept + "^2", Cause: err,
			Text: fmt.Sprintf("your changes are not in the tree yet, but kept as %s: %s", stash.Kept, visible.FirstLine(err.Error()))}
	}
	const entry = "stash@{0}"
	store := []string{"stash", "store", "--quiet", "--message", "On " + c.Branch + ": git plan --autostash", stash.Commit}
	if err := c.Repo.Run(ctx, git.Command{Args: store, Writes: true}); err != nil {
		return err
	}
	checkout.ForgetStash(ctx, c, stash, false)
	now, err := worktree.ReadStatus(ctx, c.Repo)
	if err != nil {
		return err
	}
	if unmerged := now.Unmerged(); len(unmerged) > 0 {
		return &fault.Fault{Kind: fault.ErrStashConflict, Name: entry,
			Text: fmt.Sprintf("your changes conflict with the new commits; not merged: %s; git's stash has them, too, as %s",
				visible.Few(unmerged), entry)}
	}
	return &fault.Fault{Kind: fault.ErrStashed, Next: "git stash pop " + entry,
		Text: fmt.Sprintf("your changes do not apply to the new commits; they are not in the tree, but in git's stash, as %s",
			entry)}
}
