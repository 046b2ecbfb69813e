package progress

import (
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
)

// history is what the commits of a branch say about a plan's steps. Each commit is read once,
// after its parents and after the commits that it reverts, which may lie on another line.
type history struct {
	plan    string
	commits []git.Commit // newest first; after them those that were looked up
	listed  int          // how many are of the branch
	place   map[string]int
	steps   map[string]int // step -> its number
	ids     []string
	strands strands
	points  []int                   // of each commit, counted from 1; 0 if it was not read yet
	said    map[int]map[string]bool // what commits do themselves, as most say in their messages
	done    map[string]string
	taken   map[string]string // step -> the commit that did it last, if a later one takes it back

	named     map[string][]string          // commit of a done event -> its steps
	doneBy    map[string][]string          // step -> the commits of its done events
	rewritten map[string][]journal.Rewrite // what a commit does because of those that it replaced
	gave      []int                        // commits that gave steps, as they were read
	work      work                         // what those did to files
	dropped   map[dropped]string           // steps that merges dropped, by which
	renames   map[[2]string]map[string]string
	trees     *trees // nil if nobody can read them
	lookup    func(string) (git.Commit, bool)
	gone      map[string]*goneCommit // commits that are not of the branch, by the name in a message
	byName    []string               // the commits' names in order, for short ones
	bySubject map[string][]int
	byMessage map[string][]int
}

// readHistory reads the commits of a branch, newest first and each before its parents.
func readHistory(p *plan.Plan, events []journal.Event, commits []git.Commit, lookup func(string) (git.Commit, bool), trees *trees) *history {
	h := &history{plan: p.ID, trees: trees, work: newWork(),
		dropped: map[dropped]string{}, renames: map[[2]string]map[string]string{}, commits: slices.Clip(commits), listed: len(commits), lookup: lookup, strands: newStrands(),
		place: make(map[string]int, len(commits)), points: make([]int, len(commits)), steps: map[string]int{},
		said: map[int]map[string]bool{}, done: map[string]string{}, taken: map[string]string{},
		named: map[string][]string{}, doneBy: map[string][]string{}, rewritten: Rewrites(events), gone: map[string]*goneCommit{}}
	for _, s := range p.Steps {
		h.count(s.ID)
	}
	for _, e := range events {
		done := e.Kind == journal.Done && e.Head != journal.None
		if done {
			h.named[e.Head] = append(h.named[e.Head], e.Steps...)
		}
		for _, id := range e.Steps {
			if h.count(id); done {
				h.doneBy[id] = append(h.doneBy[id], e.Head)
			}
		}
	}
	for i, c := range commits {
		h.place[c.OID] = i
	}
	for i := range slices.Backward(commits) {
		h.point(i)
	}
	if len(commits) > 0 {
		for number, id := range h.ids {
			switch giver := h.strands.steps(h.point(0)).of(number); {
			case giver > 0:
				h.done[id] = commits[giver-1].OID
			case giver < 0:
				h.taken[id] = commits[-giver-1].OID
			}
		}
	}
	return h
}

func (h *history) count(step string) {
	if _, known := h.steps[step]; !known {
		h.steps[step] = len(h.ids)
		h.ids = append(h.ids, step)
	}
}

// point returns where a commit is among the lines of history.
func (h *history) point(i int) int {
	if h.points[i] > 0 {
		return h.points[i] - 1
	}
	h.points[i] = root + 1 // whoever forges messages that name each other gains nothing
	c := h.commits[i]
	at := h.before(c)
	says := h.says(c, i)
	did := says.did()
	h.leaveAsItWas(did, says, c, at)
	changed := h.corrected(c, at)
	if changed == nil {
		changed = map[int]int{}
	}
	gave := false
	for step, giver := range changed {
		if giver == i+1 { // a copy of a merge, whose message names nothing of what it brought
			did[h.ids[step]] = true
		}
	}
	for step, given := range did {
		number := h.steps[step]
		gave = gave || given
		if giver := h.strands.steps(at).of(number); given {
			changed[number] = i + 1
		} else if giver > 0 {
			changed[number] = -giver
		}
	}
	if len(did) > 0 {
		h.said[i] = did
	}
	if gave {
		h.gave = append(h.gave, i)
	}
	h.points[i] = h.strands.after(at, changed) + 1
	return h.points[i] - 1
}

