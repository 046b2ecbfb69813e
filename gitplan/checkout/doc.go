// Package checkout opens one work tree at one branch, with the plan of that branch: every
// command works on that.
//
//	checkout.go    Open: repository, configuration and branch, and what .gitplan proposes; slots; clones
//	load.go        Load and Derive: the branch's plan, and what is done of it; base.go: what it is compared with
//	requires.go    Require...: whether a step may run here; edit.go: what a person types, answers,
//	               decides, attaches to a branch, forks and drops
//	newplan.go     a new plan, and a branch for it
//	task.go        the task under way; taskstate.go its record, and what a killed git plan left
//	attempts.go    what was not committed, kept by refs; what --autostash set aside
//	transcript.go  the sessions' turns
package checkout
