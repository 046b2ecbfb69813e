package status

import (
	"cmp"
	"context"
	"strings"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/visible"
	"github.com/git-plan/git-plan/reviewers/ledger"
)

const (
	review     = "git plan review"
	wantsJudge = "needs an agent, or a command that judges"
)

// AfterReview returns what comes after a review of a branch without a plan that has just ended.
// ok is false if there is nothing to say except why it failed.
func AfterReview(ctx context.Context, co *checkout.Checkout, passed bool) (a Advice, ok bool) {
	r, err := ReviewOf(ctx, co)
	if passed {
		return afterPass(r, pushOf(ctx, co)), true
	}
	if err != nil {
		return Advice{}, false
	}
	return afterFailure(r)
}

// afterPass returns the advice after a review that passed.
func afterPass(r Review, p push) Advice {
	switch {
	case r.Facts.Stopped: // by some of the reviewers, or before the plan or the reviewers changed
		return worded("{command}, by all reviewers and with the plan as it is: {because}",
			review, "plan.prePush is block, and no such review has passed")
	case len(r.Only) > 0:
		return worded("{command}, by all reviewers: {because}", review, "only "+visible.Line(strings.Join(r.Only, ", "))+" judged")
	}
	return pushing(p)
}

// afterFailure returns the advice after a review of a branch without a plan that did not pass.
func afterFailure(r Review) (a Advice, ok bool) {
	switch {
	case gotNoFurther(r.End):
		return fixYourself(r), true
	case r.End == ledger.Found:
		return worded("{command}, which lets a fixer fix it; or fix it yourself and commit it first", review, ""), true
	case r.End == ledger.Incomplete:
		return reviewAgain(r), true
	case r.End == ledger.Moved:
		return worded("{command}, of the branch as it is now", review, ""), true
	case r.Facts.Unheld != "":
		return worded("{command}, or an agent that reports what it uses, then git plan review", "git config "+r.Facts.Unheld+" none", ""), true
	case r.End == ledger.Budget:
		return Advice{Command: review}.after("raise what is spent (plan.maxTokens, plan.maxCost or plan.maxTime)"), true
	}
	return Advice{}, false
}

// gotNoFurther reports whether a review ended because its fixer could not settle it: the
// same review would end the same way.
func gotNoFurther(end ledger.End) bool {
	return end == ledger.Stalemate || end == ledger.Oscillation || end == ledger.RoundsUp
}

// fixYourself returns the advice for when the fixer got no further.
func fixYourself(r Review) Advice {
	if asked := visible.OneLine(r.Facts.Asked, 200); asked != "" {
		return worded("{command} ({because}), then git plan review; or decide it in the code and commit that; or, to leave the code as it is: git plan dismiss "+
			r.Facts.First+" -m WHY", "git plan answer "+r.Facts.First+` "your answer"`, asked)
	}
	return worded("fix what blocks (git plan show --review) and commit it, then {command}; or, if a finding is wrong: git plan dismiss "+
		cmp.Or(r.Facts.First, "FINDING")+" -m WHY", review, "")
}

// reviewAgain returns the advice after an incomplete review: if somebody gave no answer, the next
// review goes on; after any other reason it would end the same way.
func reviewAgain(r Review) Advice {
	again := Advice{Command: review}
	switch f := r.Facts; {
	case f.Nothing:
		return again.after("commit what is to be reviewed")
	case f.GoesOn:
		return worded("{command}, which goes on where it stopped", review, "")
	case len(f.Missing) == 0:
		return again.after("fix what kept it from its end (git plan show --review) and commit that")
	}
	look := "git plan show --review says why"
	if r.Facts.Agents {
		look = "git plan doctor looks at their agents"
	}
	return worded("{command}, which asks again only who gave no answer: {because}; "+look,
		review, visible.Line(strings.Join(r.Facts.Missing, ", ")))
}
