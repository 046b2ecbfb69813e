// Package checkout is one work tree at one branch, with the plan of that branch: what every
// command works on.
//
//	Open           finds repository, configuration and branch        checkout.go
//	Load, Derive   reads the branch's plan, and what is done of it   load.go, derive.go
//	Require...     refuses where no step may run                     requires.go
//
// What a person does with the plan of a branch:
//
//	attach         to a branch, from a copied one, from a fork       attach.go, newbranch.go, newplan.go
//	compare        with a base, which may propose settings           base.go, proposals.go
//	edit           in an editor, which keeps sessions away           edit.go, typing.go, holdtext.go
//	import         from a file                                       importedfile.go
//	list           all plans                                         list.go
//
// What is noted for the next command: of the task under way in tasknote.go, of a git plan that
// was killed in afterkill.go. What this clone neither wrote nor fetched is not believed
// (witness.go). Where the clone of a plan's sessions lies is in cloneplace.go.
package checkout
