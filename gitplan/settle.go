package gitplan

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
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
	kept, text := work.KeptAs(out.Kept), visible.FirstLine(out.Reason)
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
		return &fault.Fault{Kind: fault.ErrNotCommitted, Step: step.ID, Text: fmt.Sprintf("step %s is not committed: %s%s", step.ID, text, kept)}
	default:
		return s.block(ctx, ws.Before.Head, step, out)
	}
	return f
}

// done records a step that is done, or that waits for a person since nothing shows that it is.
func (s *Steps) done(ctx context.Context, ws *workspace.Workspace, step *plan.Step, out work.Outcome) error {
	r := out.Result
	last := s.Checkout.Progress.Steps[step.ID].Last()
	// A check shows the work of a step that made no commit only if it failed before.
	unchanged := out.Commit == journal.None && step.Run == "" && s.Checkout.Progress.Work[step.ID] == "" && !s.Worker.FailedBefore(ctx, ws.Before.Head, step)
	if unchanged {
		out.Reported = slices.Insert(out.Reported, 0, "no change, and its own check passed before it")
	}
	if s.Checkout.Doc.Plan.Unchecked(step.ID) {
		out.Reported = append(out.Reported, "no command checked it")
	}
	e := journal.Event{
		Head: out.Commit, Attempt: out.Attempts, By: journal.ByAgent, Agent: r.Agent, Tokens: r.Tokens, Cost: r.Cost,
		Took: out.Took, Summary: handedOn(r), Proposal: r.Proposal, Reason: strings.Join(out.Reported, "; "), Session: out.Session,
		Drift: driftOf(step, r.Drift), Assumed: r.Assumed, With: checkout.TaskOver(s.Checkout.Repo, s.Checkout.TaskNote()),
	}
	var err error
	if unchanged {
		e.Head, e.Tree = journal.OrNone(ws.Before.Head), out.Tree
		err = blocked(ctx, s, step.ID, e)
	} else {
		err = s.tick(ctx, step.ID, e)
	}
	if err != nil {
		return err // the record of the task lets the next command tick it
	}
	checkout.ForgetTask(s.Checkout)
	defer s.Worker.Turn.Release()
	err = s.Worker.RecordChecks(ctx, step, out)
	if err == nil && s.Checkout.Slot != "" && last.Kind == journal.Failed && last.Reason == checkout.PassedReason {
		err = s.dropPassed(ctx, step.ID)
	}
	if r.Assumed != "" {
		out.Reported = append(out.Reported, "its session assumed: "+visible.OneLine(r.Assumed, 400))
	}
	if r.Proposal != "" {
		out.Reported = append(out.Reported, "its session proposes to change the plan (git plan replan): "+visible.OneLine(r.Proposal, 400))
	}
	if !unchanged {
		s.Runner.Report(s.Checkout.Progress.Counted(journal.Notice{
			Kind: journal.StepDone, Step: step.ID, Attempt: out.Attempts, Commit: out.Commit, Text: strings.Join(out.Reported, "; "),
		}))
	}
	switch {
	case err == nil && unchanged && out.SetupChanged == nil:
		return &fault.Fault{Kind: fault.ErrNoChange, Step: step.ID, Next: progress.Unblock(step.ID, e), Text: fmt.Sprintf("step %s waits for you to confirm it: %s", step.ID, e.Reason)}
	case err != nil || out.SetupChanged == nil:
		return err
	}
	// The set-up was as it should be when the work was committed, and has changed since.
	if err := ws.TakeApprovalAfter(ctx, step.ID, out.SetupChanged); err != nil {
		return err
	}
	return &fault.Fault{Kind: fault.ErrSetupUnseen, Step: step.ID,
		Text: fmt.Sprintf("step %s is done, but something was changed after its commit: %s", step.ID, visible.OneLine(strings.Join(out.SetupChanged, ", "), 400))}
}

// dropPassed removes work that was kept because the branch had moved: it is committed now.
func (s *Steps) dropPassed(ctx context.Context, step string) error {
	kept, err := checkout.KeptAttempts(ctx, s.Checkout, step)
	for _, k := range kept {
		if err == nil && k.Reason == checkout.PassedReason {
			err = s.Checkout.Repo.DeleteRef(ctx, k.Ref, k.Commit, "plan: "+step+" is done")
		}
	}
	return err
}

