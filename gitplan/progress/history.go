package progress

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
)

// history is what the commits of a branch say about a plan's steps. A commit that names a step does
// it, until a later one reverts it; a revert that is reverted itself counts for nothing.
type history struct {
	plan    string
	commits []git.Commit    // of the branch, newest first and each before its parents
	place   map[string]int  // of a commit among them
	start   map[string]bool // parents of commits that are none of them
	entries []entry         // what the commits say, newest first
	first   []int           // of each commit: its first entry
	done    map[string]string
	taken   map[string]string // step -> the commit that did it last, if it was taken back

	named     map[string][]string          // the commit of a done event -> its steps
	rewritten map[string][]journal.Rewrite // what a commit does because of those that it replaced
	lookup    func(string) (git.Commit, bool)
	lookups   int
	bySubject map[string][]int // entries
	byKey     map[string][]int
	byStep    map[string][]int
}

// entry is what a commit of the branch says, or a part of that.
type entry struct {
	said
	commit int // its place
	taker  int // the entry that reverts this one, counted from 1
	did    map[string]bool
}

// maxLookups bounds how many commits that are not on the branch are read.
const maxLookups = 5_000

// readHistory reads the commits of a branch, newest first and each before its parents. lookup reads
// a commit that is not among them, such as one that was rebased away; it may fail.
func readHistory(p *plan.Plan, events []journal.Event, commits []git.Commit, lookup func(string) (git.Commit, bool)) *history {
	h := &history{plan: p.ID, commits: commits, lookup: lookup, rewritten: Rewrites(events), place: make(map[string]int, len(commits)),
		start: map[string]bool{}, done: map[string]string{}, taken: map[string]string{}, named: map[string][]string{},
		bySubject: map[string][]int{}, byKey: map[string][]int{}, byStep: map[string][]int{}}
	for _, e := range events {
		if e.Kind == journal.Done && e.Head != journal.None {
			h.named[e.Head] = append(h.named[e.Head], e.Steps...)
		}
	}
	for i, c := range commits {
		h.place[c.OID] = i
		h.first = append(h.first, len(h.entries))
		for _, s := range slices.Backward(h.sayings(c)) {
			h.add(entry{said: s, commit: i})
		}
	}
	h.first = append(h.first, len(h.entries))
	for _, c := range commits {
		for _, p := range c.Parents {
			if _, here := h.place[p]; !here {
				h.start[p] = true
			}
		}
	}
	for at := range h.entries {
		if h.entries[at].taker == 0 {
			h.takeBack(at)
		}
	}
	h.judge()
	return h
}

func (h *history) add(e entry) {
	at := len(h.entries)
	h.entries = append(h.entries, e)
	h.bySubject[e.subject] = append(h.bySubject[e.subject], at)
	h.byKey[e.key()] = append(h.byKey[e.key()], at)
	for _, step := range e.steps {
		h.byStep[step] = append(h.byStep[step], at)
	}
}

// sayings returns what a commit says about the plan's steps, the oldest part first: its message, and
// what events recorded of it. A message may have been typed anew; which commits this one replaced is
// known.
func (h *history) sayings(c git.Commit) []said {
	all := sayings(c.Message)
	recorded := Fold(h.rewritten[c.OID])
	for i := range all {
		var own []string
		for _, name := range all[i].steps {
			step, ok := strings.CutPrefix(name, h.plan+"/")
			if _, known := recorded[step]; ok && !known {
				own = append(own, step)
			}
		}
		all[i].steps = own
	}
	if steps := h.named[c.OID]; len(steps) > 0 {
		all = slices.Insert(all, 0, said{subject: c.Subject(), steps: steps})
	}
	if len(recorded) > 0 {
		s := said{subject: c.Subject()}
		for _, step := range slices.Sorted(maps.Keys(recorded)) {
			if recorded[step] {
				s.steps = append(s.steps, step)
			} else {
				s.takes = append(s.takes, step)
			}
		}
		all = append(all, s)
	}
	return all
}

// takeBack marks the entries that an entry reverts.
func (h *history) takeBack(at int) {
	mark := func(target int) {
		if h.entries[target].taker == 0 {
			h.entries[target].taker = at + 1
		}
	}
	for _, r := range h.entries[at].reverts {
		for _, target := range h.targets(r, at) {
			mark(target)
		}
	}
	for _, step := range h.entries[at].takes {
		if target, ok := next(h.byStep[step], at); ok {
			mark(target)
		}
	}
}

