// Package runner runs sessions, checks and hooks in a checkout, confined, and reports what happens.
//
//	runner.go    Runner: notices, the lock of the plan's text, words without secrets; in which sandbox
//	checks.go    Checks run commands of a plan and say how one failed
//	watch.go     the set-up, refs and bases before a session; the plan and the branch put back
//	commit.go    git commit, and who moved a ref, by its reflog; hooks.go: hooks in the sandbox
package runner
