package finding

import (
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/git/diffs"
)

// added are the numbers of the lines that a change added, in order.
type added []int

func addedIn(f *diffs.FileDiff) (lines added) {
	if f == nil {
		return nil
	}
	for _, h := range f.Hunks {
		for _, l := range h.Lines {
			if l.Kind == '+' {
				lines = append(lines, l.New)
			}
		}
	}
	slices.Sort(lines)
	return lines
}

// touches reports whether the change added one of the lines from first to last.
func (a added) touches(first, last int) bool {
	at, _ := slices.BinarySearch(a, first)
	return at < len(a) && a[at] <= last
}

// lastHeld returns the last line of a file that is kept of its difference.
func lastHeld(f *diffs.FileDiff) int {
	if len(f.Hunks) == 0 {
		return 0
	}
	h := f.Hunks[len(f.Hunks)-1]
	for _, l := range slices.Backward(h.Lines) {
		if l.New > 0 {
			return l.New
		}
	}
	return h.NewStart
}

// changed returns the part of the diff that is about one path; nil without one.
func changed(d *diffs.Diff, p string) *diffs.FileDiff {
	for i := range d.Files {
		if d.Files[i].Path == p {
			return &d.Files[i]
		}
	}
	return nil
}

// AddedBy reports whether a difference added one of the lines that the finding is about; for
// a finding without a line, whether it changed its file.
func (f *Finding) AddedBy(d *diffs.Diff) bool {
	file := changed(d, f.File)
	return file != nil && (f.Line == 0 || addedIn(file).touches(f.Line, f.Line+strings.Count(f.Quote, "\n")))
}
