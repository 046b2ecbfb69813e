// Package proc is the only package that starts other programs: git, agents, checks, the person's editor.
// Run starts a Cmd and ends all of its processes: by a supervisor that adopts them (supervisor_linux.go), or by their
// process group and a mark in their environment (env.go).
//
// With GIT_PLAN_TRACE=1 every program is printed to standard error with its time.
package proc
