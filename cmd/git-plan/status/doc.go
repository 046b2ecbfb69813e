// Package status says how far a plan is and what comes next: facts are read from the repository, and
// what follows from them is decided without looking at it again.
//
//	plan.go    Of: a plan with its steps, as status --json prints it, and who is at work on which step
//	review.go  ReviewOf: the end of the last review
//	next.go    Advice: what comes next, while a plan is worked on and after a review, and to push, and by which facts
package status
