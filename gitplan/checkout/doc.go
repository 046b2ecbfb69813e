// Package checkout is one work tree at one branch, with the plan of that branch: what every
// command works on.
//
//	Open         finds repository, configuration and branch        checkout.go
//	Load         reads the branch's plan                           load.go
//	Derive       computes what is done of it                       load.go
//	Require...   refuses if no step may run here                   requires.go
//
// What a person does with the plan of a branch:
//
//	make         a plan, and a branch for it                       newplan.go
//	attach       it to a branch; copy it to a branch of its own    attach.go
//	compare      with a base                                       base.go
//	edit         it, answer a question, while sessions wait        edit.go
//	list         all plans                                         list.go
//	keep         what was not committed, and transcripts           attempts.go, stash.go, transcript.go
//
// The prompts and templates that the repository proposes, and the prompt of a step, are in prompts.go;
// the record of the task under way in taskstate.go; what a killed git plan left in afterkill.go. Events
// that this clone neither wrote nor fetched are not believed (requires.go).
package checkout
