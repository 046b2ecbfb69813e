package proc

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/git-plan/git-plan/gitplan/disk"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// Confinement limits what a program, and everything it starts, can do to files. All kinds leave the network
// open; Landlock also sockets in the file system, and a file's mode and times.
type Confinement struct {
	By SandboxKind
	// Writable are folders and files; nothing else can be written. Here and below, what does not exist is left out.
	Writable []string
	// ReadOnly lie below a writable folder and cannot be written, except under Landlock.
	ReadOnly []string
	// Hidden are files and folders that cannot be read. Under Landlock their names can be listed, those
	// below a writable folder be written, and a new file beside one cannot be read back.
	Hidden []string
	// Readable lie below a hidden folder and can be read: of all that is named, the deepest path counts.
	Readable []string
	// Sockets are files and folders whose sockets may be used. Landlock needs them, from Linux 7.1.
	Sockets []string
	// Private are writable folders To, where a program finds From and the paths named below. Only Bwrap has them.
	Private []Mount
	// Mounts are what a program finds at To, whatever else is named there. Only Bwrap can do this.
	Mounts []Mount

	links []disk.Link // folders above the named paths; set by resolve
}

// Mount is a file or folder, From, that is found at To, if something is there.
type Mount struct {
	From, To string
	Writable bool
}

// SandboxKind is a way to confine a program.
type SandboxKind string

// The kinds, the strongest first. Bwrap gives a program its own view of the file system and its own process
// numbers. Landlock is the kernel's, from Linux 6.2, and from 6.12 keeps signals from other programs.
const (
	Bwrap      SandboxKind = "bwrap"
	Landlock   SandboxKind = "landlock"
	Seatbelt   SandboxKind = "seatbelt"
	Unconfined SandboxKind = "none"
)

// SandboxKinds returns the kinds that this system may have, the strongest first.
func SandboxKinds() []SandboxKind {
	switch runtime.GOOS {
	case "linux":
		return []SandboxKind{Bwrap, Landlock}
	case "darwin":
		return []SandboxKind{Seatbelt}
	}
	return nil
}

// with returns a changed copy. Nil stays nil, here and below.
func (b *Confinement) with(change func(*Confinement)) *Confinement {
	if b == nil {
		return nil
	}
	more := *b
	change(&more)
	return &more
}

// Allow returns a copy that lets paths be written, and read.
func (b *Confinement) Allow(paths ...string) *Confinement {
	return b.Reveal(paths...).with(func(b *Confinement) { b.Writable = slices.Concat(b.Writable, paths) })
}

// Protect returns a copy in which paths below a writable folder are read-only.
func (b *Confinement) Protect(paths ...string) *Confinement {
	return b.with(func(b *Confinement) { b.ReadOnly = slices.Concat(b.ReadOnly, paths) })
}

// Close returns a copy in which a writable folder, which may lie in another one, is read-only.
func (b *Confinement) Close(dir string) *Confinement {
	return b.Reveal(dir).Protect(dir).with(func(b *Confinement) {
		b.Writable = slices.DeleteFunc(slices.Clone(b.Writable), func(w string) bool { return w == dir })
	})
}

// Reveal returns a copy in which paths, and everything below them, are not hidden.
func (b *Confinement) Reveal(paths ...string) *Confinement {
	return b.with(func(b *Confinement) {
		at := new(disk.Links)
		allowed := at.Existing(paths)
		b.Hidden = slices.DeleteFunc(slices.Clone(b.Hidden), func(h string) bool {
			return slices.ContainsFunc(allowed, func(p string) bool { w := at.Follow(h); return w.Found && disk.Within(p, w.Real) })
		})
		b.Readable = slices.Concat(b.Readable, paths)
	})
}

// Hides reports whether something is at a path that a program cannot read.
func (b *Confinement) Hides(path string) bool { return b.HiddenOn(path) != nil }

// HiddenOn returns the places on the way to a file, of links and of the file itself, that a program cannot see.
func (b *Confinement) HiddenOn(path string) (out []string) {
	if b == nil {
		return nil
	}
	held, way := b.resolve(), new(disk.Links).Follow(path)
	rules := held.rules()
	for _, at := range append(slices.Clip(way.On), disk.Link{Path: way.Real}) {
		rule, ok := deepest(rules, at.Path)
		if ok && way.Found && rule.unseen() && !slices.Contains(held.links, at) {
			out = append(out, at.Path)
		}
	}
	return out
}

// Visible returns the topmost paths that can be read though they lie in a hidden folder.
func (b *Confinement) Visible() (out []string) {
	if b == nil {
		return nil
	}
	rules := b.resolve().rules()
	for _, p := range rules {
		if p.may != noAccess && mayAt(rules, filepath.Dir(p.path)) == noAccess {
			out = append(out, p.path)
		}
	}
	return out
}

// resolve returns a Confinement with the existing paths and their links followed. What a link leads to that a
// program may have made is neither written nor read for the link's sake.
func (b Confinement) resolve() Confinement {
	var at disk.Links
	// of a private one no program has seen the links
	writable := slices.DeleteFunc(at.Existing(b.Writable), func(path string) bool {
		return slices.ContainsFunc(b.Private, func(m Mount) bool { return m.To == path })
	})
	var links []disk.Link
	real := func(paths []string, evenControlled func(real string) bool) (out []string) {
		for _, p := range paths {
			if w := at.Follow(p); w.Found && (!w.ControlledFrom(writable) || evenControlled(w.Real)) {
				out, links = append(out, w.Real), append(links, w.On...)
			}
		}
		slices.Sort(out)
		return slices.Compact(out)
	}
	never, always := func(string) bool { return false }, func(string) bool { return true }
	b.Sockets = real(b.Sockets, never)
	b.Writable, b.Readable, b.Hidden = real(b.Writable, never), real(b.Readable, never), real(b.Hidden, always)
	b.ReadOnly = real(b.ReadOnly, func(real string) bool {
		return slices.ContainsFunc(b.Writable, func(w string) bool { return disk.Within(w, real) })
	})
	slices.SortFunc(links, func(a, b disk.Link) int { return strings.Compare(a.Path, b.Path) })
	b.links = slices.Compact(links)
	return b
}

