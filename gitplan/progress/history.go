package progress

import (
	"maps"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/journal"
	"github.com/git-plan/git-plan/gitplan/plan"
)

// history is what the commits of a branch say: one that names a step does it, unless a later one reverts it.
type history struct {
	plan       string
	commits    []git.Commit    // of the branch, newest first and each before its parents
	index      map[string]int  // of a commit among them
	start      map[string]bool // parents of commits that are not among them
	statements []statement     // by each commit
	reverter   []int           // of each commit: the one that reverts it, counted from 1
	effects    []map[string]bool
	done       map[string]string
	reverted   map[string]string // step -> the commit that did it last, if it was reverted

	named     map[string][]string        // the commit of a done event -> its steps
	rewritten map[string]map[string]bool // what a commit does because of those that it replaced
	lookup    func(string) (git.Commit, bool)
	lookups   int
	bySubject map[string][]int // indexes
	byKey     map[string][]int
	byStep    map[string][]int
}

// maxLookups bounds how many commits that are not on the branch are read.
const maxLookups = 5_000

// readHistory reads the commits of a branch, newest first, each before its parents; lookup reads any other commit.
func readHistory(p *plan.Plan, events []journal.Event, commits []git.Commit, lookup func(string) (git.Commit, bool)) *history {
	h := &history{plan: p.ID, commits: commits, lookup: lookup, index: make(map[string]int, len(commits)), start: map[string]bool{},
		reverter: make([]int, len(commits)), effects: make([]map[string]bool, len(commits)), done: map[string]string{}, reverted: map[string]string{},
		named: map[string][]string{}, rewritten: map[string]map[string]bool{},
		bySubject: map[string][]int{}, byKey: map[string][]int{}, byStep: map[string][]int{}}
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
	for i, c := range commits { // all of start is known
		h.statements[i].steps = h.remaining(c, h.statements[i])
		for _, step := range h.statements[i].steps {
			h.byStep[step] = append(h.byStep[step], i)
		}
	}
	for at := range commits {
		if h.reverter[at] == 0 {
			h.revert(at)
		}
	}
	h.judge()
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
		} else {
			s.takes = append(s.takes, step)
		}
	}
	return s
}

// remaining returns the steps of a commit without those that a squash itself reverted: the reverted commit is not an
// ancestor then. If git forgot it, no step of the squash counts, since doing one again is harmless.
func (h *history) remaining(of git.Commit, s statement) []string {
	if len(s.steps) == 0 || len(s.reverts) == 0 {
		return s.steps
	}
	seen, back := map[string]bool{}, map[string]bool{}
	h.walk(of.OID, seen)
	for todo := slices.Clone(s.reverts); len(todo) > 0; {
		c, ok := h.commit(todo[len(todo)-1].oid)
		todo = todo[:len(todo)-1]
		if !ok {
			return nil
		}
		if seen[c.OID] {
			continue
		}
		seen[c.OID] = true
		reverted := h.statementOf(c)
		for _, step := range reverted.steps {
			back[step] = true
		}
		todo = append(todo, reverted.reverts...)
	}
	return slices.DeleteFunc(slices.Clone(s.steps), func(step string) bool { return back[step] })
}

func (h *history) revert(at int) {
	var all []int
	for _, r := range h.statements[at].reverts {
		all = append(all, h.targets(r, at)...)
	}
	for _, step := range h.statements[at].takes {
		all = append(all, next(h.byStep[step], at)...)
	}
	for _, target := range all {
		if h.reverter[target] == 0 {
			h.reverter[target] = at + 1
		}
	}
}

// targets returns the commits of the branch that one of them reverts. A commit that was rebased away stands for
// its copy on the branch, one that git forgot for the newest of its subject.
func (h *history) targets(r revert, at int) (out []int) {
	c, ok := h.commit(r.oid)
	if !ok {
		return next(h.bySubject[h.statements[at].reverted()], at)
	}
	for _, c := range h.brought(c, r.onto) {
		out = append(out, h.copies(c, at)...)
	}
	return out
}

