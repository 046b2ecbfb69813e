package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-plan/git-plan/cmd/git-plan/terminal"
	"github.com/git-plan/git-plan/gitplan"
	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/prompt"
	"github.com/git-plan/git-plan/gitplan/visible"
	"github.com/git-plan/git-plan/reviewers"
	"github.com/git-plan/git-plan/reviewers/finding"
	"github.com/git-plan/git-plan/reviewers/ledger"
)

type workOptions struct {
	*command
	noReview, autostash, clean, all bool
	jobs                            int
	until                           string
}

// common adds the options of step and run.
func (c *workOptions) common() {
	c.option(&c.noReview, "no-review", "skip the verification and the review after the last step")
	c.option(&c.autostash, "autostash", "set your changes aside first, and bring them back afterwards")
	c.option(&c.clean, "clean", "start over instead of going on from a kept attempt")
	c.eventsFlag()
}

func stepCommand(with *command) *cli.Command {
	c := &workOptions{command: with}
	c.prompts = true
	c.common()
	return c.define("step", "[<step>]", "do the next open step in a fresh session", c.do(1, func() error {
		return withAgent(c.command, agent.Executor, func(co *checkout.Checkout) error { return doStep(c, co) })
	}))
}

// doStep does one step, and reviews the plan after its last one.
func doStep(c *workOptions, co *checkout.Checkout) (err error) {
	o, err := openSteps(c, co)
	if err != nil {
		return err
	}
	defer o.close(&err)
	if _, _, err := o.steps.Step(c.Context, c.arg(0)); err != nil {
		return err
	}
	pushAfter(c.command, o.steps, "step")
	if c.noReview {
		return o.steps.LeaveOutReview(c.Context)
	}
	if co.Progress.Complete() {
		_, err = reviewPlan(c, o.steps)
	}
	return err
}

func runCommand(with *command) *cli.Command {
	c := &workOptions{command: with, jobs: unset}
	c.prompts, c.notifies = true, true
	c.option(&c.all, "all",
		"run every approved plan of the repository that has an open step; a plan based on another plan's branch runs after that plan and starts from its result")
	c.option(&c.jobs, "jobs, j", "work on up to `N` independent steps at once, each in a clone")
	c.option(&c.until, "until", "stop after `STEP` is done, skipped or blocked: no later step, no review")
	c.common()
	return c.define("run", "[<branch>...]", "do every step that is ready, then verify and review",
		c.do(anyNumber, func() error { return runPlan(c) }))
}

func runPlan(c *workOptions) error {
	if c.jobs != unset && c.jobs < 1 {
		return c.misused("--jobs is %d: it must be at least 1", c.jobs)
	}
	if len(c.args) > 0 || c.all {
		return runSeveral(c)
	}
	for {
		err := withAgent(c.command, agent.Executor, func(co *checkout.Checkout) error { return doSteps(c, co) })
		asks := errors.Is(err, fault.ErrQuestion) || errors.Is(err, fault.ErrStepBlocked) // another step may have failed as well
		if !asks && !errors.Is(err, fault.ErrStepFailed) && !errors.Is(err, fault.ErrAllWait) {
			return err
		}
		again, failed := answered(c.command)
		if !again {
			return cmp.Or(failed, err)
		}
	}
}

// doSteps does every step that is ready, and reviews the plan once all are done.
func doSteps(c *workOptions, co *checkout.Checkout) (err error) {
	o, err := openSteps(c, co)
	if err != nil {
		return err
	}
	defer o.close(&err)
	s, until := o.steps, ""
	if c.until != "" {
		step, err := stepOf(co, c.until)
		if err == nil {
			err = s.Ended(step)
		}
		if err != nil {
			return nothingToDo(c.command, err)
		}
		until = step.ID
	}
	jobs := c.jobs
	if jobs == unset {
		if jobs, err = co.Config.Int("plan.jobs"); err != nil {
			return err
		}
	}
	if err := gitplan.ApprovePlanned(c.Context, s); err != nil {
		return err
	}
	if err := gitplan.MeasureFirst(c.Context, s); err != nil {
		return err
	}
	options := gitplan.RunOptions{Jobs: jobs, Until: until,
		Done:   func() { pushAfter(c.command, s, "step") },
		Replan: func(why string) error { return planAgain(c.command, s, why, "", nil) },
	}
	for again := true; again && err == nil; {
		again, err = runToReview(c, s, options)
	}
	return err
}

// runToReview does the steps that are ready, and reviews the plan if all are done; again: more steps were planned.
func runToReview(c *workOptions, s *gitplan.Steps, options gitplan.RunOptions) (again bool, err error) {
	if err = s.Run(c.Context, options); !errors.Is(err, fault.ErrNothingLeft) {
		measured, over := gitplan.MeasureLast(c.Context, s, err)
		if measured == nil {
			return false, over
		}
		over = gitplan.StillWaits(err, planAgain(c.command, s, err.Error(), "", measured))
		return over == nil, over
	}
	if c.noReview {
		err = s.LeaveOutReview(c.Context)
		pushAfter(c.command, s, "run")
		return false, err
	}
	if err := s.Stopped(); err != nil {
		return false, err
	}
	return judgePlan(c, s)
}

