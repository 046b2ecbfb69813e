// Command git-plan is `git plan`: what a person types, and nothing else. A command is a struct of its
// options, and a function.
//
//	main.go      one command, and the signals that stop it
//	app.go       the table of commands; words.go how their words are read; completion.go in shells
//	open.go      what a command asks for: repository, plan, lock, step; steps.go for work on steps
//	new.go       a new plan; store.go what becomes of its text, runnow.go whether to begin
//	edit.go      a plan in the editor; plan.go a step's state, a branch's plan, undo
//	work.go      run, step, next, done; several.go runs plans of other branches
//	live.go      what is shown while work goes on; ending.go what is said at its end, and to whom
//	status.go    status, list, stats
//	setup.go     init, doctor, config, skill
//	programs.go  demo, mcp, worker
//	pr.go        export and pull requests
//	hook.go      what the lines in git's hooks call; ownpush.go pushes with the person's hook confined
//	web.go       a page for a browser; webacts.go what a person may do there
//
// Any other command is in the file of its name.
package main
