// Command git-plan is `git plan`: what a person types, and nothing else. Each
// file holds a command or a family of them: flags, help, and a few statements
// that call the packages.
//
//	main.go    one command; signals.go stops it
//	app.go     the table of commands; usage.go when their arguments are wrong
//	open.go    what a command asks for: repository, plan, lock, step; steps.go opens a plan for
//	           work on its steps, choose.go asks once which agent does it
//	work.go    run, step, next, done, verify; several.go runs plans of other branches; stop.go
//	           ends a run from elsewhere; worker.go is the other end of a launcher
//	live.go    what people and programs are shown while work goes on; follow.go somebody else's
//	away.go    who hears that a run has ended if nobody sits here
//	manual.go  what no command decides, put before a person at the end
//	plan.go    skip, block, reopen, attach; answer.go a question of a step, asked here or answered from elsewhere
//	store.go   what becomes of the text of a new plan; settleapproval.go has it approved, or askapproval.go
//	           asks (verdict.go reads the answer), and runnow.go whether to begin
//	editor.go  what a person types in a file, kept whatever happens
//	paged.go   what is long, in the person's pager
//	planner.go what a planner gets from the flags
//	change.go  how a plan changed, for whoever edits, approves or has it planned again
//	forms.go   plans in the forms of other tools
//	hook.go    what the lines in git's hooks call; hooks.go puts them there;
//	           ownpush.go pushes by itself, with the person's hook in the sandbox
//	web.go     a page for a browser; webacts.go what a person may do there
//	man.go     the manual; completion.go what a shell completes
//
// Any other command is in the file of its name.
//
// Below it are its rooms: commandline, how the words that a person typed are read; exit, what an error
// means to a person, its hint and exit code; terminal, where people see and answer; standing, how far a
// plan is and what comes next; views, how both are printed; survey, what is set up and what is missing,
// for init and doctor; notify, who hears how a run ended; forge, which opens pull requests; pages, the
// manual and -h; completion; mcp, by which a person's own agent works on a plan; and demo.
package main
