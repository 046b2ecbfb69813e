// Package progress derives which steps are done, from a plan's events and the commits of its branch. It only reads.
//
//	progress.go   Progress: which step is next, and which are ready
//	states.go     the state of a step by its last event and the commits: done, reopened, blocked, committed but not ticked
//	history.go    what the commits of a branch do to steps
//	events.go     what happened to a plan, and to each; what the message of a commit says
//	stats.go      what work took, and from people
//	goal.go       how near the commands of Done when are, and whether plannings bring them nearer
//
// The commits of a branch are read, newest first: one that names a step in a trailer does it, and a revert takes what its
// commit did, that of a merge all that the merge brought. A step is done if a commit that is not reverted does it, and
// reopened if its commit is gone. Squashes and rebases keep it: messages keep their trailers, and git's post-rewrite hook
// records the others. Whether a merge kept what a step did is for checks and reviewers. Boxes in the text count only if
// a person ticked them.
package progress
