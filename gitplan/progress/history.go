package progress

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
)

// history is the effect of a branch's commits on the steps of a plan.
type history struct {
	plan       string
	steps      map[string]bool   // the IDs of the plan's steps
	commits    []git.Commit      // the commits of the branch, newest first and each before its parents
	index      map[string]int    // object ID -> index in commits
	start      map[string]bool   // the commits before the branch: parents that commits lacks
	statements []statement       // parallel to commits
	dead       []bool            // parallel to commits: reverted by a commit that is not reverted itself
	done       map[string]string // step -> the commit that completes it
	reverted   map[string]string // step -> the last commit that completed it and was reverted

	named         map[string][]string             // commit -> the steps of its done events
	rewritten     map[string]map[string]bool      // commit -> the effects of the commits that it replaced
	lookup        func(string) (git.Commit, bool) // reads a commit outside of the branch
	lookups       int                             // the number of calls of lookup, at most 5,000
	walked        int                             // the number of visited commits below reverted merges, at most a million
	cachedEffects map[string]map[string]effect    // commit -> the result of effects
	bySubject     map[string][]int                // subject -> indexes in commits
	byKey         map[string][]int                // statement.key -> indexes in commits
}

// effect is what a commit does to a step: it completes or reverts it. If that is unclear, the step is not done.
type effect int

const reverts, unclear, completes effect = -1, 0, 1

// readHistory interprets the commits of a branch, newest first, each before its parents; lookup reads any other commit.
func readHistory(p *plan.Plan, events []journal.Event, commits []git.Commit, lookup func(string) (git.Commit, bool)) *history {
	h := &history{plan: p.ID, commits: commits, lookup: lookup, steps: map[string]bool{},
		index: make(map[string]int, len(commits)), start: map[string]bool{},
		dead: make([]bool, len(commits)), statements: make([]statement, 0, len(commits)), done: map[string]string{},
		reverted: map[string]string{},
		named:    map[string][]string{}, rewritten: map[string]map[string]bool{}, cachedEffects: map[string]map[string]effect{},
		bySubject: map[string][]int{}, byKey: map[string][]int{}}
	for _, s := range p.Steps {
		h.steps[s.ID] = true
	}
	for _, e := range events {
		if e.Kind == journal.Done && e.Head != journal.None {
			h.named[e.Head] = append(h.named[e.Head], e.Steps...)
		}
		for _, r := range e.Rewrites {
			if h.rewritten[r.New] == nil {
				h.rewritten[r.New] = map[string]bool{}
			}
			maps.Copy(h.rewritten[r.New], r.Did)
		}
	}
	for i, c := range commits {
		h.index[c.OID] = i
	}
	for i, c := range commits {
		for _, p := range c.Parents {
			if _, here := h.index[p]; !here {
				h.start[p] = true
			}
		}
		s := h.statementOf(c)
		if len(s.steps)+len(s.reverts) > 0 {
			h.bySubject[s.subject] = append(h.bySubject[s.subject], i)
			h.byKey[s.key()] = append(h.byKey[s.key()], i)
		}
		h.statements = append(h.statements, s)
	}
	h.replay()
	return h
}

// statementOf returns what a commit says about steps, in its message, unless events recorded what it replaced.
func (h *history) statementOf(c git.Commit) statement {
	s := readMessage(c, h.plan)
	recorded := h.rewritten[c.OID]
	s.steps = slices.DeleteFunc(append(s.steps, h.named[c.OID]...), func(step string) bool {
		_, known := recorded[step]
		return known
	})
	for _, step := range slices.Sorted(maps.Keys(recorded)) {
		if recorded[step] {
			s.steps = append(s.steps, step)
		}
	}
	s.recorded = recorded
	return s
}

// replay sets done and reverted. It goes from the newest commit to the oldest, so that the reverts of a commit come
// before it. The newest commit about a step decides, within its line of the branch: a revert undoes what was done
// earlier, and a reverted revert completes a step again if a commit that completed it is not reverted itself.
func (h *history) replay() {
	const most = 20 // the number of reverts of one step that are compared with commits of other lines
	revertedBy, restoredBy := map[string][]string{}, map[string]string{}
	for at, s := range h.statements {
		oid, effects := h.commits[at].OID, map[string]effect{}
		if !h.dead[at] {
			effects = h.markReverted(s, at)
		}
		_, unknown := effects[""]
		for _, step := range s.steps {
			_, both := effects[step]
			switch {
			case !h.steps[step] || h.done[step] != "":
			case h.dead[at] || slices.ContainsFunc(revertedBy[step], func(by string) bool { return !h.after(oid, by) }):
				h.reverted[step] = cmp.Or(h.reverted[step], oid)
			case both || unknown:
				h.reverted[step], revertedBy[step] = cmp.Or(h.reverted[step], oid), append(revertedBy[step], oid)
			default:
				h.done[step] = oid
			}
		}
		for step, e := range effects {
			switch {
			case !h.steps[step] || h.done[step]+restoredBy[step] != "" || len(revertedBy[step]) > most:
			case e == completes && revertedBy[step] == nil:
				restoredBy[step] = oid
			case e == reverts:
				revertedBy[step] = append(revertedBy[step], oid)
			}
		}
	}
	for step, oid := range restoredBy {
		if h.done[step]+h.reverted[step] == "" { // no commit of the branch names it
			h.done[step] = oid
		}
	}
}

