// Package ledger is what reviews of a branch found, what became of it, and how it is printed.
//
//	ledger    review.json: all findings of all rounds in their present state
//	end       how a review ended; three of them pass
//	verdict   an end for exactly these trees, reviewers and plan; it lets a push through
//	outcome   an end with its ledger, as people and programs read it
//
// The files: ledger.go (values, read and written, and what one ledger takes over from
// another); dismissal.go (what a person dismissed); last.go (where the last one is, and how it ended); usage.go
// (tokens and money); verdict.go (kept in this clone alone); report.go (text, SARIF and rdjsonl)
// and pullrequest.go (Markdown).
//
// A ledger may come from a remote, so it is bounded when it is read, and it never clears
// anything: only this clone's verdicts pass a push.
package ledger
