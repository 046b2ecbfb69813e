package proc

import (
	"path/filepath"
	"slices"
	"strings"
)

// Confine bounds what a program, and everything it starts, can do to files. A
// program under it is started in a session of its own, without a terminal.
//
// What all kinds leave open: the network, and what is named. Landlock leaves open
// sockets in the file system, too, and what a file's mode or times say. They hold
// off accidents and plain theft; who is to be kept from getting out at any price
// belongs into a virtual machine.
type Confine struct {
	By SandboxKind
	// Writable are folders and files; everything else cannot be written. What
	// does not exist is left out, and links are followed, here and below.
	Writable []string
	// ReadOnly lie below a writable folder and cannot be written all the same.
	// Landlock cannot do this: it has no exception from what it allows.
	ReadOnly []string
	// Hidden are files and folders that cannot be read. Under Landlock their
	// names can still be listed, what lies below a writable folder can be written
	// and deleted, and a file that is made while the program runs right in a
	// folder above a hidden one cannot be read back.
	Hidden []string
	// Readable lie below a hidden folder and can be read all the same: of all that is
	// named, the deepest path counts. Links on the way to what is named still lead there.
	Readable []string
	// Sockets are files, and folders of files, of which a program may use the sockets that
	// others listen on. Only Landlock asks, from Linux 7.1: elsewhere those are hidden.
	Sockets []string
	// Private are writable folders in whose place, To, a program finds another one, From,
	// and in it of what really is there only what is named. Only Bwrap can do this.
	Private []Mount
	// Mounts are what a program finds in some places instead of what is there, whatever
	// else is named in them. Only Bwrap can do this.
	Mounts []Mount

	links []link // that paths found
}

// Mount is a file or folder, From, that is found at To, where there is one.
type Mount struct {
	From, To string
	Writable bool
}

// SandboxKind is a way to confine a program.
type SandboxKind string

// The kinds, the strongest first. Bwrap gives a program a view of the file
// system of its own, and numbers of processes of its own: with the program
// everything ends that it started. Landlock is the kernel's (Linux 6.2), and needs
// nothing installed; from Linux 6.12 it also keeps signals from others' programs.
// Seatbelt is that of macOS, which has no other.
const (
	Bwrap      SandboxKind = "bwrap"
	Landlock   SandboxKind = "landlock"
	Seatbelt   SandboxKind = "seatbelt"
	Unconfined SandboxKind = "none"
)

// Allow returns a copy that lets paths be written, and read. Nil stays nil.
func (c *Confine) Allow(paths ...string) *Confine {
	if c == nil {
		return nil
	}
	more := c.Reveal(paths...)
	more.Writable = append(slices.Clone(c.Writable), paths...)
	return more
}

// Protect returns a copy in which paths below a writable folder can only be read.
// Nil stays nil.
func (c *Confine) Protect(paths ...string) *Confine {
	if c == nil {
		return nil
	}
	more := *c
	more.ReadOnly = append(slices.Clone(c.ReadOnly), paths...)
	return &more
}

// Reveal returns a copy that lets paths be read: they and what lies below them are
// hidden no longer. Nil stays nil.
func (c *Confine) Reveal(paths ...string) *Confine {
	if c == nil {
		return nil
	}
	var at Links
	more, allowed := *c, at.existing(paths)
	more.Hidden = slices.DeleteFunc(slices.Clone(c.Hidden), func(h string) bool {
		f := at.follow(h)
		return f.ok && slices.ContainsFunc(allowed, func(p string) bool { return Within(p, f.real) })
	})
	more.Readable = append(slices.Clone(c.Readable), paths...)
	return &more
}

// Hides reports whether a confined program cannot read what lies at a path, which is there.
func (c *Confine) Hides(path string) bool {
	if c == nil {
		return false
	}
	f := new(Links).follow(path)
	at, ok := deepest(c.paths().places(), f.real)
	return f.ok && ok && at.unseen()
}

// Visible returns the paths that can be read though they lie in a hidden folder: of each
// only the topmost.
func (c *Confine) Visible() (out []string) {
	if c == nil {
		return nil
	}
	places := c.paths().places()
	for _, p := range places {
		if p.may != nothing && mayAt(places, filepath.Dir(p.path)) == nothing {
			out = append(out, p.path)
		}
	}
	return out
}

// paths returns a Confine as it applies now: absolute, links followed, what is not there
// left out. What a link leads to that may be a program's is neither written nor read for
// its sake.
func (c Confine) paths() Confine {
	var at Links
	writable := slices.DeleteFunc(at.existing(c.Writable), c.isPrivate) // of those a program has never seen the links
	var links []link
	real := func(paths []string, evenMisled func(real string) bool) (out []string) {
		for _, p := range paths {
			if f := at.follow(p); f.ok && (!misled(f.on, writable) || evenMisled(f.real)) {
				out, links = append(out, f.real), append(links, f.on...)
			}
		}
		slices.Sort(out)
		return slices.Compact(out)
	}
	never, always := func(string) bool { return false }, func(string) bool { return true }
	c.Sockets = real(c.Sockets, never)
	c.Writable, c.Readable, c.Hidden = real(c.Writable, never), real(c.Readable, never), real(c.Hidden, always)
	c.ReadOnly = real(c.ReadOnly, func(real string) bool {
		return slices.ContainsFunc(c.Writable, func(w string) bool { return Within(w, real) })
	})
	slices.SortFunc(links, func(a, b link) int { return strings.Compare(a.path, b.path) })
	c.links = slices.Compact(links)
	return c
}

func (c Confine) isPrivate(path string) bool {
	return slices.ContainsFunc(c.Private, func(m Mount) bool { return m.To == path })
}
