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
	"github.com/git-plan/git-plan/gitplan/integrity"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/progress"
	"github.com/git-plan/git-plan/gitplan/share"
	"github.com/git-plan/git-plan/gitplan/visible"
	"github.com/git-plan/git-plan/gitplan/work"
	"github.com/git-plan/git-plan/reviewers/ledger"
)

// Advice is what comes next.
type Advice struct {
	Command string // the command to type now; "" if nothing is left, or no command does it
	Text    string // the same as a sentence for people; "" if the command is enough
}

// String returns the advice as people read it, in one line.
func (a Advice) String() string          { return cmp.Or(a.Text, a.Command) }
func because(command, why string) Advice { return Advice{command, command + " (" + why + ")"} }

// after returns the advice for when a person has done something else first.
func (a Advice) after(first string) Advice { return Advice{a.Command, first + ", then " + a.String()} }

type facts struct {
	state    State
	underWay string         // git's unfinished operation: a merge, a rebase; else ""
	holder   journal.Holder // the process that works on the plan, or the zero value
	stopping bool           // that process was asked to stop
	taken    string         // the step that a person opened by git plan next
	unseen   string         // a change of the set-up during a session
	blocked  string         // a blocked step
	why      journal.Event  // the event that blocked it
	open     openStep       // the step that comes next

	pursues    bool // the plan has Bounds, so that run goes on until the commands under Done when pass
	ended      bool // the last run gave up
	review     Review
	noReviewer bool   // no agent is set up, and some reviewers need one
	gated      bool   // plan.prePush is block
	spent      string // the command that changes a budget which lets no session begin
	push       push   // the facts about a push, once every step is done
}

type openStep struct {
	id      string
	first   Advice // what to do before it, if its commit is elsewhere
	noAgent bool   // no agent is set up, so only the person can do the step
	half    bool   // its last session was interrupted, and its work is kept
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
	waits, _ := integrity.Waits(co.Repo, co.Doc.ID, co.Doc.Plan)
	step, ok := co.Progress.NextOf(co.Doc.Plan, waits)
	if !ok {
		return openStep{}
	}
	st, s := co.Progress.Steps[step.ID], openStep{id: step.ID}
	s.half = st.Last().Kind == journal.Failed && st.Last().Kept != "" || left
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
	names, commands := co.Config.List("plan.reviewers"), co.Config.Git.Subsections("planReviewer", "command")
	return len(names) == 0 || slices.ContainsFunc(names, func(n string) bool { return !slices.Contains(commands, n) })
}

// next decides. The order of the cases is the point: what blocks everything else comes first.
func next(f facts) Advice {
	switch {
	case f.underWay != "" && f.state != Running:
		return because("git status", f.underWay+": finish or abort it first")
	case f.taken != "":
		return because("git plan done", fmt.Sprintf("step %s was opened by git plan next", f.taken))
	}
	switch f.state {
	case Running:
		text := fmt.Sprintf("git plan %s is at work (pid %d)", f.holder.Command, f.holder.PID)
		if f.stopping {
			text += "; it was asked to stop, and ends after what is in progress"
		}
		return Advice{Text: text}
	case Unapproved:
		if f.unseen != "" {
			return because("git plan approve", f.unseen).after("look at it, revert it or keep it")
		}
		return Advice{Command: "git plan approve"}
	case Blocked:
		switch {
		case f.ended:
			return tryAnotherWay
		case f.blocked == "":
			return Advice{Command: "git plan edit"}
		}
		return Unblock(f.blocked, f.why)
	case Done:
		return afterSteps(f)
	}
	return step(f)
}

// Unblock returns the advice for a blocked step, in the same words as elsewhere.
func Unblock(step string, last journal.Event) Advice {
	text := progress.Unblock(step, last)
	command, _, _ := strings.Cut(strings.TrimPrefix(text, "see why: "), ";")
	command, _, _ = strings.Cut(command, ",")
	return Advice{Command: command, Text: text}
}

func step(f facts) Advice {
	s, do := f.open, Advice{"git plan step", "git plan step " + f.open.id + ", or git plan run"}
	if s.half {
		do.Text = "git plan step " + s.id + ", which continues where it stopped (--clean starts over), or git plan run"
	}
	switch {
	case s.first.Command != "":
		return s.first
	case f.spent != "":
		return Advice{f.spent, f.spent + ", then " + do.String()}
	case s.noAgent:
		return Advice{"git plan next", "git plan next " + s.id + "; git plan step needs an agent: git plan doctor"}
	}
	return do
}

// tryAnotherWay is the advice once plannings brought a goal no nearer.
var tryAnotherWay = because("git plan replan -m 'what to try'", "the goal came no nearer; then git plan run")

