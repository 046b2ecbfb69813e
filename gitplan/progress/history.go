package progress

import (
	"maps"
	"slices"

	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
)

// history is what the commits of a branch say. They are replayed, oldest first: each does steps or takes them back.
type history struct {
	plan       string
	commits    []git.Commit    // of the branch, newest first and each before its parents
	index      map[string]int  // of a commit among them
	start      map[string]bool // parents of commits that are not among them
	statements []statement     // by each commit
	number     map[string]int  // of a step of the plan
	none       []int32         // the state before any commit
	states     [][]int32       // after each commit, by number: i+1 if commit i did the step, -i-1 if that was taken back, 0 before
	effects    []map[string]effect
	done       map[string]string
	reverted   map[string]string // step -> the commit that did it last, if it was reverted

	named     map[string][]string        // the commit of a done event -> its steps
	rewritten map[string]map[string]bool // what a commit does because of those that it replaced
	lookup    func(string) (git.Commit, bool)
	lookups   int
	elsewhere map[string]map[string]effect // what commits say that are none of these
	bySubject map[string][]int             // indexes
	byKey     map[string][]int
}

// effect is what a commit does to a step: it gives or takes it, or that is unclear, and then the step is not done.
type effect int

const takes, unclear, gives effect = -1, 0, 1

// maxLookups bounds how many commits that are not on the branch are read.
const maxLookups = 5_000

