// Package proc is the only door to other programs: git, agents, checks and the
// person's editor are all started here and nowhere else.
//
// A program is described by a [Cmd], and an [Exit] says how it ended (cmd.go). [Run] (proc.go)
// starts it, waits, and returns how it ended; a non-zero exit code is a value, not an
// error. What the door guarantees:
//
//   - a program that works for us (Cmd.Group) runs in its own process group, which is ended
//     with it (family.go): after a time limit, after too much silence (idle.go) or output
//     (flood.go), on cancellation, and whatever it left running when it ended by itself. What
//     left the group ends too: by a supervisor that adopts it (supervise_linux.go starts the
//     supervisor, supervisor_linux.go is it, children_linux.go finds its children), by the
//     process numbers of its own that a program in bwrap has (wrapped_linux.go), or by a mark
//     in its environment (sweep.go);
//   - what must not outlive this process is ended before it exits (fleeting.go), and a git plan
//     that this one started is asked to end and waited for (graceful.go);
//   - no output is lost (output.go), and what is kept of it is bounded by a [Tail], which keeps
//     the head and tail of any amount, or by a [Head] (tail.go);
//   - a program can be confined, as package confine says (start_linux.go, start_darwin.go); a
//     program that cannot be confined is not started, setup.go tries again what could not be set
//     up, and works.go tries what can be. A program
//     that another one starts is confined by confined.go;
//   - git is found on PATH outside of the work tree (outside.go);
//   - the environment is built in one place (env.go), which names what a child
//     may inherit, and what it must never;
//   - what differs from system to system is in files named for it, such as group_unix.go;
//   - with GIT_PLAN_TRACE=1 every program that is run is printed to standard error with its time.
//
// Also here: what a terminal is asked (terminal_unix.go).
package proc
