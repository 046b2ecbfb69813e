package gitplan

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
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
	"github.com/git-plan/git-plan/gitplan/prompt"
	"github.com/git-plan/git-plan/gitplan/work"
	"github.com/git-plan/git-plan/gitplan/workspace"
)

// Next opens a step for a person who works here, or finds it open, and returns it with the prompt of a session.
func (s *Steps) Next(ctx context.Context, name string) (*plan.Step, string, error) {
	asked, err := s.named(name)
	if err != nil {
		return nil, "", err
	}
	told := func(step *plan.Step) (*plan.Step, string, error) { // no code: the person has it
		journal.MarkOpen.Set(s.Checkout.Repo, s.Checkout.Doc.ID)
		return step, s.Checkout.StepPrompt(ctx, step)(prompt.Attempt{N: 1, Of: 1}).User, nil
	}
	if open, ok := s.Checkout.OpenByNext(); ok {
		step, found := s.Checkout.Doc.Plan.Step(open)
		if asked != nil && asked.ID != open {
			return nil, "", fault.AtStep(fault.ErrOpenByNext, open, "step %s was opened by git plan next", open)
		}
		if found {
			return told(step)
		}
	}
	ws, err := s.readyByHand(ctx)
	if err != nil {
		return nil, "", err
	}
	if err := s.prerequisites(ctx, ws); err != nil {
		return nil, "", err
	}
	step, err := s.choose(name)
	if err != nil {
		return nil, "", err
	}
	if step.Run != "" { // on a person's word it would be done without having run
		return step, "", fault.AtStep(fault.ErrIsCommand, step.ID, "step %s is a command, which git plan runs", step.ID)
	}
	if err := s.inTheWay(ctx, ws.Before, step); err != nil {
		return step, "", err
	}
	if err := ws.RecordUserFiles(ctx, step.ID); err != nil {
		return step, "", err
	}
	if err := s.apply(ctx, journal.Event{
		Kind: journal.Started, Steps: []string{step.ID}, Head: journal.OrNone(ws.Before.Head), Attempt: 1, By: journal.ByPerson,
	}); err != nil {
		return step, "", err
	}
	return told(step)
}

// Drop closes the step that was opened by next; left reports whether the tree, which stays, holds the person's work.
func (s *Steps) Drop(ctx context.Context) (open string, left bool, err error) {
	open, ok := s.Checkout.OpenByNext()
	if !ok {
		return "", false, fault.New(fault.ErrNotOpen, "no step was opened by git plan next")
	}
	ws, err := s.byHand(ctx)
	if err != nil {
		return open, false, err
	}
	left = !ws.Changes().Empty()
	if err := s.apply(ctx, journal.Event{
		Kind: journal.Failed, Steps: []string{open}, Head: journal.None, Attempt: 1, By: journal.ByPerson, Reason: "dropped",
	}); err != nil {
		return open, left, err // it is still open
	}
	s.close()
	return open, left, s.Checkout.Derive(ctx)
}

func (s *Steps) close() {
	s.Checkout.Task().Forget()
	journal.MarkOpen.Clear(s.Checkout.Repo, s.Checkout.Doc.ID)
}

// Done checks, commits and ticks the step opened by next; one whose session changed nothing on the person's word.
func (s *Steps) Done(ctx context.Context, name string) (step *plan.Step, out work.Outcome, err error) {
	release, err := s.lockAndReload(ctx)
	if err != nil {
		return nil, out, err
	}
	defer release()
	asked, err := s.named(name)
	if err != nil {
		return nil, out, err
	}
	if asked != nil && s.Checkout.Progress.Steps[asked.ID].Unchanged() {
		last := s.Checkout.Progress.Steps[asked.ID].Last()
		return asked, work.Outcome{Commit: journal.None}, s.tick(ctx, asked.ID, journal.Event{
			Head: journal.None, Attempt: last.Attempt, By: journal.ByPerson, Summary: last.Summary,
			Reason: "a person found it right as it is",
		})
	}
	open, ok := s.Checkout.OpenByNext()
	if !ok {
		return nil, out, fault.New(fault.ErrNotOpen, "no step was opened by git plan next")
	}
	step, _ = s.Checkout.Doc.Plan.Step(open)
	if asked != nil && asked.ID != open {
		return nil, out, fault.AtStep(fault.ErrOpenByNext, open,
			"step %s was opened by git plan next, not %s", open, asked.ID)
	}
	if step == nil {
		return step, out, fault.AtStep(fault.ErrNotEndable, open, "the plan has no step %s any more", open)
	}
	if unmet := s.Checkout.Progress.Unmet(step); len(unmet) > 0 { // what it needs was undone since
		return step, out, fault.AtStep(fault.ErrNotEndable, open, "step %s needs %s first", open, strings.Join(unmet, ", "))
	}
	if err := s.Checkout.RequirePlace(ctx); err != nil {
		return step, out, err
	}
	if waits, err := s.Checkout.NotApproved(); err != nil {
		return step, out, err
	} else if waits.WaitsFor(open) {
		return step, out, s.Checkout.RequireApproval()
	}
	if err := s.Runner.Unlocked(false); err != nil {
		return step, out, err
	}
	ws, err := s.byHand(ctx)
	if err != nil {
		return step, out, err
	}
	if out, err = s.judgeOwn(ctx, ws, step); err != nil {
		return step, out, err
	}
	if err := s.tick(ctx, step.ID, journal.Event{Head: journal.OrNone(out.Commit), Attempt: 1, By: journal.ByPerson,
		Reason: strings.Join(out.Reported, "; ")}); err != nil {
		return step, out, err // it is still open
	}
	s.close()
	return step, out, nil
}

