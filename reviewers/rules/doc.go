// Package rules judges a change without a model: what can be decided from the
// diff, the commits and the plan alone, in one pass, offline. Only added lines count.
//
//	rules.go         All: the table of rules, and which of them serve a review, the guard and the gate
//	rule.go          Rule, File, Line and Hit; change.go: Change, which rules judge; class.go: kinds of files
//	pass.go          Find: one pass over a difference in memory; between.go: over one of any size
//	conflict.go      conflict markers
//	secrets.go       credentials in lines, names and unseen files; history.go: in commits, tags and refs
//	tests.go         tests that are focused, emptied or fewer; deleted.go, skipped.go, leftout.go and
//	                 weakened.go have the other rules; package testcode reads the code of tests
//	altered.go       changed files that define how a check runs; checkfiles.go, checknames.go: which
//	                 files do; checkchanges.go: which changes make a check prove less
//	phrases.go       silenced checkers, remarks in place of code
//	hidden.go        characters that hide what the code does
//	tree.go          links, repositories, names, CI and agents' instructions, commits
//	plan.go          what no step names
//
// The same rules serve three places: a review has all of them, of which some only advise; the guard
// judges what a session did for a step or a fix; the gate stops a push, so it has only what is
// certain. README.md lists them. How good they are is measured on seeds (testdata/rules), on defects
// put into real code, on Go's library and on public histories.
package rules
