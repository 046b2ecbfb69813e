// Package prove runs checks before the work that they judge: a check of the plan that fails on
// what HEAD has fails every session, whatever it does, and a step's own check shows the step done
// only if it fails before it.
//
//	Begin       before a step: are there checks that forbid it?     prove.go
//	  plans       the plan's Checks must pass, or be accepted
//	  ownChecks   the step's own should fail                        ownchecks.go
//	Done        what the checks of a step say of the next one       prove.go
//	At          the same as work by hand: git plan verify --base         baseline.go
//
// What is found out about a tree is noted (runner.Proof), and not run again.
package prove
