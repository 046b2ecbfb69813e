// Package checked says whether a change altered what a check runs.
//
// A check proves what its command does. `make test` proves nothing once the recipe
// of test is empty, nor does `npm test` once its script is `true`. [Changed] follows
// the commands of checks through a tree as it was and as it is, without running
// anything: to scripts (script.go) and whatever else a command line runs (program.go,
// module.go), to targets of make and what they need (make.go; makeexpand.go for its
// variables, makesure.go for what concerns every recipe), to scripts of package managers
// (npm.go), to tasks of other runners (tasks.go), to the configuration of test runners
// and linters (config.go, section.go), and to code that ends a run of tests (ends.go).
// It then compares what it came to (part.go). What stands beside that, a new target,
// another script, a dependency, alters nothing.
//
// It reads files as far as people write them, and no further: where a name is
// computed, nothing is found rather than something guessed.
package checked
