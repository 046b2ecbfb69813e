// Package pages is the manual and -h: what is printed about the program, made of the tables and
// texts that the program itself runs on.
//
//	page.go   the pages, each one Markdown text; how one is shown or installed; roff.go for man
//	texts.go  the pages of the program and of its commands
//	help.go   what -h prints, and an option as both show it
package pages
