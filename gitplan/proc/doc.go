// Package proc is the only package that starts other programs: git, agents, checks, the person's editor.
//
//	proc.go        Run, which starts a Cmd (cmd.go) and ends it with all that it started: by a supervisor that
//	               adopts it (supervisor_linux.go), or by a group and a mark in its environment (sweep.go)
//	output.go      what it writes: none is lost, and too much or too little ends it; tail.go keeps a part
//	bounds.go      what it can do to files, by bubblewrap (bwrap_linux.go), Landlock (landlock_linux.go,
//	               kernel_linux.go) or sandbox-exec (seatbelt.go); confined.go confines what git starts
//	outside.go     git, found on PATH outside of the work tree
//	env.go         the environment, which names what a child may inherit
//	clock.go       a limit of time that stands still while the program does
//	terminal_unix.go  what a terminal is asked
//
// With GIT_PLAN_TRACE=1 every program is printed to standard error with its time.
package proc
