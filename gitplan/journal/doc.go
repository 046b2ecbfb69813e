// Package journal stores what happened to a plan: a chain of commits on refs/plans/ID, each with
// an event in its trailers and the plan's text as it was then; and what else is kept of it.
//
//	Document  a stored plan: its text, its events, the tip of its chain
//	Event     what happened, to which steps, by whom, at which commit, and what it took
//	Store     reads and writes chains; Apply adds an event by compare-and-swap
//	Lock      the right to work on a plan; Holder is who has it, and how it is stopped (lock.go)
//	Notice    what is reported while work goes on (event.go); a feed hands it to followers (feed.go)
//	Note      what one command leaves for the next, where no sandbox lets a session write, as the tips (notes.go)
//	Mark      a file for git's hooks, so that most git commands start no program
//
// Store.Load reads a chain (load.go) and parses each commit's trailers into an Event (event.go, eventtrailers.go);
// commitmessage.go has what messages of commits on the branch say. Apply writes the next one (store.go) and records
// its tip: an event is believed only if this clone wrote it or fetched it knowingly. Which steps are done is derived
// by the package progress.
package journal
