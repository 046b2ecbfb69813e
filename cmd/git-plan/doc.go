// Command git-plan is `git plan`: what a person types, and nothing else. Each file holds a command or a
// family of them: flags, help, and a few statements that call the packages.
//
//	main.go    one command; signals.go stops it
//	app.go     the table of commands; words.go how their words are read, usage.go when they are wrong
//	open.go    what a command asks for: repository, plan, lock, step; steps.go opens a plan for
//	           work on its steps, choose.go asks once which agent does it
//	new.go     a new plan; store.go what becomes of its text, runnow.go whether to begin
//	work.go    run, step, next, done; several.go runs plans of other branches
//	live.go    what people and programs are shown while work goes on; away.go notifications
//	hook.go    what the lines in git's hooks call; ownpush.go pushes with the person's hook in the sandbox
//	web.go     a page for a browser; webacts.go what a person may do there
//
// Any other command is in the file of its name.
package main
