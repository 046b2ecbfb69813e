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

// Confinement limits what a program and its descendants can do to files. No kind limits the network; Landlock limits
// neither sockets in the file system nor changes of a file's mode and times.
type Confinement struct {
	By SandboxKind
	// Writable are the only files and folders that can be written. In all lists, missing paths are ignored.
	Writable []string
	// ReadOnly are paths below a writable folder that cannot be written. Landlock ignores them.
	ReadOnly []string
	// Hidden are files and folders that cannot be read. Under Landlock their names can be listed, those below a writable
	// folder can be written, and a new file beside one cannot be read back.
	Hidden []string
	// Readable are paths below a hidden folder that can be read: of all named paths, the deepest counts.
	Readable []string
	// Sockets are files and folders whose sockets may be used. Only Landlock from Linux 7.1 on needs them.
	Sockets []string
	// Private are writable folders: From appears at To, where rules for deeper paths still apply. Bwrap only.
	Private []Mount
	// Mounts are files and folders that appear at To, whatever the other lists say. Bwrap only.
	Mounts []Mount

	links []disk.Link // the links on the way to the named paths; set by resolve
}

// Mount is a file or folder, From, that appears at To, if To exists.
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

// SandboxKinds returns the kinds for this operating system, the strongest first; see Works.
func SandboxKinds() []SandboxKind {
	switch runtime.GOOS {
	case "linux":
		return []SandboxKind{Bwrap, Landlock}
	case "darwin":
		return []SandboxKind{Seatbelt}
	}
	return nil
}

// with returns a copy after change; nil for nil, as do the methods that use it.
func (c *Confinement) with(change func(*Confinement)) *Confinement {
	if c == nil {
		return nil
	}
	more := *c
	change(&more)
	return &more
}

// Allow returns a copy in which paths can be written and read.
func (c *Confinement) Allow(paths ...string) *Confinement {
	return c.Reveal(paths...).with(func(b *Confinement) { b.Writable = slices.Concat(b.Writable, paths) })
}

// Protect returns a copy in which paths below a writable folder are read-only.
func (c *Confinement) Protect(paths ...string) *Confinement {
	return c.with(func(b *Confinement) { b.ReadOnly = slices.Concat(b.ReadOnly, paths) })
}

// Close returns a copy in which a writable folder is read-only, even if another writable folder contains it.
func (c *Confinement) Close(dir string) *Confinement {
	return c.Reveal(dir).Protect(dir).with(func(b *Confinement) {
		b.Writable = slices.DeleteFunc(slices.Clone(b.Writable), func(w string) bool { return w == dir })
	})
}

// Reveal returns a copy in which paths, and everything below them, are not hidden.
func (c *Confinement) Reveal(paths ...string) *Confinement {
	return c.with(func(b *Confinement) {
		at := new(disk.Links)
		allowed := at.Existing(paths)
		b.Hidden = slices.DeleteFunc(slices.Clone(b.Hidden), func(hidden string) bool {
			way := at.Follow(hidden)
			return way.Found && slices.ContainsFunc(allowed, func(p string) bool { return disk.Within(p, way.Real) })
		})
		b.Readable = slices.Concat(b.Readable, paths)
	})
}

// Hides reports whether a path exists and a program cannot read it.
func (c *Confinement) Hides(path string) bool { return c.HiddenOn(path) != nil }

// HiddenOn returns the links on the way to a file, and the file itself, as far as a program cannot see them.
func (c *Confinement) HiddenOn(path string) (out []string) {
	if c == nil {
		return nil
	}
	held, way := c.resolve(), new(disk.Links).Follow(path)
	rules := held.rules()
	for _, at := range append(slices.Clip(way.Links), disk.Link{Path: way.Real}) {
		rule, ok := deepest(rules, at.Path)
		if ok && way.Found && rule.unseen() && !slices.Contains(held.links, at) {
			out = append(out, at.Path)
		}
	}
	return out
}

// Visible returns the topmost paths that can be read though they lie in a hidden folder.
func (c *Confinement) Visible() (out []string) {
	if c == nil {
		return nil
	}
	rules := c.resolve().rules()
	for _, p := range rules {
		if p.may != noAccess && mayAt(rules, filepath.Dir(p.path)) == noAccess {
			out = append(out, p.path)
		}
	}
	return out
}

