// Package work does one task: attempts, each a fresh session with its checks, until the task is
// done or given up.
//
//	task.go        Task: a step, or the findings of a review; Outcome: how it ended
//	work.go        Work: attempts, and the decision what follows each
//	attempt.go     Attempt: one session, the look at what it left, the next one, or giving up
//	judge.go       Judge: may it be committed? It returns a Verdict
//	commit.go      a turn at the work tree, the commit event, git commit
//	session.go     runs a session, or the fallback's; transcript.go keeps what its checks printed
//	shell.go       the agent of a step with Run
//	fixer.go       what an interrupted fixer left
//	prove.go       checks before any work; baseline.go: the same by hand
//	budget.go      what sessions may use
//	worker.go      what all tasks of a command share; turn.go lets several tasks land in turn
//
// A session's work is refused, in this order: it did not say done (attempt.go); something was not
// left as it was (gitplan/workspace/inplace.go); no commit would have it (gitplan/workspace/changes.go); nothing changed, or a
// check fails (judge.go); the guard (gitplan/steptask.go, reviewers/guard.go); it does not fit into the
// work tree (gitplan/workspace/commit.go); git commit or a hook refuses (commit.go). All of these believe git and
// exit codes, never a model.
package work
