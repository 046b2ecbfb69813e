// Package rules judges a change without a model, from the diff, the commits and the plan alone, in one pass.
// Only added lines count.
//
//	rule.go       Rule, File, Line, Hit, Change; the table of rules; class.go: classes of files by path, and drift
//	pass.go       Find, in memory, and in a difference of any size
//	secrets.go    credentials in lines, names and blobs; history.go: in commits, tags and refs
//	tests.go      focused, emptied, fewer or deleted tests; skipped.go, leftout.go, weakened.go; testcode.go
//	checkaltered.go  changes of files that define a check; checknames.go: which files do
//	phrases.go    silenced checkers, remarks in place of code; conflict.go; hidden.go: hidden characters
//	tree.go       links, repositories, CI, agents' instructions, commits
//
// A review has all rules, of which some only advise; the guard judges what a session did for a step or a fix;
// the gate stops a push, so it has only what is certain. README.md lists them; testdata/rules measures them.
package rules
