// Package unseen is what a session left where git does not look: no diff shows it, no commit has it,
// and yet the checks of the task see it.
//
//	look.go         Look: what was there when the session began, and where
//	ledger.go       Ledger: what checks wrote, and a session where git ignores it
//	unignore.go     Unignore: new files that git ignores only by rules of the session's own
//	written.go      WrittenOf: ignored files that the session wrote
//	outofsight.go   OutOfSight: why no commit can have its work
//	outoftheway.go  AsCommitted: checks run without what no commit will have
//	shadowing.go    Shadowing: programs that would run in place of the system's
//	nested.go       Nested: repositories in the tree; FilesBelow: their files
//	bytools.go      ByTools: what package managers, compilers and editors write beside the work
//	artefacts.go    Artefacts: how a person has git ignore what only tools write
//
// What becomes of what is found, package place decides.
package unseen
