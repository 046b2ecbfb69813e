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

// history is what the commits of a branch say about the steps of a plan.
type history struct {
	plan       string
	steps      map[string]bool // of the plan
	commits    []git.Commit    // of the branch, newest first and each before its parents
	index      map[string]int  // of a commit among them
	start      map[string]bool // parents of commits that are not among them
	statements []statement     // by each commit
	dead       []bool          // a commit that stands reverts it
	done       map[string]string
	reverted   map[string]string // step -> the commit that did it last, if it was reverted

	named     map[string][]string        // the commit of a done event -> its steps
	rewritten map[string]map[string]bool // what a commit does because of those that it replaced
	lookup    func(string) (git.Commit, bool)
	lookups   int                          // commits that were looked up, of 5,000
	walked    int                          // commits below reverted merges, of a million
	said      map[string]map[string]effect // what commits do by their own word
	bySubject map[string][]int             // indexes
	byKey     map[string][]int
}

// effect is what a commit does to a step: it gives or takes it, or that is unclear, and then the step is not done.
type effect int

const takes, unclear, gives effect = -1, 0, 1

// readHistory reads the commits of a branch, newest first, each before its parents; lookup reads any other commit.
func readHistory(p *plan.Plan, events []journal.Event, commits []git.Commit, lookup func(string) (git.Commit, bool)) *history {
	h := &history{plan: p.ID, commits: commits, lookup: lookup, steps: map[string]bool{},
		index: make(map[string]int, len(commits)), start: map[string]bool{},
		dead: make([]bool, len(commits)), statements: make([]statement, 0, len(commits)), done: map[string]string{},
		reverted: map[string]string{},
		named:    map[string][]string{}, rewritten: map[string]map[string]bool{}, said: map[string]map[string]effect{},
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

// replay reads the commits, newest first, so that it is known of each whether one that stands reverts it. The newest
// word about a step counts, for its line of the branch: a revert takes what was done before it, and one that is reverted
// gives a step again if a commit that did it stands.
func (h *history) replay() {
	const most = 20 // reverts of a step that are told from commits of another line
	taken, again := map[string][]string{}, map[string]string{}
	for at, s := range h.statements {
		oid, words := h.commits[at].OID, map[string]effect{}
		if !h.dead[at] {
			words = h.markReverted(s, at)
		}
		_, forgot := words[""]
		for _, step := range s.steps {
			_, both := words[step]
			switch {
			case !h.steps[step] || h.done[step] != "":
			case h.dead[at] || slices.ContainsFunc(taken[step], func(by string) bool { return !h.after(oid, by) }):
				h.reverted[step] = cmp.Or(h.reverted[step], oid)
			case both || forgot:
				h.reverted[step], taken[step] = cmp.Or(h.reverted[step], oid), append(taken[step], oid)
			default:
				h.done[step] = oid
			}
		}
		for step, e := range words {
			switch {
			case !h.steps[step] || h.done[step]+again[step] != "" || len(taken[step]) > most:
			case e == gives && taken[step] == nil:
				again[step] = oid
			case e == takes:
				taken[step] = append(taken[step], oid)
			}
		}
	}
	for step, oid := range again {
		if h.done[step]+h.reverted[step] == "" { // no commit of the branch names it
			h.done[step] = oid
		}
	}
}

// markReverted marks the commits of the branch that one reverts as dead, and returns what it does to steps by reverting
// others; "" stands for one that git forgot.
func (h *history) markReverted(s statement, at int) map[string]effect {
	words := map[string]effect{}
	for _, r := range s.reverts {
		c, ok := h.commit(r.oid)
		switch {
		case !ok || h.walked > 1_000_000:
			subject := strings.TrimSuffix(strings.TrimPrefix(s.subject, `Revert "`), `"`)
			if again, ok := strings.CutPrefix(s.subject, `Reapply "`); ok {
				subject = `Revert "` + again
			}
			for _, i := range next(h.bySubject[subject], at) {
				h.dead[i] = true
				together(words, h.does(h.commits[i]))
			}
			words[""] = unclear
		case len(c.Parents) < 2:
			h.takeBack(c, at)
			together(words, h.does(c))
		default:
			before, onto := map[string]bool{}, r.onto
			if !slices.Contains(c.Parents, onto) {
				onto = c.Parents[0]
			}
			h.walk(onto, before)
			for _, b := range h.walk(c.OID, before) {
				if !h.takeBack(b, at) {
					together(words, h.does(b))
				}
			}
			h.walked += len(before)
		}
	}
	for step, given := range s.recorded {
		if !given {
			words[step] = takes
		}
	}
	return words
}

// takeBack marks a commit that one of the branch reverts as dead, or its copy after a rebase; false if there is none.
func (h *history) takeBack(c git.Commit, at int) bool {
	i, here := h.index[c.OID]
	if !here || i <= at {
		copies := next(h.byKey[h.statementOf(c).key()], at)
		if len(copies) == 0 {
			return false
		}
		i = copies[0]
	}
	h.dead[i] = true
	return true
}

// does returns what a commit does by its own word. The order is unknown in a squash that says two things of a step,
// and in one that reverts what git forgot.
func (h *history) does(c git.Commit) map[string]effect {
	if out, known := h.said[c.OID]; known {
		return out
	}
	h.said[c.OID] = nil // it may name itself
	out, s := map[string]effect{}, h.statementOf(c)
	for _, r := range s.reverts {
		if reverted, ok := h.commit(r.oid); ok && len(reverted.Parents) < 2 {
			together(out, h.does(reverted))
		} else {
			out[""] = unclear
		}
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
	h.said[c.OID] = out
	return out
}

// together adds the opposite of what a commit does to what others do.
func together(out, reverted map[string]effect) {
	for step, e := range reverted {
		if was, said := out[step]; said && was != -e {
			e = unclear
		}
		out[step] = -e
	}
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
	if h.lookups++; h.lookup == nil || h.lookups > 5_000 {
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
