// Package diffs is what differs between two trees, whatever the person has configured and
// whatever a branch says of its own files.
//
//	diff.go     DiffTrees and WalkDiff: the lines that differ, held or piece by piece, with fixed
//	            options, parsed; WritePatch as text
//	pairs.go    many differences by one process
//	merges.go   what merges have that none of their parents has; files of another name
package diffs
