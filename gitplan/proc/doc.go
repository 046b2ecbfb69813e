// Package proc is the only door to other programs: git, agents, checks and the
// person's editor are all started here and nowhere else.
//
// A program is described by a [Cmd] and ended as an [Exit] (cmd.go). Run (proc.go)
// starts it, waits, and returns how it ended; a non-zero exit code is a value, not an
// error. What the door guarantees:
//
//   - a program that works for us (Group) runs in a process group of its own,
//     which is ended with it: by time limit, by silence, by cancellation, and
//     for whatever it left running when it ended by itself, in the group or out of
//     it: by a supervisor that adopts what leaves (supervise_linux.go starts it,
//     supervisor_linux.go is it, children_linux.go finds its children), by the process
//     numbers of its own that a program in bwrap has (wrapped_linux.go), or by a mark in
//     its environment (sweep.go);
//   - what must not outlive this process is ended before it exits (fleeting.go);
//   - output is bounded by a [Tail], which keeps head and tail of any amount, or by
//     a [Head];
//   - a program can be confined ([Confine], confine.go): what it may write is listed, and
//     what it may not read (places.go, and links.go for what leads there), and of the
//     kernel's key rings it has none (keyrings_linux.go); what cannot be confined is not
//     started, and works.go tries what can be;
//   - a temporary folder ends with the process that made it, however that ends: the
//     next one removes it (temp.go), whatever programs made of it (removetree.go);
//   - git is found on PATH outside of the work tree (outside.go);
//   - the environment is built in one place (env.go), which names what a child
//     may inherit, and what it must never;
//   - what differs from system to system is in files named for it, as group_unix.go;
//   - with GIT_PLAN_TRACE=1 every start is told on standard error with its time.
package proc
