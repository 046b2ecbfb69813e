// Package gitplan is the flow of `git plan step`: which step is next, what it asks of a session,
// and how it ends.
//
//	step.go        Steps.Step: recover, choose, work, settle
//	recover.go     finishes what a crash left, by the recorded phase of the task
//	ready.go       may a step run here and now?
//	steptask.go    the task of a step: prompt, limits, checks, guard
//	settle.go      done and the tick, or blocked
//	run.go         Run: all steps in turn; sidebyside.go: several at once; queue.go: several plans
//	next.go        next, drop and done, for a person without an agent
//	autostash.go   --autostash
//	autoreplan.go  the plan is rewritten after a step got stuck
//	baseline.go    how the checks of a plan end on HEAD
//
// What is done is derived from events and commits (gitplan/progress). What is committed is what
// workspace.InPlace and work.Judge have passed. They believe git and exit codes, never a model. Nothing that
// a person or a session wrote is thrown away: what is not committed is kept under refs/plan-attempts/
// before a tree is cleaned.
package gitplan
