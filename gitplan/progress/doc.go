// Package progress derives which steps are done, from a plan's events and the commits of its
// branch. It only reads.
//
//	Progress  the state of each step, and which is next (progress.go)
//	history   what the commits say about steps, and what later ones revert (history.go)
//	PlanEvents what happened to one plan (events.go)
//
// A step is done if a commit of the branch names it in a trailer and no later commit reverts that,
// and reopened if that commit is gone (states.go). Squashes and rebases keep it: messages keep their
// trailers, and git's post-rewrite hook records the others. Whether a merge kept what a step did is
// for checks and reviewers. Boxes in the text count only if a person ticked them.
package progress
