package finding

import (
	"cmp"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/git/diffs"
)

// Code is the code that findings are about: what a change did, and the files as it left
// them.
type Code struct {
	Diff *diffs.Diff
	// File reads an ordinary file of the new side; false if there is none.
	File func(path string) ([]byte, bool)
}

// Anchor gives findings what the program must know of them and a model cannot be trusted
// with: their lines, their identity, and a digest of the code around each.
func (c Code) Anchor(all []Finding) {
	c.eachPlaced(all, func(i int, file *placed) { file.anchor(&all[i]) })
}

// Now returns an earlier finding with the line at which its code is; 0: nowhere.
func (c Code) Now(f Finding) Finding {
	f.Line = 0
	one := []Finding{f}
	c.Anchor(one)
	return one[0]
}

// OfChange returns those findings of a linter that are about the change, each with the line
// that it names as its quote: the rest was there before.
func (c Code) OfChange(all []Finding) []Finding {
	about := make([]bool, len(all))
	c.eachPlaced(all, func(i int, file *placed) { about[i] = file == nil || file.place(&all[i]) })
	var out []Finding
	for i, f := range all {
		if about[i] {
			out = append(out, f)
		}
	}
	return out
}

// eachPlaced calls do for the findings, file by file, so that each file is read once and
// only one is kept in memory. A finding without a file comes without one.
func (c Code) eachPlaced(all []Finding, do func(i int, file *placed)) {
	order := make([]int, len(all))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(all[a].File, all[b].File) })
	var file *placed
	for at, i := range order {
		if path := all[i].File; path != "" && (at == 0 || path != all[order[at-1]].File) {
			file = c.placed(path)
		}
		do(i, file)
	}
}

func (c Code) placed(path string) *placed {
	p := &placed{diff: changed(c.Diff, path), quotes: map[int]string{}, digests: map[int]string{}}
	if p.data, p.there = c.File(path); p.there {
		p.lines = strings.Split(string(p.data), "\n")
	}
	p.added = addedIn(p.diff)
	return p
}
