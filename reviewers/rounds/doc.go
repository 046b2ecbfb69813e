// Package rounds is the loop of a review: judge, verify, fix, and again, until HEAD stays
// where it was.
//
//	round     freeze HEAD, ask the panel, merge, verify; what blocks goes to the fixer
//	bar       the severity from which a finding blocks; it rises for code that did not change
//	progress  where a review is, so that one that was killed goes on there
//
// loop.go decides what comes next and how a review ends, as pure functions. review.go is a
// review under way; run.go walks it, or goes on where it stopped, round.go judges one round, earlier.go
// knows what earlier rounds and reviews found, fixing.go hands findings to the fixer and reads what
// became of them.
//
// A pass is proved, never inferred: if somebody who must judge did not, the end is
// "incomplete", never "clean".
package rounds
