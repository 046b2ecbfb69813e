// Package undo takes back the last step that was done: its commits, and its tick.
//
//	Last        which step that is, and what becomes of it           undo.go
//	  commitsOf   the commits that did it, in every line of history  commits.go
//	  takeBack    off the branch, if nobody else can have them; else commits that revert them
//
// Nothing is lost: what is taken off a branch is kept under refs/plan-attempts/, a file of the
// person's that would be overwritten refuses the undo, and the step is open again.
package undo
