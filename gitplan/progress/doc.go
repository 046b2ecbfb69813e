// Package progress derives which steps are done, from a plan's events and the commits of its
// branch. It only reads.
//
//	Progress  the state of each step, and which is next
//	history   commits in order, and what each gives to or takes from the steps
//	Past      what happened to one plan
//
// A step is done if its work is on the branch, and reopened if that is gone (stepstate.go). A commit names its
// step in a trailer; a revert takes back what the reverted commit gave; a merge may drop work; a squash or a rebase
// replaces the commits that events name. Boxes in the text count only if a person ticked them.
//
// Derive (progress.go) reads the events (events.go; states.go has the states, and which event
// gives which) and the commits once (history.go): said.go what a message says, gives.go what
// that gives to steps, or takes from them (effect.go), strands.go the lines of history, merged.go what merges do to
// them, stepwork.go and trees.go the work of a step by the contents of files, rewritten.go
// commits that replaced others. unblock.go advises on a blocked step, manual.go lists what a
// person is to check, proposed.go how sessions would change the plan, unreviewed.go says that its
// review was left out. ready.go says which steps can be at work at once, beside.go what keeps
// others from that, requirements.go what has become of requirements. What happened to a plan is
// read in past.go; graph.go draws which step needs which.
package progress