// afterSteps returns the advice once every step is done: the review, then the push.
func afterSteps(f facts) Advice {
	r := f.review
	switch {
	case !f.pursues || !r.Stale && (r.End.Passes() || r.Facts.Asked != ""):
	case f.spent != "":
		return Advice{f.spent, f.spent + ", then git plan run"}
	case f.ended:
		return tryAnotherWay
	default:
		return Advice{Command: "git plan run"}
	}
	if !r.Stale && r.LeftOut == "" { // otherwise it does not judge what was done since
		switch {
		case r.End.Passes() && r.Facts.Stopped: // not all reviewers passed it, or the plan or the reviewers have changed
			return Advice{review,
				review + ", by all reviewers: no review has passed for this version of the plan; pre-push blocks until one does"}
		case r.End.Passes() && len(r.Only) > 0:
			return Advice{review, review + ", by all reviewers: only " + strings.Join(r.Only, ", ") + " judged"}
		case r.End.Passes():
			return pushing(f.push)
		case r.End == ledger.Stalemate, r.End == ledger.Oscillation, r.End == ledger.RoundsUp:
			return fixYourself(r)
		case r.End == ledger.Budget && f.spent != "":
			return Advice{f.spent, f.spent + ", then " + review}
		}
	}
	switch {
	case f.noReviewer && f.gated:
		return Advice{review, review + ", which " + wantsJudge + ": git plan review -h"}
	case f.noReviewer:
		return Advice{"git plan verify",
			"git plan verify, then " + pushing(f.push).String() + "; " + review + " " + wantsJudge + ": git plan review -h"}
	case r.End != ledger.Incomplete || r.Stale:
		return Advice{Command: review}
	case r.Facts.Nothing && f.push.mergedInto != "" && f.push.hasPlan:
		return pushing(f.push)
	case r.Facts.Nothing:
		return Advice{Command: review}.after("commit the changes to review")
	case r.Facts.GoesOn:
		return Advice{review, review + ", which continues where it stopped"}
	case len(r.Facts.Missing) == 0:
		return Advice{Command: review}.after("fix what stopped it (git plan show --review) and commit that")
	}
	return Advice{review, review + ", which asks only those who gave no answer (" + strings.Join(r.Facts.Missing, ", ") +
		"); git plan show --review says why"}
}

const (
	review     = "git plan review"
	wantsJudge = "needs an agent, or a command that judges"
)

// AfterReview returns what comes after a review of a branch without a plan; false without one.
func AfterReview(ctx context.Context, co *checkout.Checkout) (a Advice, ok bool) {
	r, err := ReviewOf(ctx, co)
	if err != nil || r.End == none {
		return Advice{}, false
	}
	return afterSteps(facts{review: r, noReviewer: noReviewer(co), push: pushOf(ctx, co)}), true
}

// fixYourself returns the advice for when findings wait for a person.
func fixYourself(r Review) Advice {
	first, also := "FINDING", ""
	if ids := r.Facts.Blocking; len(ids) > 0 {
		first = ids[0]
		if len(ids) > 1 {
			also = "; " + visible.Few(ids[1:]) + map[bool]string{true: " blocks, too", false: " block, too"}[len(ids) == 2]
		}
	}
	if asked := visible.OneLine(r.Facts.Asked, 200); asked != "" {
		answer := "git plan answer " + first + ` "your answer"`
		return Advice{answer, `answer "` + asked + `": ` + answer + ", then git plan review; or decide it in the code " +
			"and commit that; or, to leave the code as it is: git plan dismiss " + first + " -m WHY" + also}
	}
	return Advice{review, "fix what blocks (git plan show --review) and commit it, then " + review +
		"; or, if a finding is wrong: git plan dismiss " + first + " -m WHY" + also}
}

// push is what the base and the remote have of a finished branch.
type push struct {
	branch     string
	base       string // the base branch; "" if that is not known
	mergedInto string // the base, if it contains the branch
	onBase     bool   // the branch is the base, as if the plan made its first commits
	remotes    bool   // there are any
	hasPlan    bool   // the branch has one
	there      share.AtRemote
}

func pushOf(ctx context.Context, co *checkout.Checkout) push {
	p := push{branch: co.Branch, mergedInto: share.MergedInto(ctx, co), hasPlan: co.Doc != nil}
	if p.mergedInto != "" {
		return p
	}
	base, err := co.Base(ctx, "")
	if p.onBase = err == nil && co.OnBase(base); err == nil {
		p.base = strings.TrimPrefix(base, "origin/")
	}
	if p.remotes = len(co.Config.Git.Subsections("remote", "url")) > 0; p.remotes {
		p.there = share.LookAtRemote(ctx, co)
	}
	return p
}

// pushing says how the branch is pushed, or what comes after that.
func pushing(p push) Advice {
	const pullRequest = "git plan pr" // pushes the plan, too
	nothing := func(why string) Advice { return Advice{Text: "nothing, " + why} }
	branch, remote := p.branch, p.there.Name
	pushed := "the branch is on " + remote
	switch there := p.there; {
	case p.mergedInto != "":
		return nothing(p.mergedInto + " already has " + branch)
	case !p.remotes && p.onBase:
		return nothing("the work is on " + branch + " (there is no remote to push to)")
	case !p.remotes:
		merge := "git merge " + visible.Shell(p.branch)
		if p.base != "" {
			merge = "git switch " + visible.Shell(p.base) + " && " + merge
		}
		return because(merge, "there is no remote to push to")
	case there.More != "" && there.Rewritten:
		return because(there.Push+" --force-with-lease", remote+" has "+there.More+" as it was before you rewrote it")
	case there.More != "":
		return because("git pull "+visible.Shell(there.Name)+" "+visible.Shell(there.More),
			"it has commits of the branch that are not here; if you rewrote them: git push --force-with-lease")
	case !there.Has:
		return Advice{Command: there.Push}
	case p.onBase && (!p.hasPlan || there.HasPlan):
		return nothing(remote + " already has " + branch)
	case !p.hasPlan:
		return Advice{Text: "a pull request, or a merge (" + pushed + ")"}
	case there.LacksPlan:
		return because("git plan fetch", remote+" has changes of the plan that are not here")
	case there.HasPlan && there.Folder:
		return nothing(remote + " has the branch and its plan; the text of a pull request: git plan export --format pr")
	case there.HasPlan:
		return because(pullRequest, pushed+", and so is its plan")
	case p.onBase:
		return because("git plan push", pushed+", but the current plan is not")
	}
	return because(pullRequest, pushed+", but the current plan is not")
}
