package gitplan

import (
	"context"

	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/place"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/prove"
	"github.com/git-plan/git-plan/gitplan/work"
)

// Guard looks at what a step's session changed. An error fails the attempt; what is reported is
// shown to the person.
type Guard func(ctx context.Context, step *plan.Step, c place.Changeset) (place.Guarded, error)

// Steps does the steps of one plan: Step one of them, Run all, in turn or several at once.
type Steps struct {
	*work.Worker
	Guard Guard
	Clean bool // start over instead of going on from a kept attempt

	Drift Drift // nil puts nothing aside

	// Waited is the ref of a fixer's work that has waited until now, for the review after the steps.
	Waited string

	replanned map[string]bool // steps after which the plan was written again

	noteGreen *prove.Once // whether a run has reported a step whose own checks pass before it

	Stopping func() bool // whether somebody asked to end after what is at work; nil: nobody can

	// If several steps are at work at once:
	GuardOf  func(*checkout.Checkout) (Guard, error) // the guard of one of several checkouts
	Writer   func() func(pid int)                    // Repo.OnWrite of one of them
	atWork   func() []string                         // all steps
	begun    func()                                  // is called when a step has begun
	collided map[string]int                          // how often a step met what others had done
}
