package gitplan

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/progress"
	"github.com/git-plan/git-plan/gitplan/visible"
	"github.com/git-plan/git-plan/gitplan/work"
	"github.com/git-plan/git-plan/gitplan/workspace"
)

func (s *Steps) settle(ctx context.Context, ws *workspace.Workspace, step *plan.Step, out work.Outcome) error {
	ctx = context.WithoutCancel(ctx)
	kept, text := work.ShowKept(s.Checkout, out.Kept), out.Why()
	f := &fault.Fault{Kind: out.Status.Fault(), Step: step.ID, Text: text, Next: out.Result.Next}
	switch {
	case out.Status == agent.Done:
		return s.done(ctx, ws, step, out)
	case out.Paused && out.Status == agent.Limited:
		return fault.New(fault.ErrStopped, "stopped in step %s, whose agent is limited%s", step.ID, kept)
	case out.Paused:
		return fault.New(fault.ErrStopped, "stopped after attempt %d of step %s%s", out.Attempts, step.ID, kept)
	case out.Status == agent.Cancelled:
		f.Text = fmt.Sprintf("interrupted in step %s%s", step.ID, kept)
	case out.Status == agent.Limited:
		f.Text = "the agent is limited: " + text
	case out.Status == agent.Lost:
		f.Text += kept
	case out.Status == agent.Stopped:
		return work.Overspent(step.ID, text)
	case !out.Status.CountsAsAttempt():
	case out.SetupChanged != nil:
		return &fault.Fault{Kind: fault.ErrSetupUnseen, Step: step.ID, Text: text + kept}
	case out.Refused:
		return fault.AtStep(fault.ErrNotCommitted, step.ID, "step %s is not committed: %s%s", step.ID, text, kept)
	default:
		return s.blockFailed(ctx, ws.Before.Head, step, out)
	}
	return f
}

// done records a step that is done, or waits for a person since nothing shows that it is.
func (s *Steps) done(ctx context.Context, ws *workspace.Workspace, step *plan.Step, out work.Outcome) error {
	r := out.Result
	// A check shows the work of a step that made no commit only if it failed before.
	unchanged := out.Commit == journal.None && step.Run == "" && !s.Worker.FailedBefore(ctx, ws.Before.Head, plan.Commands(step.Checks))
	if unchanged {
		out.Reported = slices.Insert(out.Reported, 0, "no change, and its own check passed before it")
	}
	unchecked := step.Run == "" && !slices.ContainsFunc(plan.Commands(step.Checks, s.Checkout.Doc.Plan.Checks),
		func(command string) bool { return visible.RanNothing(out.Ended[command].Output) == "" })
	if unchecked {
		out.Reported = append(out.Reported, "no command checked it")
	}
	told := slices.DeleteFunc(slices.Clone(out.Reported), // its event lists these
		func(text string) bool { return slices.Contains(out.Weakened, text) })
	e := journal.Event{
		Head: out.Commit, Attempt: out.Attempts, By: journal.ByAgent, Agent: r.Agent, Tokens: r.Tokens, Cost: r.Cost,
		Took: out.Took, Summary: handedOn(r), Proposal: r.Proposal, Reason: strings.Join(told, "; "), Session: out.Session,
		Drift: driftOf(step, r.Drift), Weakened: out.Weakened, Assumed: r.Assumed, Unchecked: unchecked,
		Originals: out.Originals,
		With:      s.Checkout.Task().Over(),
	}
	var err error
	if unchanged {
		e.Head, e.Tree = journal.OrNone(ws.Before.Head), out.Tree
		err = recordBlocked(ctx, s, step.ID, nil, e)
	} else {
		err = s.tick(ctx, step.ID, e)
	}
	if err != nil {
		return err // the record of the task lets the next command tick it
	}
	s.Checkout.Task().ForgetState()
	err = s.Worker.RecordChecks(ctx, out)
	if r.Assumed != "" {
		out.Reported = append(out.Reported, "its session assumed: "+visible.OneLine(r.Assumed, 400))
	}
	if r.Proposal != "" {
		out.Reported = append(out.Reported,
			"its session proposes to change the plan (git plan replan): "+visible.OneLine(r.Proposal, 400))
	}
	if !unchanged {
		s.Runner.Report(s.Checkout.Progress.Counted(journal.Notice{
			Kind: journal.StepDone, Step: step.ID, Attempt: out.Attempts, Commit: out.Commit, Text: strings.Join(out.Reported, "; "),
		}))
	}
	switch {
	case err == nil && unchanged && out.SetupChanged == nil:
		return &fault.Fault{Kind: fault.ErrNoChange, Step: step.ID, Next: progress.Unblock(step.ID, e),
			Text: fmt.Sprintf("step %s is blocked until you confirm it: %s", step.ID, e.Reason)}
	case err != nil || out.SetupChanged == nil:
		return err
	}
	// The set-up was as it should be when the work was committed, and has changed since.
	if err := ws.TakeApprovalAfter(ctx, step.ID, out.SetupChanged); err != nil {
		return err
	}
	return fault.AtStep(fault.ErrSetupUnseen, step.ID,
		"step %s is done, but something was changed after its commit: %s", step.ID,
		visible.OneLine(strings.Join(out.SetupChanged, ", "), 400))
}

