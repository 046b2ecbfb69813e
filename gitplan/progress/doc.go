// Package progress derives what is done, from a plan's events and the commits of its
// branch, and counts what it took. It only reads.
//
//	Progress  the state of each step, and which is next
//	history   commits in order, and what each gives or takes of the steps
//	Past      a plan's events as spans of time; Measure makes statistics of several
//
// A step is done where its work is on the branch. A commit names its step in a trailer; a
// revert takes back what the reverted commit gave, a merge may drop work, a squash or a
// rebase puts other commits in the place of those that events name. The box in the text
// says nothing, but for steps that a person ticked.
//
//	progress.go                states, and the next step
//	history.go                 Derive walks the commits once
//	said.go, reverts.go        what a message says, and what that does to steps
//	strands.go, merged.go      lines of history, and what merges do to them
//	stepwork.go, trees.go      work of a step, by the contents of files
//	rewritten.go               commits that took the place of others
//	stats*.go                  time, tokens, cost, interventions
package progress