// byHand returns a person's workspace. After a crash their index is restored, if it holds only what done had staged.
func (s *Steps) byHand(ctx context.Context) (*workspace.Workspace, error) {
	saved := s.savedIndex()
	if _, err := os.Stat(saved); err == nil {
		state := s.Checkout.Task().State()
		head, _ := s.Checkout.Repo.Resolve(ctx, "HEAD^{commit}")
		staged, err := worktree.StagedTree(ctx, s.Checkout.Repo)
		if err != nil && git.Code(err) <= 0 { // with conflicts in the index git cannot tell
			return nil, err
		}
		if err == nil && staged == state.Tree && journal.OrNone(head) == state.Head {
			if err := worktree.LoadIndex(s.Checkout.Repo, saved); err != nil {
				return nil, err
			}
		}
		if err := os.Remove(saved); err != nil {
			return nil, err
		}
	}
	now, err := worktree.ReadStatus(ctx, s.Checkout.Repo)
	if err != nil {
		return nil, err
	}
	ws := workspace.At(s.Runner, now)
	ws.LoadState(ctx)
	return ws, nil
}

func (s *Steps) savedIndex() string {
	return filepath.Join(s.Checkout.Repo.GitDir, "plan", "index", s.Checkout.Doc.ID)
}

// judgeOwn stages, checks and commits all of a person's work on a step. If it is not committed, the index is restored.
func (s *Steps) judgeOwn(ctx context.Context, ws *workspace.Workspace, step *plan.Step) (out work.Outcome, err error) {
	began := s.Checkout.Progress.Steps[step.ID].Last()
	t, changes, head := s.judging(step), ws.Changes(), ws.Before.Head
	t.Unchanged, t.Guard = true, s.guarding(step, began.Head)
	out = work.Outcome{Status: agent.Done, Attempts: 1}
	unchanged := changes.Empty() && journal.OrNone(head) == began.Head
	if unchanged && len(plan.Commands(step.Checks)) == 0 {
		return out, fault.AtStep(fault.ErrNothingDone, step.ID,
			"nothing was changed, and step %s has no command that could show that it is done", step.ID)
	}
	saved := s.savedIndex()
	if err := worktree.CopyIndex(s.Checkout.Repo.IndexFile(), saved); err != nil {
		return out, err
	}
	ws.Watch = ws.Runner.Watch(ws.Target())
	a := s.Worker.Attempt(ws, t, prompt.Attempt{N: 1})
	v, err := a.JudgeAndCommit(ctx, changes)
	var back error
	if now, _ := s.Checkout.Repo.Resolve(context.WithoutCancel(ctx), "HEAD^{commit}"); now == head {
		back = worktree.LoadIndex(s.Checkout.Repo, saved)
	}
	if back == nil {
		_ = os.Remove(saved)
	} else { // the next command restores it
		err = errors.Join(err, back)
	}
	if err == nil && v.Failure != nil {
		failed := &fault.Fault{Kind: fault.ErrChecksFailed, Step: step.ID, Text: strings.TrimSpace(v.Failure.Error())}
		err = cmp.Or[error](context.Cause(ctx), failed)
	}
	if out.Commit, out.Reported = v.Commit, a.Notes; v.Commit == journal.None && changes.Empty() && !unchanged {
		out.Commit = head // the person's own
	}
	return out, err
}

