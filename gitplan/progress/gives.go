package progress

import (
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/git"
)

// says returns what a commit does to steps: it gives those that its message names, and takes back
// what the commits gave that it reverts. at is the commit's place among the commits, or their number
// if it is not one of them.
func (h *history) says(c git.Commit, at int) effect {
	out := effect{}
	for _, step := range h.named[c.OID] {
		out.say(step, true, true)
	}
	all := sayings(c.Message)
	did := make([]effect, len(all))
	for i, s := range all {
		did[i] = effect{}
		for _, w := range s.words {
			if _, known := h.steps[w.step]; known && w.plan == h.plan {
				did[i].say(w.step, true, true)
				out.say(w.step, true, true)
			}
			if w.reverts == "" {
				continue
			}
			for step, given := range h.reverted(w, s, all[:i], did, at) {
				if t, said := out[step]; !said || t.last == given { // otherwise it is so already
					did[i].say(step, !given, false)
					out.say(step, !given, false)
				}
			}
		}
	}
	h.askSquashed(out, all, c)
	// A message may have been typed by hand; which commits this one replaced is known.
	for step, given := range Fold(h.rewritten[c.OID]) {
		out[step] = turn{given, given, true}
	}
	return out
}

// reverted returns what the commit did that a statement reverts. It looks for the commit by
// name, even if it is no longer on the branch, and then by subject, since a rebase renames
// commits but not what messages say about them: first among those squashed together with the
// revert, then among those below it.
func (h *history) reverted(w statement, s said, before []said, did []effect, at int) map[string]bool {
	if i, ok := h.find(w.reverts); ok {
		return h.did(i, w.onto)
	}
	for i, b := range slices.Backward(before) {
		if first := i; b.isOf(w.reverts) { // all of it, if it was a squash itself
			for first > 0 && before[first-1].isOf(w.reverts) {
				first--
			}
			return joint(did[first : i+1]).did()
		}
	}
	if e, ok := h.didGone(w.reverts, w.onto, at); ok {
		if within, ok := h.gone[w.reverts].among(before, did); ok {
			return within
		}
		return e
	}
	subject := s.subject
	if s, ok := strings.CutPrefix(subject, `Reapply "`); ok {
		subject = `Revert "Revert "` + s + `"`
	}
	subject = strings.TrimSuffix(strings.TrimPrefix(subject, `Revert "`), `"`)
	for i, b := range slices.Backward(before) {
		if b.subject == subject {
			return did[i].did()
		}
	}
	if i, ok := h.called(subject, at); ok {
		return h.did(i, "")
	}
	return nil
}

// askSquashed corrects the list in a squash's message by means of the squashed commit, if this clone
// has it: the list does not say which of its commits lay on which line.
func (h *history) askSquashed(out effect, all []said, c git.Commit) {
	if len(all) == 0 || len(c.Parents) != 1 || slices.ContainsFunc(all, func(s said) bool { return len(s.oids) == 0 }) {
		return
	}
	tip, ok := h.place[newestListed(c.Message)]
	if !ok && h.trees != nil && strings.Contains(c.Message, "\nMerge: ") { // which may have dropped some
		var gone git.Commit
		if gone, ok = h.lookup(newestListed(c.Message)); ok {
			tip = h.graft(gone)
		}
	}
	if !ok {
		return
	}
	ours, theirs := h.pointOf(c.Parents[0]), h.point(tip)
	bases := h.strands.bases(ours, theirs)
	if slices.Contains(bases, theirs) {
		return // a copy of that squash, made by a pick
	}
	before, merged := h.strands.steps(ours), h.strands.merged(ours, theirs, bases)
	for step, t := range out {
		had, given := gives(before.of(h.steps[step])), gives(merged.of(h.steps[step]))
		if out[step] = (turn{given, given, t.named}); had == given && !(t.first && t.last) {
			delete(out, step)
		}
	}
	before.differing(merged, func(step, had, given int) { // by merges, which say nothing
		if id := h.ids[step]; gives(had) && !gives(given) {
			out[id] = turn{}
		}
	})
}

// goneCommit is a commit that is not on the branch.
type goneCommit struct {
	found bool
	place int // of a merge, or of the branch's copy; -1 without one
	did   map[string]bool
	said  []said
}

// among returns what the commit did if a rebase squashed it together with others: read after
// theirs, it may say something else than when it is read alone.
func (g *goneCommit) among(all []said, did []effect) (map[string]bool, bool) {
	same := func(a, b said) bool { return a.subject == b.subject && slices.Equal(a.words, b.words) }
	for i := len(all) - len(g.said); i >= 0 && len(g.said) > 0; i-- {
		if n := i + len(g.said); slices.EqualFunc(all[i:n], g.said, same) {
			return joint(did[i:n]).did(), true
		}
	}
	return nil, false
}

// maxGone bounds how many commits that are not on the branch are looked up.
const maxGone = 5_000

// didGone returns what a commit that is not on the branch did. If a rebase left a copy of it
// there, it is what the copy does; otherwise what its message says. A merge says nothing, so it
// is read with what it brought. ok is false if the commit cannot be found.
func (h *history) didGone(name, onto string, at int) (did map[string]bool, ok bool) {
	g := h.gone[name]
	if g == nil {
		g = &goneCommit{place: -1}
		h.gone[name] = g
		var c git.Commit
		if len(h.gone) < maxGone {
			c, g.found = h.lookup(name)
		}
		if g.found && len(c.Parents) > 1 {
			g.place = h.graft(c)
		} else if g.found {
			g.said = sayings(c.Message)
			if i, ok := h.copied(c.Message, at); ok {
				g.place = i
			} else {
				g.did = h.says(c, at).did()
				named := map[string]int{}
				for step, given := range g.did {
					if given {
						named[step] = -1
					}
				}
				h.leaveUntouched(g.did, c, named)
			}
		}
	}
	if g.place >= 0 {
		return h.did(g.place, onto), true
	}
	return g.did, g.found
}

// graft adds a commit that is not of the branch to those that are, with its ancestors as
// far as the branch, or as the commit where that began.
func (h *history) graft(c git.Commit) (place int) {
	place = len(h.commits)
	border := map[string]bool{}
	for _, c := range h.commits[:h.listed] {
		for _, p := range c.Parents {
			border[p] = true
		}
	}
	for todo := []git.Commit{c}; len(todo) > 0 && len(h.commits) < h.listed+maxGone; todo = todo[1:] {
		c := todo[0]
		if _, here := h.place[c.OID]; here {
			continue
		}
		h.place[c.OID] = len(h.commits)
		h.commits, h.points = append(h.commits, c), append(h.points, 0)
		for _, p := range c.Parents {
			if _, here := h.place[p]; !here && !border[p] {
				if parent, ok := h.lookup(p); ok {
					todo = append(todo, parent)
				}
			}
		}
	}
	return place
}
