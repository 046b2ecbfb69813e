// Package work does one task: attempts, each a fresh session with its checks, until the task is done or
// given up.
//
//	task.go        Task: a step, or the findings of a review; Outcome: how it ended
//	worker.go      Worker: what all tasks of a command share; Work: one attempt after the other
//	attempt.go     Attempt: one session, and the look at what it left
//	failed.go      whether another attempt follows, or the task is given up; going on from kept work, also a fixer's
//	judge.go       may it be committed? It returns a Verdict; commit.go: the event, and git commit
//	session.go     runs a session, or the fallback's, and keeps what its checks printed; Shell: of a step with Run
//	baseline.go    checks before any work, and the commands for the whole, on the tree as it is
//	budget.go      what sessions may use
//
// A session's work is refused if something was not left as it was (gitplan/workspace/inspect.go), nothing changed,
// a check or the guard fails (judge.go), it does not fit into the work tree, or git commit or a hook refuses
// (commit.go). All of these believe git and exit codes, never a model.
package work
