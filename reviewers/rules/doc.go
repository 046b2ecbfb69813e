// Package rules judges a change without a model: what can be decided from the
// diff, the commits and the plan alone, in one pass, offline. Only added lines count.
//
//	rules.go     All: the table of rules, and which of them serve a review, the guard and the gate
//	conflict.go  conflict markers
//	secrets.go   credentials in lines, names and unseen files; history.go those in commits, tags and refs
//	tests.go     tests that are focused, emptied or fewer; deleted.go, skipped.go, leftout.go and
//	             weakened.go have the others; what the code of tests says is in the package testcode
//	altered.go   what checks run
//	phrases.go   silenced checkers, remarks in place of code
//	hidden.go    characters that hide what the code does
//	tree.go      links, repositories, names, CI and agents' instructions, commits
//	plan.go      what no step names
//
// What a rule is, and how a change is shown to all of them, is the package scan. The same rules serve three places: a review has all of them, of which some only
// advise; the guard judges what a session did for a step or a fix; the gate stops a push, so it
// has only what is certain.
//
// How good the rules are is measured: on seeds (testdata/rules), on defects put into real code, on
// Go's library and on public histories. README.md lists them.
package rules
