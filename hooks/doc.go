// Package hooks is what git calls, and how git is made to call it.
//
// # Installing
//
//	hooks.go    the table of hooks
//	shim.sh     what is put into a hook: find git-plan, ask it, go on with the person's own hook
//	mark.sh     and before that, but for the gate: is there anything to do?
//	block.go    these lines with their marks and checksum, found again in any file
//	look.go     Look: the facts about the hooks folder, asked of git and of the files
//	install.go  PlanInstall, PlanUninstall, Status: from facts to actions, pure
//	manual.go   the lines a person adds if this program must not write there
//	perform.go  Perform: a file is replaced whole or not at all
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
// # Beside git
//
//	ownpush.go  what replaces pre-push when git plan pushes by itself
//	message.go  prepare-commit-msg, commit-msg: whose step a commit is
//	rewrite.go  post-rewrite: what replaced a commit
//	checkout.go post-checkout: one line about the plan of the branch
//
// A hook verifies, it does not work: it starts no model, no network and no command of
// a plan, and ends within a minute. The connection to the remote is open while it runs,
// and what is pushed was settled before it began.
package hooks
