package lint

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/proc"
)

// Surroundings are what a plan is judged by, apart from its text.
type Surroundings struct {
	Exists  func(path string) bool // in the work tree
	Finds   func(program string) bool
	ignored map[string]bool        // of Files: git ignores them
	Agent   func(name string) bool // such an agent is installed, or can be set up
	Window  int                    // of the executor's model, in tokens; 0: unlimited
	earlier *namedFiles            // what the steps of the plan name under Files
	unread  []plan.Weakness        // instructions of the project that no session reads
	shared  int                    // bytes of the plan that each step's session reads
	checks  map[string]bool        // the commands of the plan's section Checks
}

// surroundingsOf opens what a plan is judged by; done closes it.
func surroundingsOf(c *checkout.Checkout) (Surroundings, func(), error) {
	if c.Repo.Top == "" {
		return Surroundings{}, nil, fault.New(fault.ErrBare, "there is no work tree here to judge a plan by")
	}
	root, err := os.OpenRoot(c.Repo.Top)
	if err != nil {
		return Surroundings{}, nil, err
	}
	return Surroundings{
		Exists: func(path string) bool { _, err := root.Lstat(filepath.FromSlash(path)); return err == nil },
		Finds:  func(program string) bool { _, ok := proc.Find(program); return ok },
		Agent:  c.Config.KnowsAgent,
		Window: c.Config.Window(agent.Executor),
	}, func() { _ = root.Close() }, nil
}

// namedFiles are the paths under Files, each with its first step, so that a look-up is quick in a long plan.
type namedFiles struct {
	first map[string]int // of paths
	globs []string       // at most mostGlobs
}

// mostGlobs bounds the different globs that each path is tried with.
const mostGlobs = 256

func nameFiles(p *plan.Plan) *namedFiles {
	n := &namedFiles{first: map[string]int{}}
	for i := range p.Steps {
		s := &p.Steps[i]
		for _, name := range s.Files {
			name = strings.TrimSuffix(strings.TrimPrefix(name, "./"), "/")
			if n.first[name] > 0 {
				continue
			}
			n.first[name] = s.N
			if strings.ContainsAny(name, `*?[{\`) && len(n.globs) < mostGlobs {
				n.globs = append(n.globs, name)
			}
		}
	}
	return n
}

// before reports whether a step above this one names a path, or a folder above it; s nil is for any step.
func (n *namedFiles) before(s *plan.Step, file string) bool {
	above := func(name string) bool { at := n.first[name]; return at > 0 && (s == nil || at < s.N) }
	for name := file; name != "." && name != "/"; name = path.Dir(name) {
		if above(name) {
			return true
		}
	}
	return slices.ContainsFunc(n.globs, func(glob string) bool { return above(glob) && plan.MatchesAny([]string{glob}, file) })
}
