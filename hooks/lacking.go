package hooks

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/git"
)

// lacking is the part of the history that the remote, as far as we know here, does not
// have. One walk by git reads it for all refs of a push: what each of them brings is
// found in it without asking git again, however many there are.
type lacking struct {
	parents map[string][]string // of each commit in it
	at      map[string]int      // its place in git's list, newest first; also of commits right below it
}

// readLacking reads what tips have and the others do not. Object names that do not exist
// here are left out.
func readLacking(ctx context.Context, repo *git.Repo, tips, others []string, options ...string) (*lacking, error) {
	var in, out strings.Builder
	in.WriteString(strings.Join(tips, "\n") + "\n")
	for _, oid := range others {
		in.WriteString("^" + oid + "\n")
	}
	args := []string{"rev-list", "--topo-order", "--parents", "--boundary", "--ignore-missing", "--stdin"}
	if err := repo.Run(ctx, git.Command{Args: append(args, options...), Stdin: strings.NewReader(in.String()), Stdout: &out}); err != nil {
		return nil, err
	}
	l := &lacking{parents: map[string][]string{}, at: map[string]int{}}
	for line := range strings.Lines(out.String()) {
		names := strings.Fields(line)
		oid, below := strings.CutPrefix(names[0], "-")
		if l.at[oid] = len(l.at); !below {
			l.parents[oid] = names[1:]
		}
	}
	return l, nil
}

// of returns the commits that head adds to base ("": to what the remote has), newest
// first, and in below, newest first as well, the commits of the remote that they begin at.
func (l *lacking) of(head, base string) (commits, below []string) {
	without := map[string]bool{}
	l.down(base, without, func(string) {})
	edges := map[string]bool{}
	l.down(head, without, func(oid string) {
		commits = append(commits, oid)
		for _, parent := range l.parents[oid] {
			if _, lacks := l.parents[parent]; !lacks {
				edges[parent] = true
			}
		}
	})
	byAge := func(a, b string) int { return cmp.Compare(l.at[a], l.at[b]) }
	slices.SortFunc(commits, byAge)
	if below = slices.SortedFunc(maps.Keys(edges), byAge); len(commits) == 0 {
		below = []string{head} // the remote has all of it
	}
	return commits, below
}

// down calls each once for every commit from the given one down that the remote lacks and
// that was not seen.
func (l *lacking) down(from string, seen map[string]bool, each func(oid string)) {
	for next := []string{from}; len(next) > 0; {
		oid := next[len(next)-1]
		next = next[:len(next)-1]
		parents, lacks := l.parents[oid]
		if !lacks || seen[oid] {
			continue
		}
		seen[oid] = true
		each(oid)
		next = append(next, parents...)
	}
}