// readHistory reads the commits of a branch, newest first, each before its parents; lookup reads any other commit.
func readHistory(p *plan.Plan, events []journal.Event, commits []git.Commit, lookup func(string) (git.Commit, bool)) *history {
	h := &history{plan: p.ID, commits: commits, lookup: lookup, index: make(map[string]int, len(commits)), start: map[string]bool{},
		number: map[string]int{}, states: make([][]int32, len(commits)), effects: make([]map[string]effect, len(commits)), statements: make([]statement, 0, len(commits)), done: map[string]string{}, reverted: map[string]string{},
		named: map[string][]string{}, rewritten: map[string]map[string]bool{}, elsewhere: map[string]map[string]effect{},
		bySubject: map[string][]int{}, byKey: map[string][]int{}}
	for _, s := range p.Steps {
		h.number[s.ID] = len(h.none)
		h.none = append(h.none, 0)
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

// statementOf returns what a commit says about steps: what events recorded of those it replaced, else its message.
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

// replay derives the state of each step after each commit: the newest effect counts.
func (h *history) replay() {
	tip := ""
	for at := len(h.commits) - 1; at >= 0; at-- {
		state, effects := h.inherited(at), h.says(h.statements[at], at)
		if len(effects) > 0 {
			state = slices.Clone(state)
		}
		for step, e := range effects {
			n, known := h.number[step]
			if !known {
				delete(effects, step)
				continue
			}
			was := state[n]
			switch {
			case e != gives:
				state[n] = min(was, -was)
			case was == 0 || slices.Contains(h.statements[at].steps, step):
				state[n] = int32(at + 1)
			default:
				state[n] = max(was, -was)
			}
			if state[n] == was && e != unclear {
				delete(effects, step) // it was so before
			}
		}
		h.states[at], h.effects[at], tip = state, effects, h.commits[at].OID
	}
	for step, n := range h.number {
		if did := h.stateOf(tip)[n]; did > 0 {
			h.done[step] = h.commits[did-1].OID
		} else if did < 0 {
			h.reverted[step] = h.commits[-did-1].OID
		}
	}
}

func (h *history) stateOf(oid string) []int32 {
	if i, here := h.index[oid]; here && h.states[i] != nil {
		return h.states[i]
	}
	return h.none
}

// inherited returns the state before a commit. Of a merge it is what git makes of its parents': of two that differ,
// the one that differs from their base as well.
func (h *history) inherited(at int) []int32 {
	out := h.none
	for k, p := range h.commits[at].Parents {
		if k == 0 {
			out = h.stateOf(p)
			continue
		}
		var based []bool
		out = slices.Clone(out)
		for n, b := range h.stateOf(p) {
			a := out[n]
			wins := a == 0 || max(b, -b) < max(a, -a) // the newer
			if a != 0 && b != 0 && a > 0 != (b > 0) {
				if based == nil {
					based = h.based(h.commits[at].Parents[:k], p)
				}
				wins = based[n] == (a > 0)
			}
			if wins && b != 0 {
				out[n] = b
			}
		}
	}
	return out
}

// based returns the steps, by number, that were done in any merge base of some commits and another.
func (h *history) based(some []string, other string) []bool {
	const here, there, both, older = 1, 2, 3, 4
	out, from := make([]bool, len(h.none)), make([]uint8, len(h.commits))
	mark := func(as uint8, oids ...string) {
		for _, oid := range oids {
			if i, known := h.index[oid]; known {
				from[i] |= as
			}
		}
	}
	mark(here, some...)
	mark(there, other)
	for i, c := range h.commits {
		if from[i] == both {
			from[i] |= older
			for n, did := range h.states[i] {
				out[n] = out[n] || did > 0
			}
		}
		mark(from[i], c.Parents...)
	}
	return out
}

// says returns what a commit does by its own word. The order is unknown in a squash that says two things of a step,
// and in one that reverts what git forgot.
func (h *history) says(s statement, at int) map[string]effect {
	out := map[string]effect{}
	for _, r := range s.reverts {
		c, ok := h.commit(r.oid)
		if !ok {
			for _, i := range next(h.bySubject[s.reverted()], at) {
				out = together(out, h.effects[i], -1)
			}
			out[""] = unclear
			continue
		}
		out = together(out, h.did(c, r.onto, at), -1)
	}
	_, forgot := out[""]
	for _, step := range s.steps {
		if e, said := out[step]; forgot || said && e != gives {
			out[step] = unclear
		} else {
			out[step] = gives
		}
	}
	for step, given := range s.recorded {
		out[step] = map[bool]effect{true: gives, false: takes}[given]
	}
	return out
}

// together adds effects to others, or what takes them back.
func together(out, more map[string]effect, sign effect) map[string]effect {
	for step, e := range more {
		if was, said := out[step]; said && was != e*sign {
			e = unclear
		}
		out[step] = e * sign
	}
	return out
}

// did returns what a commit did that one of the branch reverts, by the state before and after it. One that was
// rebased away is read by its copy on the branch, else by its message; a merge then by what it brought.
func (h *history) did(c git.Commit, onto string, at int) map[string]effect {
	if len(c.Parents) < 2 {
		return h.didOne(c, at)
	}
	if !slices.Contains(c.Parents, onto) {
		onto = c.Parents[0]
	}
	out := map[string]effect{}
	i, here := h.index[c.OID]
	if !here || i <= at {
		before := map[string]bool{}
		h.walk(onto, before)
		for _, b := range h.walk(c.OID, before) {
			out = together(out, h.didOne(b, at), 1)
		}
		return out
	}
	before, after := h.stateOf(onto), h.states[i]
	for step, n := range h.number {
		switch was, is := before[n], after[n]; {
		case was > 0 && is <= 0:
			out[step] = takes
		case is > 0 && (was <= 0 || was != is && h.inherited(int(is - 1))[n] > 0): // or a second try
			out[step] = gives
		}
	}
	return out
}

func (h *history) didOne(c git.Commit, at int) map[string]effect {
	if i, here := h.index[c.OID]; here && i > at {
		return h.effects[i]
	}
	s := h.statementOf(c)
	if same := next(h.byKey[s.key()], at); len(same) > 0 {
		return h.effects[same[0]]
	}
	if _, known := h.elsewhere[c.OID]; !known {
		h.elsewhere[c.OID] = nil // it may name itself
		h.elsewhere[c.OID] = h.says(s, at)
	}
	return h.elsewhere[c.OID]
}

// next returns the first of some indexes after another, if there is one.
func next(indexes []int, at int) []int {
	n, _ := slices.BinarySearch(indexes, at+1)
	return indexes[n:min(n+1, len(indexes))]
}

// commit returns a commit of the branch, or another that git still has.
func (h *history) commit(name string) (git.Commit, bool) {
	if i, here := h.index[name]; here {
		return h.commits[i], true
	}
	if h.lookups++; h.lookup == nil || h.lookups > maxLookups {
		return git.Commit{}, false
	}
	c, ok := h.lookup(name)
	if i, here := h.index[c.OID]; ok && here { // name is abbreviated
		return h.commits[i], true
	}
	return c, ok
}

// walk returns a commit and its ancestors since the plan's start, except those that were seen.
func (h *history) walk(from string, seen map[string]bool) (out []git.Commit) {
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

// after reports whether a commit of the branch is neither another commit nor an ancestor of it. Commits precede
// their parents, so commits behind it in the list cannot lead to it.
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
