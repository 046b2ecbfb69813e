// Package confine says what a program can do to files, and puts it in the words of what holds
// it to that: bubblewrap, Landlock, Seatbelt. It starts no program; proc does.
//
// [Bounds] (confine.go) name what may be written, what may only be read and what is hidden.
// resolve follows the links in them, and places says for each path what may be done there.
// From those come:
//
//	Bwrap       the command line of bubblewrap                 bwrap_linux.go
//	Landlock    a ruleset, which a thread applies to itself    landlock_linux.go
//	Seatbelt    the command line of macOS's sandbox-exec       seatbelt.go
//
// All of Linux's take the kernel's key rings away, root's capabilities, and what of the kernel
// root could set or read (kernel_linux.go). kinds_linux.go, kinds_darwin.go and kinds_other.go
// say which kinds a system may have.
package confine
