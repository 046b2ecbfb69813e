// Package hooks is what git calls: the gate before a push, and the small hooks.
//
//	push.go      git's lines on standard input; which refs bring work, hold a secret or stay here
//	gate.go      Gate: does this push go through?
//	decide.go    what the facts about plan and review mean for it
//	facts.go     the facts about review and plan
//	range.go     which commits a push brings, and what they are compared with, and what the remote lacks
//	tracked.go   what is known of the remote, and how much of it is believed
//	findings.go  what the built-in rules find
//	message.go   prepare-commit-msg, commit-msg: whose step a commit is
//	rewrite.go   post-rewrite: what replaced a commit
//	checkout.go  post-checkout: one line about the plan of the branch
//
// A hook starts no model, no network and no command of a plan, and ends within a minute.
package hooks
