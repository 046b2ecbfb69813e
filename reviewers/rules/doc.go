// Package rules judges a change without a model: what can be decided from the
// diff, the commits and the plan alone, in one pass, offline.
//
// [All] is the table of rules (rules.go). What a rule is, and how a change is shown to all of them,
// is the package scan.
// Each family has a file of its own that says why the rule exists and how sure
// it is: secrets (a room of their own, leaks), tests (tests.go, and what became
// of them in deleted.go, emptied.go, skipped.go, early.go, weakened.go and leftout.go; what the
// code of tests says is in the package testcode), altered
// checks (altered.go), errors (swallowed.go), text and phrases, conflicts, commits, blobs, tree, project and
// plan. The same rules serve three places:
//
//	review    all of them; a rule that does not block only advises
//	guard     after each step and each fix: what a session must not leave behind
//	gate      before a push: only what is certain enough to stop a person
//
// What checks run is followed by the package checked.
//
// How good the rules are is measured: on seeds (testdata/rules), on defects put
// into real code, on Go's library and on public histories. README.md lists them.
//
// Only added lines count, so that nobody has to answer for what was there
// before.
package rules
