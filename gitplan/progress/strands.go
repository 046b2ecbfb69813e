package progress

import "slices"

// strands are the lines of history along which steps came and went. A commit that changed
// none shares the point of its parent, so what a merge does to steps is decided among few
// points, however long the history is.
type strands []point

// point is a place in history where the steps differ from those directly before.
type point struct {
	parents []int // points; those before a point have lower numbers
	steps   givers
}

// root is the point of everything that is not among the commits: no step was begun there.
const root = 0

func newStrands() strands { return strands{{}} }

// after returns the point that follows another, and at which some steps changed.
func (l *strands) after(at int, changed map[int]int) int {
	if len(changed) == 0 {
		return at
	}
	return l.add(l.steps(at).with(changed), at)
}

func (l *strands) add(steps givers, parents ...int) int {
	*l = append(*l, point{parents, steps})
	return len(*l) - 1
}

func (l strands) steps(at int) givers { return l[at].steps }

// merge returns the point at which two lines join.
func (l *strands) merge(a, b int) int {
	bases := l.bases(a, b)
	switch {
	case slices.Contains(bases, a):
		return b
	case slices.Contains(bases, b):
		return a
	}
	return l.add(l.merged(a, b, bases), a, b)
}

// merged returns the steps that git's merge of two points leaves. As with a file that exists
// or does not, the side that changed a step since the merge base decides.
func (l strands) merged(a, b int, bases []int) givers {
	changed := map[int]int{}
	l.steps(a).differing(l.steps(b), func(step, ours, theirs int) {
		switch had, known := l.had(bases, step, 0); {
		case gives(ours) == gives(theirs): // ours names the commit, if it can
			if ours == 0 {
				changed[step] = theirs
			}
		case !known && gives(ours), known && gives(ours) == had:
			changed[step] = theirs
		}
	})
	return l.steps(a).with(changed)
}

// had reports whether a step was given at the merge base. If there are several bases, as with
// lines that were merged into each other, git merges those first, and so does this.
func (l strands) had(bases []int, step, depth int) (had, known bool) {
	if len(bases) == 0 {
		return false, true
	}
	had = gives(l.steps(bases[0]).of(step))
	for _, next := range bases[1:] {
		if gives(l.steps(next).of(step)) == had {
			continue
		}
		if depth > 16 {
			return false, false
		}
		before, known := l.had(l.bases(bases[0], next), step, depth+1)
		if !known {
			return false, false
		}
		had = !before
	}
	return had, true
}

// bases returns the best common ancestors of two points, which may be one of them. As in git,
// both sides are painted, the highest number first, until only points below a base are
// left.
func (l strands) bases(a, b int) (bases []int) {
	const ofA, ofB, below = 1, 2, 4
	switch {
	case a == b:
		return []int{a}
	case a == root || b == root:
		return []int{root}
	}
	paint, open := make([]uint8, max(a, b)+1), 2 // points that are painted, but not yet as below a base
	paint[a], paint[b] = ofA, ofB
	for at := max(a, b); open > 0; at-- {
		colour := paint[at]
		if colour != 0 && colour < below {
			open--
		}
		if colour == ofA|ofB {
			bases, colour = append(bases, at), colour|below
		}
		for _, p := range l[at].parents {
			was := paint[p]
			paint[p] |= colour
			switch wasOpen, isOpen := was != 0 && was < below, paint[p] != 0 && paint[p] < below; {
			case isOpen && !wasOpen:
				open++
			case wasOpen && !isOpen:
				open--
			}
		}
	}
	return bases
}

// givers holds for each step the commit that gives it, counted from 1; negative if that
// was taken back; 0 if none ever gave it. Givers never change: they share blocks with those
// that they were made from.
type givers []*[blockSize]int32

const blockSize = 64

func gives(giver int) bool { return giver > 0 }

func (g givers) of(step int) int {
	if at := step / blockSize; at < len(g) && g[at] != nil {
		return int(g[at][step%blockSize])
	}
	return 0
}

// any reports whether some step is given.
func (g givers) any() bool {
	return slices.ContainsFunc(g, func(b *[blockSize]int32) bool {
		return b != nil && slices.ContainsFunc(b[:], func(giver int32) bool { return giver > 0 })
	})
}

// with returns g with some steps replaced.
func (g givers) with(changed map[int]int) givers {
	if len(changed) == 0 {
		return g
	}
	out, own := slices.Clone(g), map[int]bool{}
	for step, giver := range changed {
		at := step / blockSize
		for len(out) <= at {
			out = append(out, nil)
		}
		if !own[at] {
			block := [blockSize]int32{}
			if out[at] != nil {
				block = *out[at]
			}
			out[at], own[at] = &block, true
		}
		out[at][step%blockSize] = int32(giver)
	}
	return out
}

// differing calls back for each step on which g and another differ.
func (g givers) differing(other givers, each func(step, ours, theirs int)) {
	for at := range max(len(g), len(other)) {
		if at < len(g) && at < len(other) && g[at] == other[at] {
			continue
		}
		for step := at * blockSize; step < (at+1)*blockSize; step++ {
			if ours, theirs := g.of(step), other.of(step); ours != theirs {
				each(step, ours, theirs)
			}
		}
	}
}
