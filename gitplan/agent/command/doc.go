// Package command is a command of the person's own as an agent.
//
// command.go runs it once for a session, with the prompt on its standard input. Its exit code says
// how the session ended; the file that GIT_PLAN_RESULT names can add to that (package answer).
package command
