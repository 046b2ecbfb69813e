package status

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan"
	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/visible"
	"github.com/git-plan/git-plan/gitplan/work"
)

type facts struct {
	state    State
	underWay string         // what git is in the middle of: a merge, a rebase
	holder   journal.Holder // who works on the plan, if that is so
	stopping bool           // which was asked to end
	taken    string         // the step that a person opened by git plan next
	unseen   string         // a change of the set-up during a session
	blocked  string         // a blocked step
	why      journal.Event  // that blocked it
	open     openStep       // the step that comes next

	pursues    bool // the plan has Bounds: run goes on until Done when holds
	ended      bool // the last run gave up
	review     Review
	noReviewer bool   // no agent is set up, and some reviewers need one
	gated      bool   // plan.prePush is block
	spent      string // the command that changes a budget which lets no session begin
	push       push   // once every step is done
}

type openStep struct {
	id      string
	first   Advice // if its commit is elsewhere
	noAgent bool   // only the person can do it
	half    bool   // its last session was interrupted, and what it did is kept
}

// Next returns what comes next for a plan.
func (s *Plan) Next(ctx context.Context, co *checkout.Checkout) Advice {
	f := facts{state: s.State, review: s.Review, pursues: co.Doc.Plan.Bounds != nil, noReviewer: noReviewer(co)}
	mode, _ := co.Config.Word("plan.prePush")
	f.gated = mode == "block"
	if err := co.RequireNoOperation(); err != nil {
		f.underWay = err.Error()
	}
	f.unseen, _ = co.SetupChange()
	f.holder, _ = journal.Working(co.Repo, co.Doc.ID)
	f.stopping = journal.AskedToStop(co.Repo, co.Doc.ID, f.holder)
	f.taken, _ = co.OpenByNext()
	if step, ok := co.Progress.Blocked(co.Doc.Plan); ok {
		f.blocked, f.why = step.ID, co.Progress.Steps[step.ID].Last()
	}
	f.ended = f.pursues && co.Doc.Newest().Kind == journal.Checked && gitplan.Unmet(co.Doc.Newest().Measured) != ""
	switch s.State {
	case Open:
		f.open = openStepOf(co, len(s.Left) > 0)
		f.spent = spent(co, f.open.id)
	case Done:
		f.spent = spent(co, "")
		if b := co.Doc.Plan.Bounds; f.ended && b.Budget.Steps > 0 && co.Doc.Plan.Budgeted() >= b.Budget.Steps {
			f.spent = "git plan edit"
		}
		f.push = pushOf(ctx, co)
	}
	return next(f)
}

func openStepOf(co *checkout.Checkout, left bool) openStep {
	waits, _ := co.Unapproved()
	step, ok := co.Progress.NextOf(co.Doc.Plan, waits)
	if !ok {
		return openStep{}
	}
	st, s := co.Progress.Steps[step.ID], openStep{id: step.ID}
	s.half = st.Last().Stopped && st.Last().Kept != "" || left
	if commit, ok := co.Progress.DoneElsewhere(step.ID); ok {
		s.first = because("git plan fetch",
			fmt.Sprintf("%s names step %s, but the plan here does not know that it is done", visible.Short(commit), s.id))
	} else if st.Pull != "" {
		s.first = because(st.Pull, fmt.Sprintf("%s, which did step %s, %s; to have it done again: git plan reopen %s",
			visible.Short(st.Commit), s.id, st.Reason, s.id))
	}
	_, err := co.Config.StepAgent(step, agent.Executor)
	s.noAgent = errors.Is(err, fault.ErrNoAgent) && step.Run == ""
	return s
}

// spent returns the command that changes a spent budget; "" if none keeps a session of the step from beginning.
func spent(co *checkout.Checkout, step string) string {
	var f *fault.Fault
	if err := new(work.Spending).Allows(co, step); !errors.Is(err, fault.ErrBudget) || !errors.As(err, &f) {
		return ""
	}
	if _, command, _ := strings.Cut(f.Next, ": "); errors.Is(f, fault.ErrBounds) {
		command, _, _ = strings.Cut(command, ";")
		return cmp.Or(command, "git plan edit")
	}
	value := "VALUE"
	if work.Unenforced(f.Text) {
		value = "none"
	}
	return "git config " + f.Setting + " " + value
}

// noReviewer reports whether no agent is set up although some reviewers need one.
func noReviewer(co *checkout.Checkout) bool {
	if _, err := co.Config.Agent(agent.Reviewer); !errors.Is(err, fault.ErrNoAgent) {
		return false
	}
	names, commands := co.Config.List("plan.reviewers"), co.Config.Names("planReviewer", "command")
	return len(names) == 0 || slices.ContainsFunc(names, func(n string) bool { return !slices.Contains(commands, n) })
}