// copies returns the index of a commit, or of its copy that is older than another.
func (h *history) copies(c git.Commit, at int) (out []int) {
	if i, here := h.index[c.OID]; here {
		return []int{i}
	}
	s := h.statementOf(c)
	if same := next(h.byKey[s.key()], at); len(same) > 0 {
		return same
	}
	for _, step := range s.steps { // its message was changed
		out = append(out, next(h.byStep[step], at)...)
	}
	return out
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

// brought returns the commits that a merge added to one of its parents; of any other commit, itself.
func (h *history) brought(c git.Commit, onto string) []git.Commit {
	if len(c.Parents) < 2 {
		return []git.Commit{c}
	}
	if !slices.Contains(c.Parents, onto) {
		onto = c.Parents[0]
	}
	before := map[string]bool{}
	h.walk(onto, before)
	return h.walk(c.OID, before)
}

// walk returns a commit and its ancestors since the plan's start, except those already seen.
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

// judge decides which steps are done: by the newest commit that names the step and is not reverted. After the
// revert of a second try the first does not count either, which is below it.
func (h *history) judge() {
	for step, all := range h.byStep {
		below := map[string]bool{}
		for _, at := range all {
			if h.reverter[at] == 0 {
				continue
			}
			if h.reverted[step] == "" {
				h.reverted[step] = h.commits[at].OID
			}
			for _, p := range h.commits[h.reverter[at]-1].Parents {
				h.walk(p, below)
			}
		}
		for _, at := range all {
			if c := h.commits[at]; h.reverter[at] == 0 && !below[c.OID] {
				h.done[step] = c.OID
				break
			}
		}
	}
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

// effect returns what a commit does to steps: true if it does one, false if it takes one back.
func (h *history) effect(at int) map[string]bool {
	if out := h.effects[at]; out != nil {
		return out
	}
	out := map[string]bool{}
	h.effects[at] = out
	for _, r := range h.statements[at].reverts {
		for _, target := range h.targets(r, at) {
			for step, given := range h.effect(target) {
				out[step] = !given
			}
		}
	}
	for _, step := range h.statements[at].takes {
		out[step] = false
	}
	for _, step := range h.statements[at].steps {
		out[step] = true
	}
	return out
}

// statement is what a commit says about steps. A squash holds several messages, whose order does not count.
type statement struct {
	subject string
	steps   []string // that it does
	reverts []revert
	takes   []string // steps that it takes back, by the record of a rewrite
}

type revert struct {
	oid  string
	onto string // the parent to which a merge is reverted; "" for its first
}

// key is equal for the copies that a rebase makes of a commit.
func (s statement) key() string {
	key := s.subject + "\x00" + strings.Join(s.steps, "\x00")
	for _, r := range s.reverts {
		key += "\x00" + r.oid
	}
	return key
}

func (s statement) reverted() string {
	if again, ok := strings.CutPrefix(s.subject, `Reapply "`); ok {
		return `Revert "` + again
	}
	return strings.TrimSuffix(strings.TrimPrefix(s.subject, `Revert "`), `"`)
}

// changesMade begins the second line of a merge's revert: "..., reversing\nchanges made to <parent>."
const changesMade = "changes made to "

// readMessage returns what the message of a commit says about the steps of a plan.
func readMessage(c git.Commit, plan string) statement {
	s := statement{subject: c.Subject()}
	if !strings.Contains(c.Message, journal.StepTrailer+":") && !strings.Contains(c.Message, journal.RevertsCommit) {
		return s
	}
	lines := strings.Split(c.Message, "\n")
	for i, line := range lines {
		if of, step, ok := journal.NamedStep(line); ok && of == plan && !slices.Contains(s.steps, step) {
			s.steps = append(s.steps, step)
		} else if oid, ok := journal.RevertedCommit(line); ok {
			r := revert{oid: oid}
			if i+1 < len(lines) {
				parent, _ := strings.CutPrefix(strings.TrimSpace(lines[i+1]), changesMade)
				r.onto = strings.TrimSuffix(parent, ".")
			}
			s.reverts = append(s.reverts, r)
		}
	}
	return s
}
