// Package attempts keeps attempts at a task: what was not committed, under refs/plan-attempts/, one ref
// for each, numbered from 1; and the transcripts of their sessions, a file for each, which only this
// clone has.
//
//	keep.go        Keep, under the next number, with the reason; the commands that show and restore it
//	kept.go        Kept: listed, found, removed; what one changed, and a part of that
//	transcript.go  one JSON object a line, bounded (agent.Record); why an attempt failed
//
// What is put into a tree, and when, is decided by the package workspace.
package attempts
