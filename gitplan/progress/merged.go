package progress

import (
	"maps"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/git"
)

// work is what the commits that gave steps did to files, to find merges that dropped it. No
// message says so: `git merge -s ours`, a conflict in which one side was taken as a
// whole, a result that was edited by hand.
type work struct {
	of      map[int][]change        // commit -> what it did to files
	by      map[string][]int        // path -> commits that changed it
	paths   []string                // in order
	learned int                     // how many of the commits that gave steps are among them
	files   map[int]map[string]bool // step -> the files of the commits that did it first
}

func newWork() work {
	return work{of: map[int][]change{}, by: map[string][]int{}, files: map[int]map[string]bool{}}
}

// dropped is a step with the commit that gave it.
type dropped struct{ step, giver int }

// merges reports whether a commit is a merge, or the copy of one, as git cherry-pick -m makes it.
func merges(c git.Commit) bool {
	return len(c.Parents) > 1 || len(c.Parents) == 1 && strings.HasPrefix(c.Message, "Merge ")
}

// corrected returns the steps that a merge left differently from what its lines of history say,
// because the files that their commits changed are those of a side without the step; or those of
// the side with it, if the other side's revert was not merged.
func (h *history) corrected(c git.Commit, at int) map[int]int {
	if h.trees == nil || !merges(c) {
		return nil
	}
	if len(c.Parents) == 1 {
		h.learnNamed()
	}
	if !h.learn() {
		return nil
	}
	sides, ok := h.sides(c)
	if !ok {
		return nil
	}
	commits := map[int]bool{}
	for _, s := range sides {
		// A step that is taken back may still be there: the merge need not have taken that over.
		h.strands.steps(at).differing(s.steps, func(_, is, had int) {
			if gives(had) && !gives(is) {
				commits[had-1] = true
			}
		})
		if len(sides) > 1 && !s.steps.any() {
			continue // nothing of it could be dropped
		}
		if !h.trees.differing(s.tree, c.Tree, h.work.paths, 0, func(path string) {
			for _, giver := range h.work.by[path] {
				commits[giver] = true
			}
		}) {
			return nil
		}
	}
	givenBy, out := map[int]int{}, map[int]int{}
	for _, giver := range slices.Sorted(maps.Keys(commits)) {
		for id := range h.said[giver] {
			step := h.steps[id]
			switch was := gives(h.strands.steps(at).of(step)); h.left(c.Tree, sides, step, giver) {
			case kept:
				givenBy[step] = giver + 1
			case gone:
				if was {
					out[step] = -(giver + 1)
					h.dropped[dropped{step, giver}] = c.OID
				}
			}
		}
	}
	if len(sides) == 1 {
		h.pickedWork(c, sides[0], commits, out)
	}
	for step, giver := range givenBy { // whatever became of another commit's work for it
		if delete(out, step); !gives(h.strands.steps(at).of(step)) {
			out[step] = giver
		}
	}
	return out
}

// sides returns the parents of a merge; ok is false if one cannot be read.
func (h *history) sides(c git.Commit) (all []side, ok bool) {
	for _, p := range c.Parents {
		tree, ok := h.treeOf(p)
		if !ok {
			return nil, false
		}
		all = append(all, side{tree, h.strands.steps(h.pointOf(p))})
	}
	return all, true
}

// side is a parent of a merge.
type side struct {
	tree  string
	steps givers
}

// remains is what a merge left of the work by which a commit gave a step.
type remains int

const (
	joined remains = iota // some of it, or what only a reader could judge
	kept
	gone
)

// left returns what a merge left of the work by which a commit gives a step to some of its
// sides.
func (h *history) left(tree string, sides []side, step, giver int) remains {
	lacking, all := false, map[remains]bool{}
	for _, ch := range h.workOn(step, giver) {
		var with, without []content
		for _, s := range sides {
			c, ok := h.trees.at(s.tree, ch.path)
			switch given := s.steps.of(step); {
			case !ok:
				return joined
			case given == giver+1:
				with = append(with, c)
			case !gives(given):
				without, lacking = append(without, c), true
			}
		}
		now, ok := h.trees.at(tree, ch.path)
		if !ok || len(with) == 0 {
			return joined
		}
		if had := with[0]; had == ch.before && ch.before != ch.after || slices.Contains(without, had) {
			continue // nothing that could be dropped
		}
		r := h.leftOf(ch, with, without, now)
		if r == gone && now == "" && h.movedTo(sides, tree, ch.path) {
			r = joined
		}
		all[r] = true
	}
	switch {
	case len(all) != 1 || all[joined] || all[kept] && !lacking:
		return joined
	case all[kept]:
		return kept
	}
	return gone
}

