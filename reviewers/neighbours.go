package reviewers

// neighbours are the findings, by their number, at each stretch of each file, so that
// what several reviewers say of one place is found without going through all there is.
type neighbours map[stretch][]int

type stretch struct {
	file, category string
	n              int
}

const (
	stretchLines = 16
	// Where one stretch has more findings than this the others stay by themselves:
	// to compare a linter's thousands of one line with each other takes for ever.
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

// find is the first finding that says the same as f of the same place and is of other
// reviewers; -1 where there is none.
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
