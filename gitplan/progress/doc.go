// Package progress derives which steps are done, from a plan's events and the commits of its branch. It only reads.
//
//	progress.go   Progress: which step is next, and which are ready
//	states.go     the state of a step by its last event and the commits: done, reopened, blocked, committed but not ticked
//	history.go    what the commits of a branch do to steps
//	events.go     queries about a plan's events, and the events of all plans; the message of a commit
//	stats.go      time, tokens and cost of the work, and how often people stepped in
//	goal.go       how near the commands of Done when are, and whether plannings bring them nearer
//
// The commits of a branch are read newest first. A commit that names a step in a trailer completes it. A revert undoes
// what its commit completed; the revert of a merge undoes all that the merge brought. A step is done if a commit that
// is not reverted completes it, and reopened if its commit is gone. It survives squashes and rebases: messages keep
// their trailers, and git's post-rewrite hook records the other commits. Whether a merge kept the work of a step is for
// checks and reviewers. Boxes in the text count only if a person ticked them.
package progress
