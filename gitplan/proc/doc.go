// Package proc is the only package that starts other programs: git, agents, checks and the
// person's editor. A program is described by a [Cmd], and an [Exit] says how it ended (cmd.go).
// [Run] (proc.go) guarantees:
//
//   - A program of ours (Cmd.Group) runs in its own process group, which ends with it: after a
//     time limit, after too much silence or output (output.go), on cancellation. What left the
//     group ends too: by a supervisor that adopts it (supervisor_linux.go), by the PID namespace
//     of bwrap (start_linux.go), or by a mark in its environment (sweep.go).
//   - No output is lost (output.go), and what is kept of it is bounded (tail.go).
//   - A program can be confined to [Bounds] (bounds.go): by bubblewrap (bwrap_linux.go), Landlock
//     (landlock_linux.go, with kernel_linux.go) or macOS's sandbox-exec (seatbelt.go). One that
//     cannot be confined is not started. confined.go confines what another program starts.
//   - git is found on PATH outside of the work tree (outside.go).
//   - The environment is built in one place (env.go), which names what a child may inherit.
//   - With GIT_PLAN_TRACE=1 every program is printed to standard error with its time.
//
// terminal_unix.go has what a terminal is asked.
package proc
