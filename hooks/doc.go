// Package hooks implements what git calls: the gate before a push, and the small hooks.
//
//	gate.go     PrePush: does this push go through? and git's lines on standard input
//	rules.go    what the rules find, which may stop it; facts.go: the facts about review and plan
//	decide.go   what the review of a branch and its plan mean for the push
//	range.go    which commits a push brings, what is known of the remote, and how much is believed
//	message.go  prepare-commit-msg and commit-msg; follow.go: post-rewrite and post-checkout
//
// A hook starts no model, no network and no command of a plan, and ends within a minute.
package hooks
