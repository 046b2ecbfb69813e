// Package terminal is where people see and answer: it knows terminals, and nothing of
// commands.
//
// # Words
//
//	notice  what happened, as the work reports it (package journal)
//	board   what is shown of the work under way, made from notices alone
//	row     one line of the board; it is final once it is printed, until then it changes
//	look    what a terminal can show: colours, Unicode
//	screen  draws a board on a terminal, again and again in the same place
//
// # How a notice comes to a person's eyes
//
//	View.Show   takes it                                        view.go
//	board.add   rows that are final, and rows that change       board.go, board_task.go, board_session.go
//	board.rows  of those that change, as many as fit             board_rows.go
//	View.Plan   knows the steps, and lists those to come        board_ahead.go
//	screen      says when something is drawn, and where         screen.go, screen_title.go, screen_unix.go
//	look.draw   says how a row looks                            look.go, usage.go, width.go
//	lines       without a screen: one line for each notice      lines.go; groups.go, summary.go (GitHub)
//
// # What commands print by themselves
//
//	table.go     texts and tables that fit the width; color.go whether they are painted
//	readable.go  texts of others, for whoever has to read all of them
//	person.go    whether somebody is there, and what they answer
//	editor.go, pager.go  the person's own programs
package terminal