// block marks a step that a session could not do.
func (s *Steps) block(ctx context.Context, head string, step *plan.Step, out work.Outcome) error {
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
	if err := blocked(ctx, s, step.ID, journal.Event{Head: journal.OrNone(head), Attempt: out.Attempts, By: journal.ByAgent,
		Reason: reason, Question: asks, Kept: out.Kept, Proposal: out.Result.Proposal}); err != nil {
		return err
	}
	f.Text = fmt.Sprintf("step %s failed after %d attempts: %s", step.ID, out.Attempts, reason)
	if asks {
		f.Text = fmt.Sprintf("step %s is blocked: %s", step.ID, reason)
	} else if out.Attempts == 1 {
		f.Text = fmt.Sprintf("step %s failed after 1 attempt: %s", step.ID, reason)
	}
	f.Text += work.KeptAs(out.Kept)
	return f
}

func blocked(ctx context.Context, s *Steps, id string, e journal.Event) error {
	e.Kind, e.Steps = journal.Blocked, []string{id}
	if e.Tree != "" {
		s.Worker.Reported() // this reports its session
	}
	err := s.Checkout.Store.Apply(ctx, s.Checkout.Doc, s.Checkout.Branch, journal.Change{Event: e, Edit: func(text []byte) ([]byte, error) {
		return plan.SetStatus(text, id, plan.StepStatus{Word: "blocked", Reason: e.Reason})
	}})
	if err != nil {
		return err
	}
	s.Checkout.Progress.Steps[id] = progress.StepState{State: progress.StateBlocked, Reason: e.Reason, Summary: e.Summary, Event: s.Checkout.Doc.Newest()}
	s.Runner.Report(journal.Notice{Kind: journal.StepBlocked, Step: id, Attempt: e.Attempt, Reason: e.Reason, Question: e.Question})
	return nil
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
	if s.Checkout.Slot != "" { // others have ended steps since
		if err := s.Checkout.Derive(ctx); err != nil {
			return err
		}
	}
	if st := s.Checkout.Progress.Steps[id].State; st != progress.StateDone && st != progress.StateSkipped {
		s.Checkout.Progress.Done++
	}
	s.Checkout.Progress.Steps[id] = progress.StepState{State: progress.StateDone, Commit: e.Head, Summary: e.Summary, Event: s.Checkout.Doc.Newest()}
	return nil
}

