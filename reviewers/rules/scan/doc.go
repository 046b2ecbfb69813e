// Package scan shows a change to rules, once for all of them: each rule gets a file, then its lines
// one by one, and at the end the whole. It has no rule of its own.
//
//	rule.go    Rule: what a rule is called with; File, Line; Hit: what it found
//	change.go  Change: the difference, the commits, the plan, and how to read more
//	scan.go    Find: one pass over a difference that is in memory
//	over.go    Between: one of any size, as git writes it, a piece at a time; Range, Commit, Index
//	class.go   ClassOf: what kind of file a path names
//
// Hits come in the order of path, line and rule, whatever the order of the difference.
package scan
