// Package place is where the sessions and checks of one task work, and everything that they must
// leave as it was: the work tree, or a clone that takes its place.
//
// # Words
//
//	isolation   what differs between the work tree and a clone: a file for each
//	leftover    what a session, or a check, left in the tree
//	own         what was there before and is the person's: never committed, put back byte for byte
//	ending      what became of an attempt's work
//
// # The walk
//
//	Ready, Enter        a clean tree; a clone, if plan.isolation is not tree  enter.go, tree.go, clone.go, launched.go
//	Prove               a check, before the task has begun                   prove.go
//	RememberUntracked   what is there is the person's                        untracked.go
//	Begin               what the session must leave alone                    place.go, tasknote.go
//	                    a session works, confined
//	InPlace             is everything in its place? own commits are folded   inplace.go, look.go, tree.go, barred.go
//	UntrackedTouched    what is gone of the person's is put back             untracked.go
//	Leftover            what is in the tree now                              leftover.go
//	Artefacts           what only tools write                                look.go
//	Uncommittable       what no commit would have                            uncommittable.go, nested.go
//	Try                 checks, on what a commit will have                   check.go
//	Changeset           what it changed                                      changeset.go
//	Rebase              on top of what others have committed meanwhile       rebase.go
//	Land, Commit        into the work tree, by git commit                    commit.go, intotree.go
//	Keep                else it is kept, and the tree put back               keep.go, restore.go, halfway.go, putkept.go
//	KeepLeft            what a crash left                                    aftercrash.go, recall.go
//
// The rooms below: persons is the person's files that no commit has, unseen what git does not show of
// a session's work, launch what a launcher starts on another machine.
//
// HEAD must stay at its place on its branch; in a clone it is the clone's own affair where that
// is. Ending and Asked (ending.go) are what a place and a task know of each other.
//
// An isolation is a file beside tree.go and clone.go, a case in Enter and in noted (enter.go), its name in
// plan.isolation (settings), and what of its set-up is to be watched in setup.Scene. launched.go is a
// clone whose sessions run on another machine (gitplan/remote), and has the files that it is sent.
// All other programs run here.
//
// Sessions that only read have no place of their own, but a launch.Reader, which says where they run.
package place
