// Package journal is what happened to a plan: a chain of commits on refs/plans/ID, each with
// an event in its trailers and the plan's text as it was then; and what is noted beside it.
//
//	Document  a stored plan: its text, its events, the tip of its chain
//	Event     what happened, to which steps, by whom, at which commit, and what it took
//	Store     reads and writes chains; Apply adds an event by compare-and-swap
//	Lock      the right to work on a plan; Holder is who has it
//	Notice    what is reported while work goes on; a feed hands it to whoever follows
//	Note      what one command leaves for the next, where no sandbox lets a session write
//	Mark      a file for git's hooks, so that most git commands start no program
//
// Store.Load reads the chain of a ref (refs.go, load.go, planchain.go) and parses each
// commit's trailers into an Event (event.go, sessions.go; trailer.go for those on the branch); all who
// work on a plan in one process read its history and parse its text once (latest.go).
// Apply writes the next one (store.go), and witnessed.go notes its tip: an event is believed only if
// this clone wrote it or fetched it knowingly. Meanwhile lock.go keeps others out, stop.go ends
// the holder from elsewhere, gitlock.go removes what a dead git locked, and expected.go says where
// a plan's ref may be while sessions work; notice.go and feed.go report what happens to
// followers (follow.go). notes.go, marks.go and files.go keep the files beside the chain.
//
// Which steps are done is not written here: the package progress derives it.
package journal
