package lint

import (
	"bytes"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/gitplan/prompt"
)

// Surroundings are what a plan is judged by, apart from its text.
type Surroundings struct {
	Exists  func(path string) bool // in the work tree
	Finds   func(program string) bool
	ignored map[string]bool        // of Files: git ignores them
	Agent   func(name string) bool // such an agent is installed, or can be set up
	Prompt  func(*plan.Step) int   // bytes of the prompt of a session for it
	Window  int                    // of the executor's model, in tokens
	Lines   map[string]int         // of the files that steps name
	broken  map[int]bool           // steps, from 0, of which a part could not be read
	root    *os.Root               // of the work tree

	earlier *namedFiles // what the steps of the plan name under Files
}

// surroundingsOf opens what a plan is judged by; done closes it.
func surroundingsOf(c *checkout.Checkout, p *plan.Plan) (Surroundings, func(), error) {
	if c.Repo.Top == "" {
		return Surroundings{}, nil, fault.New(fault.ErrBare, "there is no work tree here to judge a plan by")
	}
	root, err := os.OpenRoot(c.Repo.Top)
	if err != nil {
		return Surroundings{}, nil, err
	}
	instructions := prompt.Instructions(c.Repo.Top)
	return Surroundings{
		Exists: func(path string) bool { _, err := root.Lstat(filepath.FromSlash(path)); return err == nil },
		Finds:  func(program string) bool { _, ok := proc.Find(program); return ok },
		Agent:  c.Config.KnowsAgent,
		Prompt: c.Prompts.StepSize(p, instructions, prompt.Budget),
		Window: c.Config.Window(agent.Executor),
		root:   root,
	}, func() { _ = root.Close() }, nil
}

// Bounds of what is read.
const (
	maxNamed   = 500     // files of a plan
	maxCounted = 2 << 20 // bytes of a file whose lines are counted
)

// countLines returns the lines of the files that steps name; nothing about those that cannot be read.
func countLines(root *os.Root, p *plan.Plan) map[string]int {
	lines := map[string]int{}
	for i := range p.Steps {
		for _, name := range plan.Literals(p.Steps[i].Files) {
			if _, seen := lines[name]; !seen && len(lines) < maxNamed && filepath.IsLocal(name) {
				lines[name] = linesOf(root, name)
			}
		}
	}
	return lines
}

// linesOf returns the lines of a text file; 0 for anything else.
func linesOf(root *os.Root, name string) int {
	info, err := root.Lstat(filepath.FromSlash(name))
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxCounted {
		return 0
	}
	file, err := root.Open(filepath.FromSlash(name))
	if err != nil {
		return 0
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxCounted))
	if err != nil || bytes.Contains(text, []byte{0}) {
		return 0
	}
	return bytes.Count(text, []byte("\n"))
}

// namedFiles are the paths that the steps of a plan name under Files, each with the number of the
// first step that does, so that looking up a path takes no longer in a long plan.
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