// leftOf judges one file by comparing the sides with and without the step.
func (h *history) leftOf(ch change, with, without []content, now content) remains {
	switch {
	case now == ch.after, slices.Contains(with, now):
		return kept
	case now == "", now == ch.before:
		return gone
	}
	other := slices.Contains(without, now)
	before, after, ok := h.trees.lines(ch.before), h.trees.lines(ch.after), true
	had, is := h.trees.lines(with[0]), h.trees.lines(now)
	if before == nil || after == nil || had == nil || is == nil {
		ok = false
	}
	mine, there := 0, 0
	for line := range after {
		if had[line] && !before[line] {
			mine++
			if is[line] {
				there++
			}
		}
	}
	switch {
	case !ok && other:
		return gone
	case !ok, mine > 0 && there == mine: // the side without the step has the same work, by another commit
		return joined
	case other:
		return gone
	case mine == 0 || there > 0:
		return joined
	}
	// Neither side's, and nothing of the step: unless a line was written that joins two.
	for _, side := range without {
		maps.Copy(before, h.trees.lines(side))
	}
	for line := range is {
		if !had[line] && !before[line] {
			return joined
		}
	}
	return gone
}

// movedTo reports whether a merge has a file under another name than the side that had it: a
// name under which no side has the same file.
func (h *history) movedTo(sides []side, to, path string) bool {
	for _, s := range sides {
		key := [2]string{s.tree, to}
		if _, asked := h.renames[key]; !asked {
			if len(h.renames) >= maxRenames {
				return true
			}
			h.renames[key] = h.trees.renames(s.tree, to)
		}
		name := h.renames[key][path]
		if is, ok := h.trees.at(to, name); name != "" && ok && !slices.ContainsFunc(sides, func(s side) bool {
			was, ok := h.trees.at(s.tree, name)
			return !ok || was == is
		}) {
			return true
		}
	}
	return false
}

// maxRenames bounds for how many merges git is asked for renames.
const maxRenames = 50

// pickedWork returns the steps that the copy of a merge brought: none of the work of a commit
// that did the step was there before, and now it is.
func (h *history) pickedWork(c git.Commit, from side, commits map[int]bool, out map[int]int) {
	for _, giver := range slices.Sorted(maps.Keys(commits)) {
		for id, given := range h.said[giver] {
			step := h.steps[id]
			work := h.workOn(step, giver)
			brought := given && len(work) > 0 && !gives(from.steps.of(step))
			for _, ch := range work {
				was, ok := h.trees.at(from.tree, ch.path)
				is, ok2 := h.trees.at(c.Tree, ch.path)
				brought = brought && ok && ok2 && was == ch.before && is == ch.after
			}
			if brought {
				out[step] = h.place[c.OID] + 1
			}
		}
	}
}

// learnNamed reads what commits outside the branch changed, if an event says that they did a step:
// a merge that they were part of may have been picked.
func (h *history) learnNamed() {
	for _, oid := range slices.Sorted(maps.Keys(h.named)) {
		if _, here := h.place[oid]; here || len(h.commits) > h.listed+maxGone {
			continue
		}
		if c, ok := h.lookup(oid); ok && len(c.Parents) < 2 {
			i := len(h.commits)
			h.place[c.OID], h.said[i] = i, map[string]bool{}
			h.commits, h.points, h.gave = append(h.commits, c), append(h.points, root+1), append(h.gave, i)
			for _, step := range h.named[oid] {
				h.said[i][step] = true
			}
		}
	}
}

// learn reads what the commits that gave steps did to files, unless it is known already.
func (h *history) learn() bool {
	for _, i := range h.gave[h.work.learned:] {
		h.work.learned++
		changes, ok := h.changes(h.commits[i])
		if !ok {
			continue
		}
		h.work.of[i] = changes
		for _, ch := range changes {
			if len(h.work.by[ch.path]) == 0 {
				at, _ := slices.BinarySearch(h.work.paths, ch.path)
				h.work.paths = slices.Insert(h.work.paths, at, ch.path)
			}
			h.work.by[ch.path] = append(h.work.by[ch.path], i)
		}
	}
	return len(h.work.of) > 0
}
