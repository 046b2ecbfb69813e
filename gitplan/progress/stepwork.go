package progress

import (
	"maps"
	"slices"

	"github.com/git-plan/git-plan/gitplan/git"
)

// workOn returns what a commit did to files for one of the steps that it gives. A squashed
// commit holds other work, too; which file belongs to which step is known as long as the
// commits of done events can be read.
func (h *history) workOn(step, giver int) []change {
	all := h.work.of[giver]
	if len(all) < 2 || slices.Contains(h.named[h.commits[giver].OID], h.ids[step]) {
		return all
	}
	files := h.filesOf(step)
	own := slices.DeleteFunc(slices.Clone(all), func(ch change) bool { return !files[ch.path] })
	if len(own) == 0 {
		return all
	}
	return own
}

// filesOf returns the files that the commits of a step's done events changed.
func (h *history) filesOf(step int) map[string]bool {
	if files, known := h.work.files[step]; known {
		return files
	}
	files := map[string]bool{}
	for _, oid := range h.doneBy[h.ids[step]] {
		if c, ok := h.commit(oid); ok && len(c.Parents) < 2 {
			changes, _ := h.changes(c)
			for _, ch := range changes {
				files[ch.path] = true
			}
		}
	}
	h.work.files[step] = files
	return files
}

// leaveAsItWas removes from what a commit did the steps that were given before, if the
// commit only brought them back by reverting a revert, or is a squash that names them
// without any of their work.
func (h *history) leaveAsItWas(did map[string]bool, says effect, c git.Commit, at int) {
	again := map[string]int{}
	for step, given := range did {
		if giver := h.strands.steps(at).of(h.steps[step]); given && giver > 0 && !says[step].named {
			delete(did, step)
		} else if given && giver > 0 {
			again[step] = giver - 1
		}
	}
	h.leaveUntouched(did, c, again)
}

// leaveUntouched removes the steps that a squash names without changing a file of them.
// givers are the commits that gave them before; -1 if that is not known.
func (h *history) leaveUntouched(did map[string]bool, c git.Commit, givers map[string]int) {
	if len(givers) == 0 || h.trees == nil || len(c.Parents) != 1 || !isSquash(c.Message) {
		return
	}
	from, ok := h.treeOf(c.Parents[0])
	h.learn()
	for step, giver := range givers {
		if ok && h.untouched(from, c.Tree, h.steps[step], giver) {
			delete(did, step)
		}
	}
}

// untouched reports whether two trees have the same files of a step.
func (h *history) untouched(from, to string, step, giver int) bool {
	files := maps.Clone(h.filesOf(step))
	if giver >= 0 {
		if len(h.work.of[giver]) == 0 {
			return false
		}
		for _, ch := range h.workOn(step, giver) {
			files[ch.path] = true
		}
	}
	for path := range files {
		was, ok1 := h.trees.at(from, path)
		is, ok2 := h.trees.at(to, path)
		if !ok1 || !ok2 || was != is {
			return false
		}
	}
	return len(files) > 0
}

// changes returns what a commit did to files, against its first parent.
func (h *history) changes(c git.Commit) (changes []change, ok bool) {
	from := ""
	if len(c.Parents) > 0 {
		if from, ok = h.treeOf(c.Parents[0]); !ok {
			return nil, false
		}
	}
	ok = h.trees.changes(from, c.Tree, "", &changes)
	return changes, ok
}

func (h *history) treeOf(oid string) (string, bool) {
	c, ok := h.commit(oid)
	return c.Tree, ok && c.Tree != ""
}

func (h *history) commit(oid string) (git.Commit, bool) {
	if i, here := h.place[oid]; here {
		return h.commits[i], true
	}
	return h.lookup(oid)
}
