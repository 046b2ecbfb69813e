package lint

import (
	"math"
	"strings"

	"github.com/git-plan/git-plan/gitplan/plan"
)

// namedFiles are what the steps of a plan name under Files, each with the number of
// the first step that does, so that a path is looked up in a time that does not grow
// with the plan.
type namedFiles struct {
	first map[string]int // of paths
	globs []namedGlob
	more  int // the first step with a glob beyond mostGlobs; 0 if there is none
}

type namedGlob struct {
	pattern string
	step    int
}

// mostGlobs bounds the different globs that each path is tried with.
const mostGlobs = 256

func nameFiles(p *plan.Plan) *namedFiles {
	n := &namedFiles{first: map[string]int{}}
	for i := range p.Steps {
		s := &p.Steps[i]
		for _, name := range s.Files {
			name = strings.TrimSuffix(strings.TrimPrefix(name, "./"), "/")
			if _, known := n.first[name]; known {
				continue
			}
			n.first[name] = s.N
			switch {
			case !strings.ContainsAny(name, `*?[{\`):
			case len(n.globs) < mostGlobs:
				n.globs = append(n.globs, namedGlob{name, s.N})
			case n.more == 0:
				n.more = s.N
			}
		}
	}
	return n
}

// named says whether any step names a path, or a folder above it.
func (n *namedFiles) named(path string) bool {
	return n.before(&plan.Step{N: math.MaxInt}, path)
}

// before says whether a step above this one names a path, or a folder above it. What
// cannot be known without trying every glob of a large plan is taken for named.
func (n *namedFiles) before(s *plan.Step, path string) bool {
	const deepest = 64 // folders of a path
	name := path
	for range deepest {
		if at := n.first[name]; at > 0 && at < s.N {
			return true
		}
		cut := strings.LastIndexByte(name, '/')
		if cut < 0 {
			break
		}
		name = name[:cut]
	}
	for _, g := range n.globs {
		if g.step < s.N && plan.MatchesAny([]string{g.pattern}, path) {
			return true
		}
	}
	return n.more > 0 && n.more < s.N
}
