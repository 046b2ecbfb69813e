// Package setup compares what decides which commands run in a repository, and who may do what,
// before and after a session.
//
// # Words
//
//	set-up    where the repository is, its configuration, hooks, attributes, submodules and other
//	          work trees, .gitplan, this plan's approval, marks and review
//	scene     where a session is about to work: the work tree, or a clone of it
//	record    the set-up as it was before a session, kept where no sandbox lets one write until
//	          it has been compared: a git plan that is killed compares nothing
//	approval  a person has read what the plan means; kept in this clone only
//
// # The walk
//
//	Scene.Read     fingerprints the set-up, without a process      setup.go, sums.go, commands.go
//	Scene.Record   writes it down, with all refs of plans          record.go, planrefs.go
//	               the session works; NoteMove notes each ref that git plan itself moves
//	Scene.Changed  names what differs, before any other git runs   setup.go
//	Scene.End      compares once more; puts the refs of plans back, and removes what was planted
//	               where git writes                                record.go, planrefs.go, unplant.go
//
// After a kill OpenHere finds the repository that the work tree had (redirected.go), and
// Trusted keeps every git that could execute something from running until the set-up is what it
// was, or until a person has approved the plan again (record.go, approval.go).
//
// reviewdir.go says where this clone keeps what it knows of the review of a branch.
//
// What lies elsewhere in the common dir (locks, transcripts, texts in an editor, what belongs to
// other plans) is not part of it: a person in another terminal writes that at any time.
package setup