// targets returns the entries that an entry reverts: by name, first among those that were squashed
// together with it. A rebase renames a commit but not what messages say of it, so a commit that is
// not on the branch stands for its copy there, and one that git forgot for the newest of its subject.
func (h *history) targets(r revert, at int) (out []int) {
	e := h.entries[at]
	for i := at + 1; i < h.first[e.commit+1]; i++ {
		if h.entries[i].isOf(r.oid) {
			out = append(out, i)
		}
	}
	if len(out) > 0 {
		return out
	}
	c, ok := h.commit(r.oid)
	if !ok {
		if i, ok := next(h.bySubject[e.reverted()], at); ok {
			out = append(out, i)
		}
		return out
	}
	for _, c := range h.brought(c, r.onto) {
		out = append(out, h.entriesOf(c, at)...)
	}
	return out
}

// entriesOf returns the entries of a commit, or those of its copy below an entry.
func (h *history) entriesOf(c git.Commit, at int) (out []int) {
	if i, here := h.place[c.OID]; here {
		for e := h.first[i]; e < h.first[i+1]; e++ {
			out = append(out, e)
		}
		return out
	}
	for _, s := range h.sayings(c) {
		if i, ok := next(h.byKey[s.key()], at); ok {
			out = append(out, i)
			continue
		}
		for _, step := range s.steps { // its message was changed
			if i, ok := next(h.byStep[step], at); ok {
				out = append(out, i)
			}
		}
	}
	return out
}

// next returns the first of some entries below another.
func next(entries []int, at int) (int, bool) {
	n, _ := slices.BinarySearch(entries, at+1)
	if n == len(entries) {
		return 0, false
	}
	return entries[n], true
}

// commit returns a commit of the branch, or another that git still has.
func (h *history) commit(name string) (git.Commit, bool) {
	if i, here := h.place[name]; here {
		return h.commits[i], true
	}
	if h.lookups++; h.lookup == nil || h.lookups > maxLookups {
		return git.Commit{}, false
	}
	c, ok := h.lookup(name)
	if i, here := h.place[c.OID]; ok && here { // name is abbreviated
		return h.commits[i], true
	}
	return c, ok
}

// brought returns the commits that a merge added to one of its parents; of any other commit, itself.
func (h *history) brought(c git.Commit, onto string) (out []git.Commit) {
	if len(c.Parents) < 2 {
		return []git.Commit{c}
	}
	if !slices.Contains(c.Parents, onto) {
		onto = c.Parents[0]
	}
	before := map[string]bool{}
	h.walk(onto, before, func(git.Commit) {})
	h.walk(c.OID, before, func(c git.Commit) { out = append(out, c) })
	return out
}

// walk visits a commit and its ancestors since the plan's start, except those that were seen.
func (h *history) walk(from string, seen map[string]bool, visit func(git.Commit)) {
	for todo := []string{from}; len(todo) > 0; {
		oid := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if seen[oid] || h.start[oid] {
			continue
		}
		seen[oid] = true
		if c, ok := h.commit(oid); ok {
			visit(c)
			todo = append(todo, c.Parents...)
		}
	}
}

// judge decides which steps are done, and which were taken back: by the newest commit that names the
// step and was not. Commits below a revert of another one count as reverted with it: whoever reverts
// the second try at a step is not left with the first.
func (h *history) judge() {
	for step, all := range h.byStep {
		below, last := map[string]bool{}, -1
		for _, at := range all {
			taker := h.entries[at].taker - 1
			if taker < 0 {
				continue
			}
			if last < 0 {
				last = at
			}
			for _, p := range h.commits[h.entries[taker].commit].Parents {
				h.walk(p, below, func(git.Commit) {})
			}
		}
		for _, at := range all {
			if c := h.commits[h.entries[at].commit]; h.entries[at].taker == 0 && !below[c.OID] && !h.revertsLater(all, at) {
				h.done[step] = c.OID
				break
			}
		}
		if h.done[step] == "" {
			h.taken[step] = h.commits[h.entries[last].commit].OID
		}
	}
}

