// Package web serves the plan of a work tree as a page for a browser of this machine, or writes it
// as one file.
//
//	page.go     Page: what is shown of a plan, as values; parts.go its steps, sessions, diffs and review
//	drawing.go  the order of the steps, and what their time went into
//	render.go   a page as HTML, and the bounds of it, by the templates, style and scripts in assets/
//	server.go   Server: the addresses, the answer of each, and what changes meanwhile, as server-sent events
//	act.go      what a person may do from the page, and who may ask: a browser here that knows the secret address
//
// The texts of a page were written by others. Templates escape them, and what is hidden in them is made visible in the
// whole page at once. A page loads nothing from other hosts, and its policy lets no script run except its own.
package web
