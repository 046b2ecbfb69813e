// Package place is where a session works, and everything that it must leave as it was: the work
// tree, or a clone that takes its place.
//
// # Words
//
//	untouched   the set-up before the session (package setup)
//	leftover    what a session, or a check, left in the tree
//	own         what was there before and is the person's: never committed, put back byte for byte
//	kept        what was not committed, under refs/plan-attempts/
//	ending      what became of an attempt's work
//
// # The walk
//
//	Ready, Enter        a clean tree; a clone, with plan.isolation=clone     ready.go, clone.go
//	RememberUntracked   what is there is the person's                        untracked.go, unignore.go
//	RememberSession     notes what a crash would make us forget              inprogress.go, note.go
//	                    a session works, confined                            confined.go, masked.go, clock.go
//	InPlace             is everything in its place?                          inplace.go, setup.go, otherrefs.go, reflog.go
//	Leftover            what is in the tree now                              leftover.go, byproducts.go
//	OutOfSight, ...     what no commit would have                            outofsight.go, shadowing.go, nested.go, barred.go
//	Check               on what a commit will have                           checks.go, outoftheway.go, ascommitted.go
//	Changeset           what it changed                                      changeset.go
//	MakeCommit          by git commit, its hooks in the sandbox              commit.go, hooked.go, confighooks.go
//	ThroughWorkTree     a clone's work comes into the work tree              clone.go, taken.go
//	Keep                else it is kept, and the tree put back               keep.go, keeptree.go, restore.go, halfway.go
//	KeepLeft            what a crash left                                    left.go, recall.go
//
// Kept attempts are listed, shown, put into the tree again and pruned by kept.go. Beside the walk:
// what --autostash set aside (aside.go), and the person's hook that a push of git plan's own runs
// (pushhook.go). Ending and Asked (ending.go) are what a place and a task know of each other;
// notices go out by tell.go. Place itself is in place.go.
//
// # What a session must leave alone
//
// HEAD's place on its branch (in a clone it is the clone's own affair where that is), the refs of
// plans and of what is kept, what is work of the branch and not of its base (otherrefs.go; all
// other refs that moved are reported), and the set-up. What a person types into this plan
// meanwhile waits until the session's work is settled, and is then unapproved: so a plan's ref
// that moves during a session was not moved by a person.
package place