// handedOn returns what a session hands on to later ones, in one line.
func handedOn(r agent.Result) string {
	parts := []string{r.Summary}
	for _, p := range [][2]string{{"did", r.Handoff.Did}, {"why", r.Handoff.Why}, {"rejected", r.Handoff.Rejected}, {"assumed", r.Assumed}} {
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

// Undone is how a step was undone.
type Undone struct {
	Kept    string   // the ref from which its last commit stays reachable
	Reverts int      // commits that revert it, since others may have the old ones or build on them
	Also    []string // other steps that were done by the same commits
	Still   string   // an earlier commit that does the step, which is therefore done still

	commits []string
}

// Undo takes the last done step back: off the branch if its commit is the last one and no
// remote-tracking ref of this clone has it, else by a commit that reverts it. A step may have several
// commits: all that a person made while it was open.
func (s *Steps) Undo(ctx context.Context) (step *plan.Step, t Undone, err error) {
	c := s.Checkout
	if err := c.RequirePlace(ctx); err != nil {
		return nil, t, err
	}
	p, err := workspace.Ready(ctx, s.Runner)
	if err != nil {
		return nil, t, err
	}
	step, done := lastDone(c)
	if step == nil {
		return nil, t, fault.New(fault.ErrNothingLeft, "no step is done that could be undone")
	}
	commit := journal.OrNone(c.Progress.Steps[step.ID].Commit) // a rewrite may have replaced the commit that the event names
	if commit == journal.None {
		t.commits = []string{commit}
	} else if t, err = s.takeBack(ctx, p.Before, step, done, commit); err != nil {
		return step, t, err
	}
	before := c.Progress
	if err := c.Derive(ctx); err != nil {
		return step, t, err
	}
	e := journal.Event{Kind: journal.Undone, Steps: []string{step.ID}, By: journal.ByPerson, Head: commit, Kept: t.Kept}
	if st := c.Progress.Steps[step.ID]; st.State == progress.StateDone {
		if t.Still = st.Commit; slices.Contains(t.commits, t.Still) { // the branch itself does not show that
			e.Kind, e.Reason, t.Still = journal.Reopened, "was undone", ""
			if commit == journal.None {
				e.Reason = "the step was undone; it had no commit"
			}
		}
	}
	if err := c.Store.Apply(ctx, c.Doc, c.Branch, journal.Change{Event: e, Edit: func(text []byte) ([]byte, error) {
		return plan.Tick(text, step.ID, t.Still != "")
	}}); err != nil {
		return step, t, err
	}
	if err := c.Derive(ctx); err != nil {
		return step, t, err
	}
	for _, o := range c.Doc.Plan.Steps {
		if o.ID != step.ID && before.Steps[o.ID].State == progress.StateDone && c.Progress.Steps[o.ID].State != progress.StateDone {
			t.Also = append(t.Also, o.ID)
		}
	}
	return step, t, nil
}

// lastDone returns the step with the newest done event that is still valid, and the event's index.
func lastDone(c *checkout.Checkout) (*plan.Step, int) {
	for i, e := range slices.Backward(c.Doc.Events) {
		if e.Kind != journal.Done {
			continue
		}
		for _, id := range e.Steps {
			if st := c.Progress.Steps[id]; st.State == progress.StateDone && st.Last().Commit == e.Commit {
				step, _ := c.Doc.Plan.Step(id)
				return step, i
			}
		}
	}
	return nil, 0
}

// takeBack removes a step's work from the branch.
func (s *Steps) takeBack(ctx context.Context, now *worktree.Status, step *plan.Step, done int, commit string) (t Undone, err error) {
	r := s.Checkout.Repo
	commits, err := commitsOf(ctx, s.Checkout, step.ID, done, commit)
	if err != nil {
		return t, err
	}
	first := commits[len(commits)-1]
	pushed, err := r.Output(ctx, "for-each-ref", "--count=1", "--contains="+first.OID, "refs/remotes/")
	if err != nil {
		return t, err
	}
	off := now.Head == commit && pushed == "" && len(first.Parents) > 0
	for _, c := range commits {
		if t.commits = append(t.commits, c.OID); len(c.Parents) > 1 && !off {
			return t, &fault.Fault{Kind: fault.ErrMerged, Step: step.ID,
				Text: fmt.Sprintf("step %s was done with a merge, %.10s: which part of it is the work of the step is unknown", step.ID, c.OID)}
		}
	}
	if len(first.Parents) > 0 { // a file that the step deleted may be there again, untracked
		if files, err := workspace.InTheWay(ctx, r, now, commit, first.Parents[0]); err != nil {
			return t, err
		} else if len(files) > 0 {
			return t, &fault.Fault{Kind: fault.ErrInTheWay, Step: step.ID, Text: fmt.Sprintf("%s is not tracked, and undoing step %s would overwrite it", files[0], step.ID)}
		}
	}
	if !off {
		// What hooks run may have been written by a session, and is not approved here.
		sandboxed, err := s.Checkout.Config.Word("plan.hooksSandbox")
		if err != nil {
			return t, err
		}
		t.Reverts, err = worktree.Revert(ctx, r, now.Head, sandboxed == "off", t.commits...)
		if errors.Is(err, worktree.ErrConflict) {
			err = &fault.Fault{Kind: fault.ErrBuiltOn, Step: step.ID,
				Text: fmt.Sprintf("later commits need what step %s did: reverting %.10s conflicts; nothing was changed", step.ID, commit)}
		}
		if err != nil {
			return t, err
		}
	}
	if last := commits[0]; len(commits) == 1 || len(first.Parents) == 0 {
		t.Kept, err = checkout.KeepCommit(ctx, s.Checkout, last.OID, step.ID)
	} else { // a commit whose change is that of all
		t.Kept, err = checkout.KeepAttempt(ctx, s.Checkout, last.Tree, []string{first.Parents[0], last.OID}, step.ID,
			fmt.Sprintf("undone: %d commits, the last is %s", len(commits), last.Subject()))
	}
	if err == nil && off {
		err = worktree.MoveBack(ctx, r, first.Parents[0])
	}
	return t, err
}

// commitsOf returns a step's commits from last on: those that name it, and nameless ones of its time.
func commitsOf(ctx context.Context, c *checkout.Checkout, id string, done int, last string) ([]git.Commit, error) {
	const maxCommits = 200 // of one step
	r, events := c.Repo, c.Doc.Events
	all, err := r.Log(ctx, "--first-parent", fmt.Sprintf("--max-count=%d", maxCommits), last)
	if err != nil {
		return nil, err
	}
	since := map[string]bool{}
	for _, began := range slices.Backward(events[:done]) {
		if began.Kind != journal.Started || !slices.Contains(began.Steps, id) {
			continue
		}
		made := events[done].Head
		if began.Head != journal.None {
			made = began.Head + ".." + made
		}
		list, _ := r.Log(ctx, made) // they may be gone
		for _, made := range list {
			since[made.OID] = true
		}
		break
	}
	n := 1
	for n < len(all) && (checkout.NamesStep(all[n].Message, c.Doc.ID, id) || since[all[n].OID] && len(journal.NamedPlans(all[n].Message)) == 0) {
		n++
	}
	return all[:n], nil
}
