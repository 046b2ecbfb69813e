// Package ledger records what reviews of a branch found and what became of it, and prints that.
//
//	ledger.go       review.json: all findings of all rounds
//	end.go          how a review ended, its exit code and its words
//	verdict.go      an end for exactly these trees, reviewers and plan, which lets a push through
//	dismissal.go    what a person dismissed
//	report.go       an end with its ledger as text, SARIF and rdjsonl; pullrequest.go: as Markdown
//
// A ledger may come from a remote, so it is bounded when it is read, and clears nothing: only this clone's verdicts
// pass a push.
package ledger
