// Package proc is the only package that starts other programs: git, agents, checks and the
// person's editor.
//
// A program is described by a [Cmd], and an [Exit] says how it ended (cmd.go). [Run] (proc.go)
// starts it, waits, and returns how it ended; a non-zero exit code is a value, not an
// error. It guarantees:
//
//   - a program that works for us (Cmd.Group) runs in its own process group, which is ended
//     with it: after a time limit, after too much silence or output (output.go), on
//     cancellation, and whatever it left running when it ended by itself. What left the group
//     ends too: by a supervisor that adopts it (supervisor_linux.go), by the process numbers of
//     its own that a program in bwrap has (start_linux.go), or by a mark in its environment (sweep.go);
//   - no output is lost (output.go), and what is kept of it is bounded by a [Tail] or a [Head] (tail.go);
//   - a program can be confined, as package confine says (start_linux.go, start_darwin.go); one that
//     cannot be confined is not started. confined.go tries what can be, and confines what another
//     program starts;
//   - git is found on PATH outside of the work tree (outside.go);
//   - the environment is built in one place (env.go), which names what a child may inherit;
//   - with GIT_PLAN_TRACE=1 every program that is run is printed to standard error with its time.
//
// terminal_unix.go has what a terminal is asked.
package proc