// judgePlan reviews a plan whose steps are done. One with Bounds is planned again while its Done when does not hold, or
// the review ends with something that a planner can have repaired: again reports that.
func judgePlan(c *workOptions, s *gitplan.Steps) (again bool, err error) {
	if !s.Pursues() {
		_, err := reviewPlan(c, s)
		return false, err
	}
	measured, err := gitplan.MeasureGoal(c.Context, s)
	if err != nil {
		return false, err
	}
	if why := gitplan.Unmet(measured); why != "" {
		return true, planAgain(c.command, s, why, "", measured)
	}
	out, err := reviewPlan(c, s)
	if err == nil && len(measured) > 0 { // words prove nothing
		say(c.Err, "the goal is reached: all of Done when holds (%s), and the review is clean",
			visible.Count(len(measured), "command"))
	}
	if out == nil || !out.Ledger.End.Repairable() || slices.ContainsFunc(out.Ledger.Blocking(), finding.Finding.AsksPerson) {
		return false, err
	}
	// A model reads why, so it is not in the words for people.
	return true, planAgain(c.command, s, fmt.Sprintf("the review ended: %s: %s", out.Ledger.End, out.Ledger.Reason),
		finding.Text(out.Ledger.With(finding.Open, finding.Confirmed, finding.Plausible)...), measured)
}

func reviewPlan(c *workOptions, s *gitplan.Steps) (*ledger.Outcome, error) {
	out, err := review(&reviewOptions{command: c.command, clean: c.clean}, s.Worker)
	if err == nil {
		pushAfter(c.command, s, "step", "run")
	}
	return out, err
}

// openSteps opens the operation of step and run, with --autostash, unless the review after the last step would be refused.
func openSteps(c *workOptions, co *checkout.Checkout) (*operation, error) {
	o, err := openOperation(c.command, co, agent.Executor)
	if err != nil {
		return nil, err
	}
	if o.steps.Clean = c.clean; !c.noReview {
		err = reviewers.Unreviewable(c.Context, o.worker)
	}
	if err == nil {
		o.stash, err = o.steps.Autostash(c.Context, c.autostash)
	}
	if err != nil {
		o.stash = checkout.Stash{} // it is where it was
		o.close(&err)
		return nil, err
	}
	return o, nil
}

// withSteps does one thing with the steps of the plan.
func withSteps(c *command, do func(*gitplan.Steps) error) error {
	return withCheckout(c.Context, func(co *checkout.Checkout) (err error) {
		o, err := openOperation(c, co, agent.Executor)
		if err != nil {
			return err
		}
		defer o.close(&err)
		return do(o.steps)
	})
}

func nextCommand(c *command) *cli.Command {
	var drop, all bool
	c.option(&drop, "drop", "give the open step back; the tree stays as it is")
	c.option(&all, "prompt", "print the whole prompt of a session")
	return c.define("next", "[<step>]", "do the next step yourself: print what it asks for", c.do(1, func() error {
		return withSteps(c, func(s *gitplan.Steps) error {
			if drop {
				step, left, err := s.Drop(c.Context)
				if err != nil {
					return err
				}
				say(c.Err, "step %s is given back", step)
				if left {
					say(c.Err, "what you did stays in the tree; %s", wantsClean)
				}
				return nil
			}
			step, text, err := s.Next(c.Context, c.arg(0))
			if err != nil {
				return err
			}
			more := ""
			if terminal.Is(os.Stdout) && !all {
				text = prompt.ByHand(s.Checkout.Doc.Plan, step)
				more = " (the whole prompt of a session: git plan next --prompt)"
			}
			terminal.Println(c.Out, strings.TrimRight(visible.Text(text), "\n"))
			say(c.Err, "step %s is yours%s", step.ID, more)
			return nil
		})
	}))
}

func doneCommand(c *command) *cli.Command {
	var manual cli.StringSlice
	c.option(&manual, "manual", "record that criterion `ID` holds: its id, or its number in git plan status")
	return c.define("done", "[<step>]", "check, commit and tick the step opened by next", c.do(1, func() error {
		if len(manual.Value()) > 0 {
			return confirmByHand(c, manual.Value())
		}
		return withSteps(c, func(s *gitplan.Steps) error {
			step, out, err := s.Done(c.Context, c.arg(0))
			if err != nil {
				return err
			}
			for _, line := range out.Reported {
				say(c.Err, "note: %s", line)
			}
			say(c.Err, "step %s is done: %s", step.ID, terminal.Committed(out.Commit))
			pushAfter(c, s, "step")
			return nil
		})
	}))
}
