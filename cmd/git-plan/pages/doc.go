// Package pages is the manual and -h: what is printed about the program, made of the tables
// and texts that the program itself runs on.
//
//	page.go    the pages, and how one is shown or installed; written.go those that are texts,
//	           texts.go those of the program and its commands
//	roff.go    the form of a page, man(7), also from Markdown; plain.go as text
//	help.go    what -h prints; flags.go a flag as both show it
package pages
