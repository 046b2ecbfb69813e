// Package proc is the only package that starts other programs: git, agents, checks, the person's editor.
// Run starts a Cmd and ends it with all that it started: by a supervisor that adopts it (supervisor_linux.go), or by
// a group and a mark in its environment (env.go).
//
// With GIT_PLAN_TRACE=1 every program is printed to standard error with its time.
package proc