// before returns where the parents of a commit join.
func (h *history) before(c git.Commit) int {
	if len(c.Parents) == 0 {
		return root
	}
	at := h.pointOf(c.Parents[0])
	for _, p := range c.Parents[1:] {
		at = h.strands.merge(at, h.pointOf(p))
	}
	return at
}

func (h *history) pointOf(oid string) int {
	if i, ok := h.place[oid]; ok {
		return h.point(i)
	}
	return root
}

// did returns the steps that a commit changed compared to its first parent, or to the one named
// by onto: true if it gave the step, false if it took it back. A step that the commit names
// counts as given by it even if it was given before: whoever reverts the second try at a step is
// not left with the first. A step that it only brought back, by reverting a revert, does not
// count: it would be there either way.
func (h *history) did(i int, onto string) map[string]bool {
	is, was := h.strands.steps(h.point(i)), givers(nil)
	if parents := h.commits[i].Parents; slices.Contains(parents, onto) {
		was = h.strands.steps(h.pointOf(onto))
	} else if len(parents) > 0 {
		was = h.strands.steps(h.pointOf(parents[0]))
	}
	out := map[string]bool{}
	is.differing(was, func(step, is, was int) {
		if gives(is) != gives(was) {
			out[h.ids[step]] = gives(is)
		}
	})
	for step, given := range h.said[i] {
		if given {
			out[step] = true
		}
	}
	return out
}

// below reports whether commit, which is of the branch, is oid or an ancestor of it. It skips
// what comes after commit in the list, since so do the ancestors of that.
func (h *history) below(oid, commit string) bool {
	lowest := h.place[commit]
	seen, todo := map[int]bool{}, []string{oid}
	for len(todo) > 0 {
		i, ok := h.place[todo[len(todo)-1]]
		todo = todo[:len(todo)-1]
		if ok && i == lowest {
			return true
		}
		if ok && !seen[i] && (i < lowest || i >= h.listed) {
			seen[i] = true
			todo = append(todo, h.commits[i].Parents...)
		}
	}
	return false
}

// find returns the place of a commit of the branch, by its name or the beginning of it.
func (h *history) find(name string) (int, bool) {
	if i, ok := h.place[name]; ok || journal.IsOID(name) {
		return i, ok
	}
	if h.byName == nil {
		for _, c := range h.commits[:h.listed] {
			h.byName = append(h.byName, c.OID)
		}
		slices.Sort(h.byName)
	}
	at, _ := slices.BinarySearch(h.byName, name)
	if at < len(h.byName) && strings.HasPrefix(h.byName[at], name) {
		return h.place[h.byName[at]], true
	}
	return 0, false
}

// called returns the place of the newest commit with a subject below the place at.
func (h *history) called(subject string, at int) (int, bool) {
	h.bySubject = h.placesBy(h.bySubject, git.Commit.Subject)
	return next(h.bySubject[subject], at)
}

// copied does so by the whole message, which a rebase keeps.
func (h *history) copied(message string, at int) (int, bool) {
	h.byMessage = h.placesBy(h.byMessage, func(c git.Commit) string { return strings.TrimSpace(c.Message) })
	return next(h.byMessage[strings.TrimSpace(message)], at)
}

// placesBy returns the places of the branch's commits by a key; known is the answer if it was
// computed before.
func (h *history) placesBy(known map[string][]int, key func(git.Commit) string) map[string][]int {
	if known == nil {
		known = map[string][]int{}
		for i, c := range h.commits[:h.listed] {
			known[key(c)] = append(known[key(c)], i)
		}
	}
	return known
}

func next(places []int, at int) (int, bool) {
	n, _ := slices.BinarySearch(places, at+1)
	if n == len(places) {
		return 0, false
	}
	return places[n], true
}
