// Command git-plan is `git plan`: what a person types, and nothing else. A command is a struct of its
// options, and a function.
//
//	main.go      one command, the signals that stop it, and the table of commands
//	open.go      what a command asks for: repository, plan, lock, step
//	new.go       a new plan; approval.go whether it may run; edit.go its text, and replan
//	plan.go      a step's state, a branch's plan, undo, attempts
//	work.go      run, step, next, done; several.go runs and stops plans of other branches
//	live.go      an operation: the work of a command, what is shown of it, and who is told of its end
//	answer.go    questions, and acceptance criteria that a person checks
//	status.go    status, list and show; log.go
//	verify.go    verify and lint
//	init.go      init, config and doctor; hooks.go
//	share.go     push and fetch; export and pull requests, by the programs of forges
//	web.go       the plan as a page for a browser; mcp.go as tools or a skill for a person's own agent; demo.go demo and worker
//	help.go      -h, and how the words of a command line are read; completion.go completes them; pages.go the manual
//
// Any other command is in the file of its name.
package main
