// Package web serves the plan of a work tree as a page for a browser of this machine, or writes it
// as one file.
//
//	page.go     Page: what is shown of a plan, as values; step.go and review.go its parts
//	drawing.go  the order of the steps, and what their time went into
//	render.go   a page as HTML, and the bounds of it, by the templates, style and scripts in assets/
//	server.go   Server: the addresses, and the answer of each
//	guard.go    who may ask: only a browser of this machine that knows the secret address
//	act.go      what a person may do from the page; live.go: what changes meanwhile, as server-sent events
//
// The texts of a page were written by others. Templates escape them, and what is hidden in them is made visible in the
// whole page at once. A page loads nothing from other hosts, and its policy lets no script run except its own.
package web
