// Package checked says whether a change altered what a check runs.
//
// A check proves what its command does. `make test` proves nothing once the recipe
// of test is empty, nor does `npm test` once its script is `true`. [Changed] follows
// the commands of checks (shell.go) through a tree as it was and as it is (follow.go, follower.go),
// without running anything: to scripts (script.go) and whatever else a command line runs
// (program.go, module.go), to targets of make and what they need (make.go; makeexpand.go
// for its variables, makesure.go for what concerns every recipe), to scripts of package
// managers (npm.go), to tasks of other runners (tasks.go), to the configuration of test
// runners and linters (config.go, section.go), and to code that ends a run of tests
// (ends.go). It then compares the pieces that it reached (part.go, changed.go). Anything
// else, such as a new target, another script or a dependency, alters nothing.
//
// It reads files as people write them, and no further: if a name is computed, it finds
// nothing rather than guess.
package checked
