// Package web is git plan web: a plan as a page of one's own machine, for a browser or a phone.
//
//	page.go      Page: what the page shows of a plan, as values
//	step.go      its parts: a step, session.go what a session at it did, diff.go what its commit changed, review.go the last review,
//	             timeline.go what the time went into and what was used, graph.go which step needs which
//	words.go     texts and times as they are shown, and how much of them
//	render.go    a page as HTML: for the server, or as one file for an archive
//	server.go    Server: the addresses, and what each answers
//	guard.go     who may ask: only a browser of this machine that knows the secret address
//	clients.go   how many may ask at once
//	places.go    the plans of other work trees and clones, each by a git plan web of its own, and those of
//	             branches that no work tree has, for looking only
//	act.go       what a person may do from the page; begun.go why a run that was begun there ended
//	watch.go     the plan as browsers see it: which parts are new to whom; calls.go what sessions do
//	live.go      that, as server-sent events
//	assets/      the template, the style and the script
//
// All that a page says was written by others: plans, branches, files, findings. It is cleaned by
// package visible, so that hidden characters are seen, and escaped by html/template. A page loads
// nothing from outside, and its policy lets no script run but its own.
//
// Data walks one way: a request opens the repository as any command does, reads the plan and what
// became of it, and closes it again. While a browser listens, the plan is followed: it is sent the parts
// that changed, each new event at once, and what sessions do.
package web
