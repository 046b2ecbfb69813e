// Command git-plan is `git plan`: what a person types, and nothing else. Each
// file holds a command or a family of them: flags, help, and a few statements
// that call the packages.
//
//	main.go    signals and the exit code
//	app.go     the table of commands, and how arguments are read
//	open.go    what a command asks for: repository, plan, lock, worker
//	fail.go    the one table: error -> hint -> exit code
//	live.go    what people and programs are shown while work goes on
//	man.go     the manual page, from the same texts as -h
//	printable.go  what of a text a terminal may be given
package main
