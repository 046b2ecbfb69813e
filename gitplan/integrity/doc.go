// Package integrity compares what decides which commands run in a repository, and who may do what,
// before and after a session: where the repository is, its configuration, hooks, attributes,
// submodules and other work trees, .gitplan, this plan's approval, marks and review. What changed is
// named, and nothing more is run or committed; only this branch, HEAD and the plan's own ref are put
// back.
//
//	integrity.go   Target.Read fingerprints the set-up without a process; Changed names what differs
//	sums.go        fingerprints of files; commands.go: the files that git's commands name
//	planted.go     links that would lead a write of git elsewhere are removed first
//	record.go      the set-up on disk, for the command after a kill: no git that could execute
//	               something runs until it is what it was, or a person has approved the plan again
//	redirected.go  after a kill: the repository that the work tree had
//	approval.go    a person has read what the plan means, and where this clone keeps that and its reviews
//
// Locks, transcripts and what belongs to other plans are not part of it: a person in another
// terminal writes those at any time.
package integrity