// Baseline runs the plan's Checks where a session would work, before any work, or accepts that one fails; why is how.
func (s *Steps) Baseline(ctx context.Context, accept string) (why string, err error) {
	release, err := s.lockAndReload(ctx)
	if err != nil {
		return "", err
	}
	defer release()
	ws, err := s.readyByHand(ctx)
	if err != nil {
		return "", err
	}
	here, leave, err := ws.Enter(ctx, agent.Executor)
	if err != nil {
		return "", err
	}
	defer leave()
	b, err := work.NewBaseline(ctx, s.Worker, here, workspace.Precheck{Name: "baseline"})
	switch {
	case err != nil:
	case accept == "":
		err = b.PlanChecks(ctx)
	default:
		why, err = b.Accept(ctx, accept)
	}
	s.Checkout.Task().Abandon(err)
	return why, err
}

// Undone is how a step was undone.
type Undone struct {
	Kept    string // the ref from which its last commit stays reachable
	Reverts int    // commits that revert it, since others may have the old ones or build on them
}

// Undo takes the last done step back, with all commits that a person made while it was open: off the branch if they are
// the last and no remote-tracking ref has them, else by commits that revert them.
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
	if commit != journal.None {
		if t, err = s.takeBack(ctx, p.Before, step, done, commit); err != nil {
			return step, t, err
		}
	}
	of := func(e journal.Event) bool { return e.Kind == journal.Started && e.Step() == step.ID }
	began := max(0, slices.IndexFunc(c.Doc.Events, of)) // a step that was done elsewhere has no such event
	p.Files.TakeBuilt("the undone step", p.Before.Ignored, c.Doc.Events[began].Time)
	if err := c.Derive(ctx); err != nil {
		return step, t, err
	}
	e := journal.Event{Kind: journal.Undone, Steps: []string{step.ID}, By: journal.ByPerson, Head: commit, Kept: t.Kept}
	if c.Progress.Steps[step.ID].State == progress.StateDone { // the branch itself does not show that it is undone
		e.Kind, e.Reason = journal.Reopened, "was undone"
	}
	return step, t, c.Apply(ctx, journal.Change{Event: e, Edit: func(text []byte) ([]byte, error) {
		return plan.Tick(text, step.ID, false)
	}})
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

func (s *Steps) takeBack(ctx context.Context, now *worktree.Status, step *plan.Step, done int,
	commit string) (t Undone, err error) {
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
	var oids []string
	for _, c := range commits {
		if oids = append(oids, c.OID); len(c.Parents) > 1 && !off {
			return t, fault.AtStep(fault.ErrMerged, step.ID,
				"step %s was done with a merge, %.10s: git plan cannot tell which part of it is the work of the step", step.ID, c.OID)
		}
	}
	if len(first.Parents) > 0 { // a file that the step deleted may be there again, untracked
		if files, err := workspace.InTheWay(ctx, r, now, commit, first.Parents[0]); err != nil {
			return t, err
		} else if len(files) > 0 {
			return t, fault.AtStep(fault.ErrInTheWay, step.ID,
				"%s is not tracked, and undoing step %s would overwrite it", files[0], step.ID)
		}
	}
	if !off {
		// What hooks run may have been written by a session, and is not approved here.
		sandboxed, _ := s.Checkout.Config.Word("plan.hooksSandbox") // an invalid value is on
		t.Reverts, err = worktree.Revert(ctx, r, now.Head, sandboxed == "off", oids...)
		if errors.Is(err, worktree.ErrConflict) {
			err = fault.AtStep(fault.ErrBuiltOn, step.ID,
				"later commits need what step %s did: reverting %.10s conflicts; nothing was changed", step.ID, commit)
		}
		if err != nil {
			return t, err
		}
	}
	if last := commits[0]; len(commits) == 1 || len(first.Parents) == 0 {
		t.Kept, err = s.Checkout.Attempts().KeepCommit(ctx, last.OID, step.ID)
	} else { // a commit whose change is that of all
		t.Kept, err = s.Checkout.Attempts().Keep(ctx, last.Tree, []string{first.Parents[0], last.OID}, step.ID,
			checkout.Ending{Reason: fmt.Sprintf("undone: %d commits, the last is %s", len(commits), last.Subject())})
	}
	if err == nil && off {
		err = worktree.MoveBack(ctx, r, first.Parents[0])
	}
	return t, err
}

// commitsOf returns a step's commits from last on: those that name it, and nameless ones of its time.
func commitsOf(ctx context.Context, c *checkout.Checkout, id string, done int, last string) ([]git.Commit, error) {
	r, events := c.Repo, c.Doc.Events
	all, err := r.Log(ctx, "--first-parent", "--max-count=200", last) // more than a step has
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
	for n < len(all) && (slices.Contains(journal.NamedSteps(all[n].Message), c.Doc.ID+"/"+id) ||
		since[all[n].OID] && len(journal.NamedSteps(all[n].Message)) == 0) {
		n++
	}
	return all[:n], nil
}
