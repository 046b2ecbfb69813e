// Package gitplan does the steps of a plan: it chooses the next one, gives it to a session, and settles
// how it ended.
//
//	step.go        Steps.Step: load, recover, choose, work, settle; --autostash
//	recover.go     may a step run here and now? what a crash left is finished first, by the recorded phase of the task
//	steptask.go    the task of a step: prompt, limits, checks, guard
//	settle.go      how a step ends: done and the tick, or blocked
//	run.go         Run: all steps, in turn or several at once; queue.go: several plans
//	byhand.go      a person's own work: next, drop, done, verify --base, without an agent; undo.go
//	goal.go        a plan with Bounds is planned again, toward its goal
//
// What is done is derived from events and commits (gitplan/progress). Nothing that a person or a session
// wrote is thrown away: what is not committed is kept under refs/plan-attempts/ before a tree is cleaned.
package gitplan