// revertsLater reports whether the commit of an entry, a squash, also reverts a later try at its step.
func (h *history) revertsLater(all []int, at int) bool {
	return slices.ContainsFunc(all, func(other int) bool {
		taker := h.entries[other].taker - 1
		return taker >= 0 && taker < at && h.entries[taker].commit == h.entries[at].commit
	})
}

// below reports whether a commit of the branch is oid or an ancestor of it. Commits stand before their
// parents, so what stands behind the commit that is looked for cannot lead to it.
func (h *history) below(oid, commit string) bool {
	last, known := h.place[commit]
	seen := map[string]bool{}
	for todo := []string{oid}; known && len(todo) > 0; {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		i, here := h.place[at]
		if at == commit && here {
			return true
		}
		if here && i < last && !seen[at] {
			seen[at] = true
			todo = append(todo, h.commits[i].Parents...)
		}
	}
	return false
}

// did returns what an entry does to steps by itself: true if it gives one, false if it takes one back.
func (h *history) did(at int) map[string]bool {
	if out := h.entries[at].did; out != nil {
		return out
	}
	out := map[string]bool{}
	h.entries[at].did = out
	for _, step := range h.entries[at].steps {
		out[step] = true
	}
	for _, step := range h.entries[at].takes {
		out[step] = false
	}
	for _, r := range h.entries[at].reverts {
		for _, target := range h.targets(r, at) {
			for step, given := range h.did(target) {
				out[step] = !given
			}
		}
	}
	return out
}

// didAll is did of all that a commit says.
func (h *history) didAll(oid string) map[string]bool {
	out := map[string]bool{}
	if i, here := h.place[oid]; here {
		for at := h.first[i+1] - 1; at >= h.first[i]; at-- {
			maps.Copy(out, h.did(at))
		}
	}
	return out
}

// Rewritten records in a plan that commits replaced others, and returns the steps that this
// concerns: those whose new commit does not say in its message what the old ones did. Most
// rebases concern none, since messages stay. tip is where the branch was before.
func Rewritten(ctx context.Context, s *journal.Store, d *journal.Document, branch, tip string, all []journal.Replaced) ([]string, error) {
	before, err := Since(ctx, s, d, tip)
	if err != nil {
		return nil, err
	}
	e := journal.Event{Kind: journal.Rewritten, By: journal.ByPerson, Rewrites: concerning(d, before, all, lookup(ctx, s))}
	if len(e.Rewrites) == 0 {
		return nil, nil
	}
	steps := map[string]bool{}
	for _, r := range e.Rewrites {
		maps.Copy(steps, r.Did)
	}
	e.Steps = slices.Sorted(maps.Keys(steps))
	return e.Steps, s.Apply(ctx, d, branch, journal.Change{Event: e})
}

// concerning returns the rewrites without which the plan would read the new commits differently from
// the old ones.
func concerning(d *journal.Document, before []git.Commit, all []journal.Replaced, lookup func(string) (git.Commit, bool)) []journal.Rewrite {
	commits, known := before, map[string]bool{}
	for _, c := range before {
		known[c.OID] = true
	}
	for _, r := range all { // those that are not of the branch as it was come on top
		for _, oid := range []string{r.Old, r.New} {
			if c, ok := lookup(oid); ok && !known[oid] {
				commits, known[oid] = append([]git.Commit{c}, commits...), true
			}
		}
	}
	h := readHistory(d.Plan, d.Events, commits, lookup)
	byNew := map[string][]journal.Rewrite{}
	for _, r := range all {
		if known[r.Old] && known[r.New] && r.Old != r.New {
			byNew[r.New] = append(byNew[r.New], journal.Rewrite{Replaced: r, Did: h.didAll(r.Old)})
		}
	}
	var out []journal.Rewrite
	for _, r := range all {
		says := h.didAll(r.New)
		for step, given := range Fold(byNew[r.New]) {
			if now, named := says[step]; !named || now != given {
				out = append(out, byNew[r.New]...)
				break
			}
		}
		delete(byNew, r.New)
	}
	return slices.DeleteFunc(out, func(r journal.Rewrite) bool { return len(r.Did) == 0 })
}

func lookup(ctx context.Context, s *journal.Store) func(oid string) (git.Commit, bool) {
	return func(oid string) (git.Commit, bool) {
		c, err := s.Repo.ReadCommit(ctx, oid)
		return c, err == nil
	}
}
