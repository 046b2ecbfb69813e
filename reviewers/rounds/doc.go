// Package rounds runs the loop of a review: judge, verify, fix, and again, until HEAD stays where it was.
//
//	loop.go     what comes next and how a review ends, as pure functions
//	run.go      a review under way: the loop, what is reported of it, and going on where it stopped
//	round.go    one round: ask the panel, merge, verify
//	findings.go what earlier rounds found; the severity from which a finding blocks; what the fixer gets, and does
//
// A pass is proved, never inferred: if a required answer is missing, the end is "incomplete", never "clean".
package rounds
