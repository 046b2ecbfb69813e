package confine

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/disk"
)

// access is what a program may do at a path and below it; the least comes first.
type access int

const (
	nothing access = iota
	mayOnlyRead
	mayReadAndWrite
)

// place is a path with what may be done there, and below it as far as no place
// deeper says otherwise.
type place struct {
	path string
	may  access
	from string // the folder that is found there instead; empty: what is there
}

// places returns the paths of Bounds, which must be resolved, in the order of
// their names: a folder comes before what lies in it. A path that is named twice
// has the lesser of its rights, but Readable takes no right away. A place is left
// out if a hidden or read-only one around it says the same.
func (b Bounds) places() (out []place) {
	var all []place
	for may, paths := range map[access][]string{nothing: b.Hidden, mayOnlyRead: b.ReadOnly, mayReadAndWrite: b.Writable} {
		for _, p := range paths {
			all = append(all, place{filepath.Clean(p), may, ""})
		}
	}
	all = sorted(all)
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
			out = append(out, place{p, mayOnlyRead, ""})
		}
	}
	all, out = sorted(append(all, out...)), nil
	for _, p := range all {
		if at, ok := deepest(out, p.path); !ok || at.may != p.may || p.may == mayReadAndWrite {
			out = append(out, p)
		}
	}
	return out
}

func sorted(places []place) []place {
	slices.SortFunc(places, func(a, b place) int {
		if a.path != b.path {
			return strings.Compare(a.path, b.path)
		}
		return int(a.may - b.may)
	})
	return slices.CompactFunc(places, func(a, b place) bool { return a.path == b.path })
}

// unseen reports whether a program finds something other than what really is at a place.
func (p place) unseen() bool { return p.may == nothing || p.from != "" }

// deepest returns the place that says what may be done at a path.
func deepest(places []place, path string) (at place, ok bool) {
	for _, p := range places {
		if disk.Within(p.path, path) {
			at, ok = p, true
		}
	}
	return at, ok
}

// mayAt returns what may be done at a path: if no place says it, reading.
func mayAt(places []place, path string) access {
	if at, ok := deepest(places, path); ok {
		return at.may
	}
	return mayOnlyRead
}
