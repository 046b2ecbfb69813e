// Package journal is what happened to a plan: a chain of commits on refs/plans/ID, each an
// event in trailers with the text of then, and what is noted of the plan beside it.
//
//	Document  a stored plan: its text, its events, the tip of its chain
//	Event     what happened, to which steps, by whom, at which commit, with what it took
//	Store     reads and writes chains; Apply adds an event, and edits the text, by
//	          compare-and-swap
//	Lock      the right to work on a plan; Holder is who has it
//	Notice    what is told while work goes on; a feed hands it to whoever follows
//	Note      what one command notes for the next, where no sandbox lets a session write
//	Mark      a file for git's hooks, so that most commands of git cost nothing
//
// An event is believed if this clone wrote it or fetched it knowingly (witnessed.go).
// Which steps are done is not written here: package progress derives it.
//
//	event.go, trailer.go, held.go   events as trailers, and those of commits on the branch
//	store.go, planchain.go          chains
//	lock.go, gitlock.go             who works on a plan, and whose a lock file of git is
//	notice.go, feed.go, follow.go   notices, and who follows them
//	notes.go, marks.go, files.go    notes, marks, private files
//	witnessed.go                    the tips that this clone knows
package journal
