package gitplan

import (
	"maps"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/git"
)

// reverts reads what each commit of a branch does to steps: gives them, or takes
// back what the commits did that it reverts.
type reverts struct {
	id      string
	commits []git.Commit
	history *history
	lookup  func(string) (git.Commit, bool)
	named   map[string][]string
	// rewritten says what a commit does by what it took the place of.
	rewritten map[string][]Rewrite
	followed  int // commits for the one that is looked at: a message may name many
}

// place is where a commit stands among the commits; behind all where it is not
// one of them.
func (r *reverts) place(c git.Commit) int {
	at := slices.IndexFunc(r.commits, func(x git.Commit) bool { return x.OID == c.OID })
	if at < 0 {
		return len(r.commits)
	}
	return at
}

// rewrote takes back, or gives again, the commits of done events as the commit
// did whose place this one took.
func (r *reverts) rewrote(oid string) {
	did := fold(r.rewritten[oid])
	for commit, steps := range r.named {
		for _, step := range steps {
			if given, ok := did[step]; ok && commit != oid {
				r.history.undone[commit] = !given
			}
		}
	}
}

// effect reads a message line by line: a squashed one may hold a step, its
// revert, and the step again. at is the commit's place among commits.
func (r *reverts) effect(c git.Commit, at, depth int) effect {
	out := effect{}
	if depth == 0 {
		r.followed = 0
	}
	if r.followed++; depth > 16 || r.followed > 20_000 {
		return out // reverts of reverts of reverts: nobody follows them either
	}
	for _, step := range r.named[c.OID] {
		out[step] = true
	}
	lines := inOrderOfTime(c.Message)
	for i, line := range lines {
		if plan, step, ok := namedStep(line); ok && plan == r.id {
			out[step] = true
		}
		oid, ok := revertedCommit(line)
		if !ok {
			continue
		}
		x, place, found := r.find(oid, c, at)
		if !found {
			continue
		}
		back := append(r.broughtBy(x, lines[i+1:]), x)
		first, last := effect{}, effect{}
		for _, x := range back {
			r.history.undone[x.OID] = !r.history.undone[c.OID]
			did := r.effect(x, place, depth+1)
			maps.Copy(last, did)
			maps.Copy(did, first)
			first = did
		}
		for _, x := range back { // one that another of them took back, too
			r.history.undone[x.OID] = r.history.undone[x.OID] || !r.history.undone[c.OID]
		}
		for step, given := range last {
			if first[step] == given { // else all of it together left the step as it was
				out[step] = !given
			}
		}
	}
	// A message may have been typed anew; what the commit took the place of is known.
	maps.Copy(out, fold(r.rewritten[c.OID]))
	return out
}

// broughtBy are the commits that a merge brought, oldest first, to the parent that
// its revert names in the lines behind: they are taken back with it.
func (r *reverts) broughtBy(merge git.Commit, behind []string) (brought []git.Commit) {
	if len(merge.Parents) < 2 || len(behind) == 0 {
		return nil
	}
	onto, _ := strings.CutPrefix(strings.TrimSpace(behind[0]), "changes made to ")
	onto = strings.TrimSuffix(onto, ".")
	if !slices.Contains(merge.Parents, onto) {
		return nil
	}
	before, with := r.history.below(onto), r.history.below(merge.OID)
	for _, c := range slices.Backward(r.commits) {
		if with[c.OID] && !before[c.OID] && c.OID != merge.OID {
			brought = append(brought, c)
		}
	}
	return brought
}

// inOrderOfTime are the lines of a message, the older commit's first: `git merge
// --squash` lists the newest first, each under a line "commit <name>".
func inOrderOfTime(message string) []string {
	var parts [][]string
	part := []string{}
	for _, line := range strings.Split(message, "\n") {
		if oid, ok := strings.CutPrefix(line, "commit "); ok && (len(oid) == 40 || len(oid) == 64) {
			parts, part = append(parts, part), nil
		}
		part = append(part, line)
	}
	parts = append(parts, part)
	slices.Reverse(parts)
	return slices.Concat(parts...)
}

// find resolves the commit that c says it reverts: by name, even where it is
// no longer on the branch, and else by its subject, since a rebase renames
// commits but not what messages say about them.
func (r *reverts) find(oid string, c git.Commit, at int) (git.Commit, int, bool) {
	if x, ok := r.history.commits[oid]; ok {
		return x, at, true
	}
	if i := slices.IndexFunc(r.commits, func(x git.Commit) bool { return strings.HasPrefix(x.OID, oid) }); i >= 0 {
		return r.commits[i], at, true
	}
	if x, ok := r.lookup(oid); ok {
		return x, at, true
	}
	subject := c.Subject()
	if s, ok := strings.CutPrefix(subject, `Reapply "`); ok {
		subject = `Revert "Revert "` + s + `"`
	}
	subject = strings.TrimSuffix(strings.TrimPrefix(subject, `Revert "`), `"`)
	for i := at + 1; i < len(r.commits); i++ {
		if r.commits[i].Subject() == subject {
			return r.commits[i], i, true
		}
	}
	return git.Commit{}, 0, false
}
