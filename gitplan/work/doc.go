// Package work does one task: attempts, each a fresh session with its checks, until the task is
// done or given up.
//
//	Task            a step of a plan, or the findings of a review      task.go, shell.go, worker.go
//	Worker.Work     attempts until done or given up                    work.go; start.go reports the first
//	  next          done, another attempt, or given up?                next.go
//	  session       runs one, with fallback and transcript             session.go, fallback.go
//	  proof         what its checks printed, and what it changed       proof.go
//	  budget        of the plan and the step: Session.Spend ends one   gitplan/budget
//	Attempt         one session at it, to be committed, tried again    attempt.go, runattempt.go, after.go
//	                (what it left stays in the tree for the next)
//	                or given up (that is kept by a ref, then removed)
//	  Judged        the checks of the task; did they run tests?        checks.go, tested.go
//	  overrun       it takes too long by its estimate                  overrun.go
//	  notes         what it said, for the next one                     notes.go
//	  noteMissing   is the program of a check nowhere?                 missing.go
//	  repeats       does it fail as the one before?                    repeats.go
//	  Judge         may it be committed?                               judge.go, verify.go, boxes.go
//	CanSign         can git sign what will be committed?               signing.go
//	Outcome         how the task ended                                 task.go
//
// A Task and an Attempt are values, and each task has its place: what the Worker has is of all of
// them, so that several can be under way at once: Worker.Beside makes the others, and they take
// turns at the work tree (turn.go, landing.go). What sessions used is counted by events; what no
// event reports yet is in unreported.go (accounting.go). What a fixer left that was interrupted, or
// waits to be committed, is in fixer.go.
//
// # What can refuse a session's work
//
// In this order; all of it believes git and exit codes, never a model:
//
//	the session did not say done, or left a lock of git     runattempt.go
//	it ran out of turns, and nothing can prove its work     outofturns.go
//	something is not in its place                           gitplan/place/inplace.go
//	no commit would have what it did                        gitplan/place/uncommittable.go
//	nothing changed; a check fails, or left something       judge.go
//	git add refuses; only boxes were ticked                 judge.go, boxes.go
//	the guard: a step's Action, the rules of the review     gitplan/steptask.go, reviewers/guard.go
//	it does not fit into the work tree (from a clone)       gitplan/place/intotree.go
//	git commit, or one of its hooks, refuses                gitplan/site/commit.go
package work
