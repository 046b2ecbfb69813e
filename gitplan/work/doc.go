// Package work does one task: attempts, each a fresh session with its checks, until the task is
// done or given up.
//
//	Task            a step of a plan, or the findings of a review      task.go, shell.go, worker.go
//	Worker.Work     attempts until done or given up                    work.go
//	  session       holds one, with fallback and transcript            session.go, fallback.go, transcript.go
//	  budget        as far as it goes                                  budget.go
//	Attempt         one session at it                                  attempt.go
//	  Judge         checks, guard, git commit                          judge.go, verify.go, boxes.go
//	Outcome         how the task ended                                 task.go
//
// A Task and an Attempt are values, and each task has its place: what the Worker has is of all of
// them, so that several can be under way at once. What sessions used is counted by events; what no
// event reports yet stands in untold.go (accounting.go). What a fixer left that was interrupted, or
// waits to be committed, is in fixer.go.
//
// Judge is one of the two places that decide (progress.Derive is the other): it says whether a
// session's work may be committed. It believes git and exit codes, never a model.
package work