// resolve returns a copy with the existing real paths. A link that the program could have made grants no right.
func (c Confinement) resolve() Confinement {
	var at disk.Links
	// A private folder hides the real one, so no program has made links in that.
	writable := slices.DeleteFunc(at.Existing(c.Writable), func(path string) bool {
		return slices.ContainsFunc(c.Private, func(m Mount) bool { return m.To == path })
	})
	var links []disk.Link
	real := func(paths []string, evenControlled func(real string) bool) (out []string) {
		for _, p := range paths {
			if w := at.Follow(p); w.Found && (!w.ControlledFrom(writable) || evenControlled(w.Real)) {
				out, links = append(out, w.Real), append(links, w.Links...)
			}
		}
		return slices.Compact(slices.Sorted(slices.Values(out)))
	}
	never, always := func(string) bool { return false }, func(string) bool { return true }
	c.Sockets = real(c.Sockets, never)
	c.Writable, c.Readable, c.Hidden = real(c.Writable, never), real(c.Readable, never), real(c.Hidden, always)
	c.ReadOnly = real(c.ReadOnly, func(real string) bool {
		return slices.ContainsFunc(c.Writable, func(w string) bool { return disk.Within(w, real) })
	})
	slices.SortFunc(links, func(a, b disk.Link) int { return strings.Compare(a.Path, b.Path) })
	c.links = slices.Compact(links)
	return c
}

// access is a program's right at a path and below it, in increasing order.
type access int

const (
	noAccess access = iota
	mayOnlyRead
	mayReadAndWrite
)

// pathRule grants a right at a path, and below it except where a deeper rule applies.
type pathRule struct {
	path string
	may  access
	from string // the folder that appears at path; empty for the folder itself
}

// rules returns the rules of a resolved Confinement, sorted by path. If a path is named twice the lesser right counts,
// but Readable never reduces one. A rule that repeats the hidden or read-only one above it is left out.
func (c Confinement) rules() (out []pathRule) {
	var all []pathRule
	for may, paths := range map[access][]string{noAccess: c.Hidden, mayOnlyRead: c.ReadOnly, mayReadAndWrite: c.Writable} {
		for _, p := range paths {
			all = append(all, pathRule{filepath.Clean(p), may, ""})
		}
	}
	all = sortedRules(all)
	for i, p := range all {
		for _, m := range c.Private {
			if m.To == p.path && p.may == mayReadAndWrite {
				all[i].from = m.From
			}
		}
	}
	for _, p := range c.Readable {
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

// sortedRules sorts rules by path, and keeps the lesser right of a path.
func sortedRules(rules []pathRule) []pathRule {
	slices.SortFunc(rules, func(a, b pathRule) int {
		if a.path != b.path {
			return strings.Compare(a.path, b.path)
		}
		return int(a.may - b.may)
	})
	return slices.CompactFunc(rules, func(a, b pathRule) bool { return a.path == b.path })
}

// unseen reports whether the program cannot see the real file at the path.
func (r pathRule) unseen() bool { return r.may == noAccess || r.from != "" }

// deepest returns the rule that applies to a path, if any.
func deepest(rules []pathRule, path string) (at pathRule, ok bool) {
	for _, p := range rules {
		if disk.Within(p.path, path) {
			at, ok = p, true
		}
	}
	return at, ok
}

// mayAt returns the right at a path, which is mayOnlyRead without a rule.
func mayAt(rules []pathRule, path string) access {
	if at, ok := deepest(rules, path); ok {
		return at.may
	}
	return mayOnlyRead
}

// Works tries a kind of confinement (2 to 10 ms), and returns nil, or in one line why it is impossible on this machine.
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

// ConfinedVariable makes this program only run its arguments as a command, confined by the value (see [ConfinedSpec]).
// So programs can be confined that others start, such as git's filters.
const ConfinedVariable = "GIT_PLAN_CONFINED"

// confinedBy is the value of ConfinedVariable, as JSON.
type confinedBy struct {
	Confine Confinement
	Without []string // variables that are removed from the command's environment
}

// ConfinedSpec returns the value of ConfinedVariable that confines a command by bounds and removes some variables.
func ConfinedSpec(bounds *Confinement, without []string) (string, error) {
	text, err := json.Marshal(confinedBy{*bounds, without})
	return string(text), err
}

// init runs a confined command before anything else of this program begins; see ConfinedVariable.
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
