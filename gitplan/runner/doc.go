// Package runner runs sessions, checks and hooks in a checkout, confined, and reports what happens.
//
//	runner.go    Runner: notices, the lock of the plan's text, in which sandbox; the plan and the branch put back
//	checks.go    Checks run commands of a plan and say how one failed
//	watch.go     the set-up, refs and bases before a session, compared after it
//	commit.go    git commit, and who moved a ref, by its reflog; hooks.go: hooks in the sandbox
package runner