// access is what a program may do at a path and below it; the least comes first.
type access int

const (
	noAccess access = iota
	mayOnlyRead
	mayReadAndWrite
)

// pathRule is what may be done at a path, and below it except where a deeper rule says otherwise.
type pathRule struct {
	path string
	may  access
	from string // the folder that appears there instead; empty: the folder itself
}

// rules returns the rules of a resolved Confinement, sorted by path. Of a path that is named twice the lesser right
// counts, but Readable takes none away. A rule that repeats a hidden or read-only one around it is left out.
func (b Confinement) rules() (out []pathRule) {
	var all []pathRule
	for may, paths := range map[access][]string{noAccess: b.Hidden, mayOnlyRead: b.ReadOnly, mayReadAndWrite: b.Writable} {
		for _, p := range paths {
			all = append(all, pathRule{filepath.Clean(p), may, ""})
		}
	}
	all = sortedRules(all)
	for i, p := range all {
		for _, m := range b.Private {
			if m.To == p.path && p.may == mayReadAndWrite {
				all[i].from = m.From
			}
		}
	}
	for _, p := range b.Readable {
		p = filepath.Clean(p)
		if at, ok := deepest(all, p); ok && at.unseen() && at.path != p {
			out = append(out, pathRule{p, mayOnlyRead, ""})
		}
	}
	all, out = sortedRules(append(all, out...)), nil
	for _, p := range all {
		if at, ok := deepest(out, p.path); !ok || at.may != p.may || p.may == mayReadAndWrite {
			out = append(out, p)
		}
	}
	return out
}

func sortedRules(rules []pathRule) []pathRule {
	slices.SortFunc(rules, func(a, b pathRule) int {
		if a.path != b.path {
			return strings.Compare(a.path, b.path)
		}
		return int(a.may - b.may)
	})
	return slices.CompactFunc(rules, func(a, b pathRule) bool { return a.path == b.path })
}

// unseen reports whether a program finds something else at the path than what really is there.
func (p pathRule) unseen() bool { return p.may == noAccess || p.from != "" }

// deepest returns the rule that holds at a path.
func deepest(rules []pathRule, path string) (at pathRule, ok bool) {
	for _, p := range rules {
		if disk.Within(p.path, path) {
			at, ok = p, true
		}
	}
	return at, ok
}

// mayAt returns what may be done at a path: reading if no rule holds.
func mayAt(rules []pathRule, path string) access {
	if at, ok := deepest(rules, path); ok {
		return at.may
	}
	return mayOnlyRead
}

// Works runs a program (2 to 10 ms) and returns, in one line, why none can be confined this way here; nil if they can.
func Works(ctx context.Context, k SandboxKind) error {
	if k == Unconfined {
		return nil
	}
	var printed bytes.Buffer
	name, args := Shell(":")
	exit, err := Run(ctx, Cmd{Name: name, Args: args, Stderr: &printed, Timeout: 10 * time.Second,
		Confine: &Confinement{By: k, Writable: []string{os.TempDir()}, Hidden: []string{os.TempDir()}}})
	switch {
	case err != nil:
		return cmp.Or(errors.Unwrap(err), err)
	case !exit.OK():
		return fmt.Errorf("%s exits with %d: %s", k, exit.Code, visible.FirstLine(printed.String()))
	}
	return nil
}

// ConfinedVariable makes this program do nothing but run its arguments as a command, confined as the variable says
// (see [ConfinedSpec]). It confines programs that are started by others, such as git's filters.
const ConfinedVariable = "GIT_PLAN_CONFINED"

// confinedBy is what the variable holds.
type confinedBy struct {
	Confine Confinement
	Without []string // variables that the command is not given
}

// ConfinedSpec returns a value of ConfinedVariable for a command within bounds, and without some variables.
func ConfinedSpec(bounds *Confinement, without []string) (string, error) {
	text, err := json.Marshal(confinedBy{*bounds, without})
	return string(text), err
}

// init takes over before anything else of this program begins, as it does for a supervisor.
func init() {
	if spec, ok := os.LookupEnv(ConfinedVariable); ok && len(os.Args) > 1 {
		_ = os.Unsetenv(ConfinedVariable)
		os.Exit(runConfined(spec, os.Args[1:]))
	}
}

// runConfined runs a command as a value of ConfinedVariable says, and returns its exit code; 126 if it cannot.
func runConfined(spec string, args []string) int {
	var c confinedBy
	err := json.Unmarshal([]byte(spec), &c)
	if err == nil {
		var exit Exit
		exit, err = Run(context.Background(), Cmd{Name: args[0], Args: args[1:], Env: without(os.Environ(), c.Without),
			Confine: &c.Confine, Group: true, Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, MaxOutput: math.MaxInt64})
		if err == nil {
			return exit.Code
		}
	}
	fmt.Fprintln(os.Stderr, "it cannot be confined:", err)
	return 126
}
