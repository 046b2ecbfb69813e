// Package hooks is what git calls: the gate before a push, and the small hooks beside it. How
// they come into a repository is in hooks/install.
//
// # The gate
//
//	push.go     ParsePush: git's lines on standard input
//	gate.go     Gate: does this push go through?
//	pushing.go  one push under way; decision.go what the person reads, and whether git stops
//	decide.go   what the facts about plan and review mean for it, pure
//	reviewed.go the facts about the review; plan.go those about the plan
//	refs.go     which refs bring work, which names hold a secret, which refs stay here
//	quick.go    the common case, which reads a few objects only
//	reach.go    which commits a push brings, and what they are compared with
//	lacking.go  the history that the remote lacks, read once for all refs
//	tracked.go  what is known of the remote, and what of that is believed; whose.go
//	            which remote and address that is about
//	findings.go what the built-in rules find in that; objects.go in what is not a commit
//
// # At the other side
//
//	receive.go  Gate.Receive: may this repository take what was pushed to it? The same rules,
//	            and verdicts that are signed
//
// # Beside git
//
//	message.go  prepare-commit-msg, commit-msg: whose step a commit is
//	rewrite.go  post-rewrite: what replaced a commit
//	checkout.go post-checkout: one line about the plan of the branch
//
// A hook verifies, it does not work: it starts no model, no network and no command of
// a plan, and ends within a minute. The connection to the remote is open while it runs,
// and what is pushed was settled before it began.
package hooks
