// Package attempts is what is kept of attempts at a task: what was not committed, under
// refs/plan-attempts/, one ref for each, numbered from 1, whose number is never given again; and what
// their sessions did, said and were answered, a file for each, which only this clone has.
//
//	keep.go        Keep, under the next number, with why; the commands by which a person has it back
//	kept.go        Kept: listed, found, removed; what one changed, and only some files of that
//	transcript.go  one JSON object a line, bounded; what the lines are, agent.Record says
//	why.go         why an attempt failed, where no event says all of it
//
// What is put into a tree, and when, is decided by the package place.
package attempts
