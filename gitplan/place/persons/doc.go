// Package persons is the person's files that no commit has, and that a session can reach: untracked,
// ignored, or hidden from git and edited. They are never committed, and put back byte for byte.
//
//	remember.go  Remember: what is there before a session, with its contents kept as a tree
//	touched.go   Files: what a session changed or removed of that; what is gone is brought back
//	intheway.go  InTheWay, Over: what a change of tracked files would overwrite of the person's
package persons
