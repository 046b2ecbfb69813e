package place

import (
	"slices"

	"github.com/git-plan/git-plan/gitplan/git/worktree"
)

// inside returns the submodules that hold what a session left there uncommitted: no commit
// here can have it.
func (p *Place) inside(s *worktree.Status) (out []string) {
	for _, path := range s.Inside {
		if !p.byproducts[path] && !slices.Contains(p.Before.Inside, path) {
			out = append(out, path)
		}
	}
	return out
}

// withoutByproducts notes the files that came while checks ran, and returns
// those of the session that are still there.
func (p *Place) withoutByproducts(before, after []string) []string {
	var out []string
	for _, path := range after {
		if slices.Contains(before, path) {
			out = append(out, path)
		} else {
			p.byproducts[path] = true
		}
	}
	return out
}
