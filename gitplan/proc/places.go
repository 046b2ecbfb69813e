package proc

import (
	"path/filepath"
	"slices"
	"strings"
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
}

// places are the paths of a Confine, which must be real ones, in the order of
// their names: a folder comes before what lies in it. A path that is named twice
// has the least of its rights.
func (c Confine) places() (out []place) {
	for may, paths := range map[access][]string{nothing: c.Hidden, mayOnlyRead: c.ReadOnly, mayReadAndWrite: c.Writable} {
		for _, p := range paths {
			out = append(out, place{filepath.Clean(p), may})
		}
	}
	slices.SortFunc(out, func(a, b place) int {
		if a.path != b.path {
			return strings.Compare(a.path, b.path)
		}
		return int(a.may - b.may)
	})
	return slices.CompactFunc(out, func(a, b place) bool { return a.path == b.path })
}