// markReverted marks the commits that the commit at an index reverts as dead, and returns the effects of its reverts on
// steps. The key "" stands for a reverted commit that git no longer has.
func (h *history) markReverted(s statement, at int) map[string]effect {
	effects := map[string]effect{}
	for _, r := range s.reverts {
		c, ok := h.commit(r.oid)
		switch {
		case !ok || h.walked > 1_000_000:
			subject := strings.TrimSuffix(strings.TrimPrefix(s.subject, `Revert "`), `"`)
			if again, ok := strings.CutPrefix(s.subject, `Reapply "`); ok {
				subject = `Revert "` + again
			}
			for _, i := range firstAfter(h.bySubject[subject], at) {
				h.dead[i] = true
				addReverted(effects, h.effects(h.commits[i]))
			}
			effects[""] = unclear
		case len(c.Parents) < 2:
			h.markDead(c, at)
			addReverted(effects, h.effects(c))
		default:
			before, onto := map[string]bool{}, r.onto
			if !slices.Contains(c.Parents, onto) {
				onto = c.Parents[0]
			}
			h.ancestors(onto, before)
			for _, b := range h.ancestors(c.OID, before) {
				if !h.markDead(b, at) {
					addReverted(effects, h.effects(b))
				}
			}
			h.walked += len(before)
		}
	}
	for step, given := range s.recorded {
		if !given {
			effects[step] = reverts
		}
	}
	return effects
}

// markDead marks a reverted commit as dead, or its copy after a rebase; false if the branch has neither.
func (h *history) markDead(c git.Commit, at int) bool {
	i, here := h.index[c.OID]
	if !here || i <= at {
		copies := firstAfter(h.byKey[h.statementOf(c).key()], at)
		if len(copies) == 0 {
			return false
		}
		i = copies[0]
	}
	h.dead[i] = true
	return true
}

// effects returns what a commit does to steps by its own message. It is unclear for a squash that both completes and
// reverts a step, or reverts a commit that git no longer has, since the order is unknown.
func (h *history) effects(c git.Commit) map[string]effect {
	if out, known := h.cachedEffects[c.OID]; known {
		return out
	}
	h.cachedEffects[c.OID] = nil // ends the recursion if the message names the commit itself
	out, s := map[string]effect{}, h.statementOf(c)
	for _, r := range s.reverts {
		if reverted, ok := h.commit(r.oid); ok && len(reverted.Parents) < 2 {
			addReverted(out, h.effects(reverted))
		} else {
			out[""] = unclear
		}
	}
	_, unknown := out[""]
	for _, step := range s.steps {
		if e, known := out[step]; unknown || known && e != completes {
			out[step] = unclear
		} else {
			out[step] = completes
		}
	}
	for step, given := range s.recorded {
		out[step] = map[bool]effect{true: completes, false: reverts}[given]
	}
	h.cachedEffects[c.OID] = out
	return out
}

// addReverted adds the opposite effects of a reverted commit to the effects of others.
func addReverted(out, reverted map[string]effect) {
	for step, e := range reverted {
		if was, known := out[step]; known && was != -e {
			e = unclear
		}
		out[step] = -e
	}
}

// firstAfter returns the first of some sorted indexes that is greater than at, or none.
func firstAfter(indexes []int, at int) []int {
	n, _ := slices.BinarySearch(indexes, at+1)
	return indexes[n:min(n+1, len(indexes))]
}

// commit returns a commit of the branch, or another commit that git still has. The name may be abbreviated.
func (h *history) commit(name string) (git.Commit, bool) {
	if i, here := h.index[name]; here {
		return h.commits[i], true
	}
	if h.lookups++; h.lookup == nil || h.lookups > 5_000 {
		return git.Commit{}, false
	}
	c, ok := h.lookup(name)
	if i, here := h.index[c.OID]; ok && here {
		return h.commits[i], true
	}
	return c, ok
}

// ancestors returns a commit and its ancestors since the plan's start, without commits in seen, to which it adds them.
func (h *history) ancestors(from string, seen map[string]bool) (out []git.Commit) {
	for todo := []string{from}; len(todo) > 0; {
		oid := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if seen[oid] || h.start[oid] {
			continue
		}
		seen[oid] = true
		if c, ok := h.commit(oid); ok {
			out, todo = append(out, c), append(todo, c.Parents...)
		}
	}
	return out
}

// after reports whether a commit of the branch is neither other nor an ancestor of other. The list has commits before
// their parents, so commits after it in the list cannot be its descendants.
func (h *history) after(commit, other string) bool {
	seen := map[string]bool{}
	for todo := []string{other}; len(todo) > 0; {
		oid := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if oid == commit {
			return false
		}
		if i, here := h.index[oid]; here && i < h.index[commit] && !seen[oid] {
			seen[oid] = true
			todo = append(todo, h.commits[i].Parents...)
		}
	}
	return true
}
