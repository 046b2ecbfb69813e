package gitplan

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/progress"
	"github.com/git-plan/git-plan/gitplan/visible"
	"github.com/git-plan/git-plan/gitplan/work"
	"github.com/git-plan/git-plan/gitplan/workspace"
)

// settle records how a step ended, and returns the error that says so.
func (s *Steps) settle(ctx context.Context, ws *workspace.Workspace, step *plan.Step, out work.Outcome) error {
	ctx = context.WithoutCancel(ctx)
	kept, text := work.ShowKept(s.Checkout, out.Kept), visible.FirstLine(out.Reason)
	f := &fault.Fault{Kind: out.Status.Fault(), Step: step.ID, Text: text, Next: out.Result.Next}
	switch {
	case out.Status == agent.Done:
		return s.done(ctx, ws, step, out)
	case out.Paused:
		return fault.New(fault.ErrStopped, "stopped after attempt %d of step %s%s", out.Attempts-1, step.ID, kept)
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

// done records a step that is done, or that waits for a person since nothing shows that it is.
func (s *Steps) done(ctx context.Context, ws *workspace.Workspace, step *plan.Step, out work.Outcome) error {
	r := out.Result
	// A check shows the work of a step that made no commit only if it failed before.
	unchanged := out.Commit == journal.None && step.Run == "" && !s.Worker.FailedBefore(ctx, ws.Before.Head, step)
	if unchanged {
		out.Reported = slices.Insert(out.Reported, 0, "no change, and its own check passed before it")
	}
	unchecked := step.Run == "" && !slices.ContainsFunc(plan.Commands(step.Checks, s.Checkout.Doc.Plan.Checks),
		func(command string) bool { return visible.RanNothing(out.Ended[command].Output) == "" })
	if unchecked {
		out.Reported = append(out.Reported, "no command checked it")
	}
	e := journal.Event{
		Head: out.Commit, Attempt: out.Attempts, By: journal.ByAgent, Agent: r.Agent, Tokens: r.Tokens, Cost: r.Cost,
		Took: out.Took, Summary: handedOn(r), Proposal: r.Proposal, Reason: noted(out), Session: out.Session,
		Drift: driftOf(step, r.Drift), Weakened: out.Weakened, Assumed: r.Assumed, Unchecked: unchecked,
		Originals: out.Originals,
		With:      checkout.TaskOver(s.Checkout.Repo, s.Checkout.TaskNote()),
	}
	var err error
	if unchanged {
		e.Head, e.Tree = journal.OrNone(ws.Before.Head), out.Tree
		err = recordBlocked(ctx, s, step.ID, e)
	} else {
		err = s.tick(ctx, step.ID, e)
	}
	if err != nil {
		return err // the record of the task lets the next command tick it
	}
	checkout.ForgetTask(s.Checkout)
	defer s.Worker.Turn.Release()
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
			Text: fmt.Sprintf("step %s waits for you to confirm it: %s", step.ID, e.Reason)}
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

// blockFailed marks a step that a session could not do.
func (s *Steps) blockFailed(ctx context.Context, head string, step *plan.Step, out work.Outcome) error {
	reason, asks := visible.FirstLine(out.Reason), out.Status == agent.Blocked
	f := &fault.Fault{Kind: fault.ErrStepFailed, Step: step.ID}
	if strings.HasPrefix(out.Reason, agent.Silent) {
		f.Kind, f.Name = fault.ErrNoAnswer, out.Session
	}
	if asks {
		f.Kind, reason = fault.ErrStepAsks, out.Question
		if step.Ask {
			f.Kind = fault.ErrQuestion
		}
	}
	before := progress.Numbers(s.Checkout.Doc.Events, step.ID).Before
	if err := recordBlocked(ctx, s, step.ID, journal.Event{Head: journal.OrNone(head), Attempt: out.Attempts, By: journal.ByAgent,
		Reason: reason, Question: asks, Kept: out.Kept, Proposal: out.Result.Proposal}); err != nil {
		return err
	}
	after := fmt.Sprintf("%d attempts", out.Counted)
	switch { // a step that was opened again counts on
	case before > 0 && out.Attempts > 1:
		after = fmt.Sprintf("attempts %d to %d", before+1, before+out.Attempts)
	case before > 0:
		after = fmt.Sprintf("attempt %d", before+1)
	case out.Counted == 1:
		after = "1 attempt"
	}
	f.Text = fmt.Sprintf("step %s failed after %s: %s", step.ID, after, reason)
	if asks {
		f.Text = fmt.Sprintf("step %s is blocked: %s", step.ID, reason)
	}
	f.Text += work.ShowKept(s.Checkout, out.Kept)
	return f
}

func recordBlocked(ctx context.Context, s *Steps, id string, e journal.Event) error {
	e.Kind, e.Steps = journal.Blocked, []string{id}
	if e.Tree != "" {
		s.Worker.Reported() // this reports its session
	}
	err := s.Checkout.Store.Apply(ctx, s.Checkout.Doc, s.Checkout.Branch,
		journal.Change{Event: e, Edit: func(text []byte) ([]byte, error) {
			return plan.SetStatus(text, id, plan.StepStatus{Word: "blocked", Reason: e.Reason})
		}})
	if err != nil {
		return err
	}
	s.Runner.Report(journal.Notice{Kind: journal.StepBlocked, Step: id, Attempt: e.Attempt,
		Reason: e.Reason, Question: e.Question})
	return s.Checkout.Derive(ctx)
}

// tick records that a step is done and ticks its box, which only the program does. If nothing was left
// to commit, the step's work is in the commit that did it before it was reopened.
func (s *Steps) tick(ctx context.Context, id string, e journal.Event) error {
	e.Kind, e.Steps = journal.Done, []string{id}
	if before := s.Checkout.Progress.Work[id]; e.Head == journal.None && before != "" {
		e.Head = before
	}
	s.Worker.Reported() // this reports it
	err := s.Checkout.Store.Apply(ctx, s.Checkout.Doc, s.Checkout.Branch, journal.Change{Event: e, Ticks: id,
		Edit: func(text []byte) ([]byte, error) {
			if step, ok := s.Checkout.Doc.Plan.Step(id); ok && step.Status.Word == "" {
				return text, nil
			}
			return plan.SetStatus(text, id, plan.StepStatus{})
		},
	})
	if err != nil {
		return err
	}
	return s.Checkout.Derive(ctx)
}

// handedOn returns what a session hands on to later ones, in one line.
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

// noted returns what a person should know of work that is done, but of weakened tests and checks, which its event lists.
func noted(out work.Outcome) string {
	return strings.Join(slices.DeleteFunc(slices.Clone(out.Reported),
		func(text string) bool { return slices.Contains(out.Weakened, text) }), "; ")
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
