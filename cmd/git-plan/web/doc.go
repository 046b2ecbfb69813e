// Package web serves the plan of a work tree as a page for a browser of this machine, or writes it
// as one file.
//
//	page.go    Page: what is shown of a plan, as values; step.go and review.go its parts
//	render.go  a page as HTML, and the bounds of it, by the template, style and script in assets/
//	server.go  Server: the addresses, and the answer of each
//	guard.go   who may ask: only a browser of this machine that knows the secret address
//	act.go     what a person may do from the page; live.go: what changes meanwhile, as server-sent events
//
// All texts of a page were written by others: plans, branches, files, findings. They are cleaned by
// package visible, so that hidden characters are seen, and escaped by html/template. A page loads
// nothing from other hosts, and its policy lets no script run except its own.
package web
