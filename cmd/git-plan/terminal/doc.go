// Package terminal shows people what happens, and reads their answers. It knows terminals, and
// nothing of commands.
//
//	view.go      View: takes notices (package journal) and prints them, each as a line with a
//	             timestamp, or on a terminal above a block of rows that is redrawn
//	lines.go     the words of each notice
//	board.go     the tasks at work, and what was done and used
//	rows.go      those as rows in columns, what stays above them, the verdict at the end, and how rows are redrawn
//	text.go      texts and tables that fit the width, and colours
//	person.go    questions and answers, the person's editor and pager
package terminal
