package lint

import (
	"math"
	"path"
	"strings"

	"github.com/git-plan/git-plan/gitplan/plan"
)

// namedFiles are the paths that the steps of a plan name under Files, each with the number of the
// first step that does, so that looking up a path takes no longer in a long plan.
type namedFiles struct {
	first   map[string]int  // of paths
	folders map[string]bool // above these
	globs   []namedGlob
	more    int // the first step with a glob beyond mostGlobs; 0 if there is none
}

type namedGlob struct {
	pattern string
	step    int
}

// mostGlobs bounds the different globs that each path is tried with.
const mostGlobs = 256

func nameFiles(p *plan.Plan) *namedFiles {
	n := &namedFiles{first: map[string]int{}, folders: map[string]bool{}}
	for i := range p.Steps {
		s := &p.Steps[i]
		for _, name := range s.Files {
			name = strings.TrimSuffix(strings.TrimPrefix(name, "./"), "/")
			if _, known := n.first[name]; known {
				continue
			}
			n.first[name] = s.N
			for at := path.Dir(name); at != "." && at != "/" && !n.folders[at]; at = path.Dir(at) {
				n.folders[at] = true
			}
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
func (n *namedFiles) named(file string) bool {
	return n.before(&plan.Step{N: math.MaxInt}, file)
}

// before says whether a step above this one names a path, or a folder above it. If only trying
// every glob of a large plan could tell, it says yes.
func (n *namedFiles) before(s *plan.Step, file string) bool {
	const deepest = 64 // folders of a path
	name := file
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
		if g.step < s.N && plan.MatchesAny([]string{g.pattern}, file) {
			return true
		}
	}
	return n.more > 0 && n.more < s.N
}