func (s *Steps) blockFailed(ctx context.Context, head string, step *plan.Step, out work.Outcome) error {
	reason, asks := out.Why(), out.Status == agent.Blocked
	f := &fault.Fault{Kind: fault.ErrStepFailed, Step: step.ID}
	switch {
	case asks && step.Ask:
		f.Kind = fault.ErrQuestion
	case asks:
		f.Kind = fault.ErrStepAsks
	case out.Result.Unsaid:
		f.Kind, f.Name = fault.ErrNoAnswer, out.Session
	}
	before := progress.Numbers(s.Checkout.Doc.Events, step.ID).Before
	if err := recordBlocked(ctx, s, step.ID, out.Also, journal.Event{Head: journal.OrNone(head), Attempt: out.Attempts, By: journal.ByAgent,
		Reason: reason, Question: asks, Kept: out.Kept, Proposal: out.Result.Proposal}); err != nil {
		return err
	}
	said, kept := fmt.Sprintf("step %s failed after %s", step.ID, visible.Count(out.Counted-before, "attempt")), work.ShowKept(s.Checkout, out.Kept)
	if f.Brief = said + kept; asks {
		said, f.Brief = fmt.Sprintf("step %s is blocked", step.ID), ""
	}
	f.Text = said + ": " + reason + kept
	return f
}

func recordBlocked(ctx context.Context, s *Steps, id string, also []string, e journal.Event) error {
	e.Kind, e.Steps = journal.Blocked, []string{id}
	if e.Tree != "" {
		s.Worker.ClearUnreported() // this reports its session
	}
	err := s.Checkout.Apply(ctx, journal.Change{Event: e, Edit: func(text []byte) ([]byte, error) {
		return plan.SetStatus(text, id, plan.StepStatus{Word: "blocked", Reason: e.Reason})
	}})
	if err == nil {
		s.Runner.Report(journal.Notice{Kind: journal.StepBlocked, Step: id, Attempt: e.Attempt,
			Reason: e.Reason, Also: also, Question: e.Question})
	}
	return err
}

// tick records that a step is done. If nothing was left to commit, its work is in the commit from before a reopening.
func (s *Steps) tick(ctx context.Context, id string, e journal.Event) error {
	e.Kind, e.Steps = journal.Done, []string{id}
	if before := s.Checkout.Progress.Work[id]; e.Head == journal.None && before != "" {
		e.Head = before
	}
	s.Worker.ClearUnreported() // this reports it
	return s.Checkout.Apply(ctx, journal.Change{Event: e, Ticks: id, Edit: func(text []byte) ([]byte, error) {
		if step, ok := s.Checkout.Doc.Plan.Step(id); ok && step.Status.Word == "" {
			return text, nil
		}
		return plan.SetStatus(text, id, plan.StepStatus{})
	}})
}

func handedOn(r agent.Result) string {
	parts := []string{r.Summary}
	for _, p := range [][2]string{{"did", r.Handoff.Did}, {"why", r.Handoff.Why}, {"rejected", r.Handoff.Rejected},
		{"assumed", r.Assumed}} {
		if p[1] != "" {
			parts = append(parts, p[0]+": "+p[1])
		}
	}
	return visible.OneLine(strings.TrimSpace(strings.Join(parts, " ")), 1000)
}

// driftOf returns a line for each file that a session changed although the step does not name it.
func driftOf(step *plan.Step, drift []agent.Drift) (out []string) {
	for _, d := range drift {
		if len(step.Files) > 0 && !plan.MatchesAny(step.Files, d.File) {
			out = append(out, visible.OneLine(d.File, 400)+": "+d.Because)
		}
	}
	return out
}
