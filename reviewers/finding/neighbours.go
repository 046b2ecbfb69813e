package finding

import (
	"slices"
	"strings"
)

// neighbours are the findings, by their index, at each stretch of each file, so that
// what several reviewers say of one place is found without going through all of them.
type neighbours map[stretch][]int

type stretch struct {
	file, category string
	n              int
}

const (
	stretchLines = 16
	// If one stretch has more findings than this, the rest are not merged: comparing a
	// linter's thousands for one line with each other takes forever.
	maxNeighbours = 64
)

func (f Finding) stretches(do func(stretch)) {
	if f.Line < 1 {
		return
	}
	for n := max(0, f.Line-nearby) / stretchLines; n <= (f.last()+nearby)/stretchLines; n++ {
		do(stretch{f.File, f.Category, n})
	}
}

func (near neighbours) add(i int, f Finding) {
	f.stretches(func(s stretch) {
		if len(near[s]) < maxNeighbours {
			near[s] = append(near[s], i)
		}
	})
}

// find returns the index of the first finding of other reviewers that says the same as f
// about the same place; -1 without one.
func (near neighbours) find(f Finding, all []Finding) int {
	first := -1
	f.stretches(func(s stretch) {
		for _, i := range near[s] {
			if (first < 0 || i < first) && !all[i].shares(f) && all[i].alike(f) {
				first = i
			}
		}
	})
	return first
}

// alike reports whether two findings say the same of the same place in other
// words: one category, quotes that touch or nearly do, and half of the words of
// their titles. It is decided by what both say, never by a model.
func (f Finding) alike(g Finding) bool {
	return f.File == g.File && f.Category == g.Category && f.Line > 0 && g.Line > 0 &&
		f.Line <= g.last()+nearby && g.Line <= f.last()+nearby && overlap(f.Title, g.Title) >= 0.5
}

// shares reports whether one reviewer says both: then they are two.
func (f Finding) shares(g Finding) bool {
	return slices.ContainsFunc(f.Reviewers, func(r string) bool { return slices.Contains(g.Reviewers, r) })
}

// overlap returns the share of common words among all words of two titles (Jaccard).
func overlap(a, b string) float64 {
	words := map[string]int{}
	for i, title := range []string{a, b} {
		for _, w := range strings.Split(Kebab(title), "-") {
			words[w] |= 1 << i
		}
	}
	common := 0
	for _, in := range words {
		if in == 3 {
			common++
		}
	}
	return float64(common) / float64(len(words))
}
