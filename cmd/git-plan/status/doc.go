// Package status says how far a plan is and what comes next: facts are read from the
// repository, and what follows from them is decided without looking at it again.
//
//	plan.go     Of: a plan with its steps, as status --json prints it
//	atwork.go   who is at work on which step, and what keeps others from being so
//	review.go   ReviewOf: the end of the last review
//	facts.go    what the advice depends on
//	next.go     the advice while a plan is worked on
//	ended.go    the advice after a review
//	push.go     the advice once the work is done: push, pull request, nothing
//	advice.go   Advice, the value that all of them return
package status
