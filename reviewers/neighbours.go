package reviewers

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
	// linter's thousands for one line with each other takes for ever.
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
