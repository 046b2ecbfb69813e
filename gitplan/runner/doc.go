// Package runner runs sessions, checks and hooks in a checkout, confined, and reports what happens.
//
//	runner.go    Runner: notices, the lock of the plan's text, what a task found, words without secrets
//	confined.go  the sandbox in force, found out once
//	checks.go    Checks run commands of a plan and say how one failed; Proofs: on which tree
//	watch.go     the set-up, refs and bases before a session; the plan and the branch put back
//	reflog.go    who moved a ref, by its reflog
//	commit.go    git commit, its hooks in the sandbox (hooked.go); pushhook.go: the hook of a push
//
// A session must leave alone the set-up, the plan's ref, and what is work of the branch and not of its
// base. What a person types into this plan meanwhile waits until the session's work is settled, and is
// then unapproved: so a plan's ref that moves during a session was not moved by a person.
package runner
