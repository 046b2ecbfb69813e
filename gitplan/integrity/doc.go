// Package integrity compares what decides which commands run in a repository, and who may do what, before and after
// a session. What changed is named, and nothing more runs or is committed; only this branch, HEAD and the plan's own
// ref are restored.
//
//	integrity.go   Target.Read fingerprints the set-up, with the files that git's commands name, without a process;
//	               Changed names what differs
//	planted.go     links that mislead writes of git are removed; the repository after a kill; hashes of files
//	record.go      the set-up on disk, for the command after a kill
//	approval.go    a person has read what the plan means, and where this clone keeps that and its reviews
package integrity
