// Package checkout is one work tree at one branch, with the plan of that branch: what every
// command works on.
//
//	Open         finds repository, configuration and branch        checkout.go
//	Load         reads the branch's plan                           load.go
//	Derive       computes what is done of it                       derive.go
//	Require...   refuses if no step may run here                   requires.go
//
// What a person does with the plan of a branch:
//
//	make         a plan, and a branch for it                       newplan.go, newbranch.go
//	attach       it to a branch; copy it to a branch of its own    attach.go, adopt.go, fork.go
//	compare      with a base, which may propose settings           base.go, proposals.go
//	edit         in an editor, while sessions wait                 edit.go, typing.go, locktext.go
//	import       from a file                                       importedfile.go
//	answer       what a step is blocked by                         answer.go
//	list         all plans                                         list.go
//
// What a session for a step is sent is in stepprompt.go, what others have changed of its files since
// the plan was made in stale.go, what a new plan begins as in templates.go.
//
// Notes are for the next command: of the task under way in tasknote.go, of a git plan that was
// killed in afterkill.go. Events that this clone neither wrote nor fetched are not believed
// (witness.go). cloneplace.go says where the clone of a plan's sessions lies; slot.go gives each of
// several steps that are at work at once a view of the plan, a note and a clone of its own.
package checkout
