package status

import (
	"context"
	"errors"
	"github.com/git-plan/git-plan/gitplan/work"
	"slices"

	"github.com/git-plan/git-plan/gitplan"
	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/integrity"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// facts are what the advice depends on. What others wrote in them is safe to show.
type facts struct {
	state    State
	underWay string         // what git is in the middle of: a merge, a rebase
	holder   journal.Holder // who works on the plan, if somebody does
	taken    string         // the step that a person opened by git plan next
	stuck    string         // why git plan done cannot end that step
	unseen   string         // what nobody has looked at since a session was killed
	blocked  string         // a blocked step
	question bool           // that step is blocked by a question
	open     openStep       // the step that comes next
	idle     []string       // the steps that are done, if none of them made a commit

	review     Review
	noReviewer bool     // there is no agent, and some reviewers are not commands
	gated      bool     // plan.prePush is block
	spent      setLimit // lets no session begin
	push       push     // only if mayPush
}

// openStep is a step that can be done.
type openStep struct {
	id        string
	elsewhere string // the commit that did it, if the plan here does not know of that
	pull      string // the command that gets the commit which did it
	commit    string // which did it and is gone
	reason    string // why it is reopened
	noAgent   bool   // only the person can do it
}

// setLimit is a setting that forbids another session.
type setLimit struct {
	key    string // "" if none does
	unheld bool   // raising it does not help: nobody knows how much was used
}

// factsOf reads what the advice for a plan depends on.
func factsOf(ctx context.Context, co *checkout.Checkout, s *Plan) facts {
	f := facts{
		state: s.State, idle: s.idle(),
		review: s.Review, noReviewer: noReviewer(co), gated: gated(co),
	}
	if err := co.RequireNoOperation(); err != nil {
		f.underWay = visible.Line(err.Error())
	}
	if text, ok := co.SetupChange(); ok {
		f.unseen = visible.Line(text)
	}
	f.holder, _ = journal.Working(co.Repo, co.Doc.ID)
	if step, ok := co.OpenByNext(); ok {
		f.taken = step
		if err := gitplan.Endable(co, step); err != nil {
			f.stuck = visible.Line(err.Error())
		}
	}
	if step, ok := co.Progress.Blocked(co.Doc.Plan); ok {
		f.blocked, f.question = step.ID, co.Progress.Steps[step.ID].Last().Question
	}
	switch s.State {
	case Open:
		f.open = openStepOf(co)
		f.spent = spent(co, f.open.id)
	case Done:
		f.spent = spent(co, "")
		if f.mayPush() {
			f.push = pushOf(ctx, co)
		}
	}
	return f
}

// mayPush reports whether afterSteps can come to a push. If not, git is not asked about one.
func (f facts) mayPush() bool {
	r := f.review
	return r.End.Passes() && !r.Stale || f.noReviewer && !f.gated || r.Facts.Nothing
}

func openStepOf(co *checkout.Checkout) openStep {
	waits, _ := integrity.NotApproved(co.Repo, co.Doc.ID, co.Doc.Plan)
	step, ok := co.Progress.NextOf(co.Doc.Plan, waits)
	if !ok {
		return openStep{}
	}
	st := co.Progress.Steps[step.ID]
	s := openStep{id: step.ID, pull: visible.Line(st.Pull), commit: visible.Short(st.Commit), reason: visible.Line(st.Reason)}
	if commit, ok := co.Progress.DoneElsewhere(step.ID); ok {
		s.elsewhere = visible.Short(commit)
	}
	_, err := co.Config.StepAgent(step, agent.Executor)
	s.noAgent = errors.Is(err, fault.ErrNoAgent) && step.Run == ""
	return s
}

// spent returns the setting that lets no session begin for a step, or for anything if the step is
// "".
func spent(co *checkout.Checkout, step string) setLimit {
	var f *fault.Fault
	if err := work.SpentOn(co, step); !errors.Is(err, fault.ErrBudget) || !errors.As(err, &f) {
		return setLimit{}
	}
	_, unheld := work.UnheldBudget(co.Config, f.Text)
	return setLimit{key: f.Setting, unheld: unheld}
}

// gated reports whether the gate stops pushes that no review passed.
func gated(co *checkout.Checkout) bool {
	mode, _ := co.Config.Word("plan.prePush")
	return mode == "block"
}

// noReviewer reports whether there is no agent although some reviewers are not commands.
func noReviewer(co *checkout.Checkout) bool {
	if _, err := co.Config.Agent(agent.Reviewer); !errors.Is(err, fault.ErrNoAgent) {
		return false
	}
	names, commands := co.Config.List("plan.reviewers"), co.Config.Names("planReviewer", "command")
	return len(names) == 0 || slices.ContainsFunc(names, func(n string) bool { return !slices.Contains(commands, n) })
}
