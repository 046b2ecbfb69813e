package status

import (
	"context"
	"fmt"
	"strings"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/progress"
	"github.com/git-plan/git-plan/reviewers/ledger"
)

// Next returns what comes next for a plan.
func (s *Plan) Next(ctx context.Context, co *checkout.Checkout) Advice {
	return next(factsOf(ctx, co, s))
}

// Resolve returns the advice while files are not merged.
func Resolve(files string) Advice {
	return Advice{Command: "git status", Because: "not merged: " + files + "; resolve that first"}
}

// next decides. The order of the cases is the point: what blocks everything else comes first.
func next(f facts) Advice {
	switch {
	case f.underWay != "" && f.state != Running:
		return Advice{Command: "git status", Because: f.underWay + ": finish or abort it first"}
	case f.stuck != "":
		return Advice{Command: "git plan next --drop", Because: fmt.Sprintf("step %s is open by git plan next, but %s", f.taken, f.stuck)}
	case f.taken != "":
		return Advice{Command: "git plan done", Because: fmt.Sprintf("step %s is open by git plan next", f.taken)}
	}
	switch f.state {
	case Running:
		return worded("{because}", "", fmt.Sprintf("git plan %s is at work (pid %d)", f.holder.Command, f.holder.PID))
	case Unapproved:
		approve := Advice{Command: "git plan approve", Because: f.unseen}
		if f.unseen != "" {
			return approve.after("look at it, put it back or keep it")
		}
		return approve
	case Blocked:
		if f.blocked == "" {
			return Advice{Command: "git plan edit"}
		}
		return unblock(f.blocked, f.question)
	case Done:
		return afterSteps(f)
	}
	return step(f)
}

// unblock returns the advice for a blocked step, in the same words as elsewhere.
func unblock(step string, question bool) Advice {
	text := progress.Unblock(step, question)
	if question {
		return Advice{Command: text}
	}
	return Advice{Command: "git plan log " + step, Text: text}
}

// step returns the advice while a step can be done.
func step(f facts) Advice {
	s := f.open
	switch {
	case s.elsewhere != "":
		return Advice{Command: "git plan fetch", Because: fmt.Sprintf("%s names step %s, but the plan here does not know that it is done", s.elsewhere, s.id)}
	case s.pull != "":
		why := fmt.Sprintf("%s, which did step %s, %s", s.commit, s.id, s.reason)
		return worded("{command} ({because}; to have it done again: git plan reopen "+s.id+")", s.pull, why)
	}
	do := worded("{command} ("+s.id+"), or git plan run", "git plan step", "")
	switch {
	case f.spent.key != "":
		return f.spent.raise(do)
	case s.noAgent:
		return worded("{command} ("+s.id+"); git plan step needs an agent: git plan doctor", "git plan next", "")
	}
	return do
}

// raise advises to change a budget, and then to do what it kept from being done.
func (b setLimit) raise(then Advice) Advice {
	command, how := "git config "+b.key+" VALUE", ", a higher one or none"
	if b.unheld {
		command, how = "git config "+b.key+" none", ""
	}
	return Advice{Command: command, Text: command + how + ", then " + then.String()}
}

// afterSteps returns the advice once every step is done: the review, then the push.
func afterSteps(f facts) Advice {
	r := f.review
	if !r.Stale && r.LeftOut == "" { // else it does not judge what was done since
		switch {
		case r.End.Passes():
			return afterPass(r, f.push)
		case gotNoFurther(r.End):
			return fixYourself(r)
		case r.End == ledger.Budget && f.spent.key != "":
			return f.spent.raise(Advice{Command: review})
		}
	}
	switch {
	case f.noReviewer && f.gated:
		return worded("{command}, which {because}: git plan review -h", review, wantsJudge)
	case f.noReviewer:
		return Advice{
			Command: "git plan verify",
			Text:    "git plan verify, then " + pushing(f.push).String() + "; " + review + " " + wantsJudge + ": git plan review -h",
		}
	case r.End != ledger.Incomplete || r.Stale:
		return Advice{Command: review}
	case r.Facts.Nothing && len(f.idle) > 0:
		return worded("{command}, then git plan run ({because}); or commit what is to be reviewed, then git plan review",
			"git plan reopen STEP", "no step made a commit: "+strings.Join(f.idle, ", "))
	case r.Facts.Nothing && f.push.mergedInto != "":
		return pushing(f.push)
	}
	return reviewAgain(r)
}
