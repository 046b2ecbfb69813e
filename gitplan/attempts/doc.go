// Package attempts is what was not committed, kept under refs/plan-attempts/: one ref for each attempt at
// a task, numbered from 1, whose number is never given again.
//
//	keep.go     Keep, KeepCommit: under the next number
//	kept.go     Kept: listed, found, removed
//	reason.go   why one was kept, and the message of the commit that it was to be
//	howto.go    the commands by which a person sees one, or has it back
//	part.go     Changed: what one changed; Part, PartNamed: only some files of that
//	foreign.go  Foreign: whether files of one in the work tree are somebody else's by now
//
// What is put into a tree, and when, package place decides.
package attempts
