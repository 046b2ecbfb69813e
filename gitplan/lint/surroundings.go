package lint

import (
	"os"
	"path/filepath"

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
	Read    func(path string) ([]byte, bool) // a file of the work tree; nil reads none
	ignored map[string]bool                  // of Files: git ignores them
	Agent   func(name string) bool           // such an agent is installed, or can be set up
	Prompt  func(*plan.Step) int             // bytes of the prompt of a session for it
	Window  int                              // of the executor's model, in tokens
	Facts   Facts                            // about the files that steps name
	broken  map[int]bool                     // steps, from 0, of which a part could not be read
	root    *os.Root                         // of the work tree

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
		Read:   func(path string) ([]byte, bool) { return readSmall(root, path) },
		Agent:  c.Config.KnowsAgent,
		Prompt: c.Prompts.StepSize(p, instructions, prompt.Budget),
		Window: c.Config.Window(agent.Executor),
		root:   root,
	}, func() { _ = root.Close() }, nil
}

func (s Surroundings) read(path string) ([]byte, bool) {
	if s.Read == nil {
		return nil, false
	}
	return s.Read(path)
}

// readSmall reads a file that is no larger than those that describe a project.
func readSmall(root *os.Root, path string) ([]byte, bool) {
	const most = 1 << 20
	info, err := root.Lstat(filepath.FromSlash(path))
	if err != nil || !info.Mode().IsRegular() || info.Size() > most {
		return nil, false
	}
	data, err := root.ReadFile(filepath.FromSlash(path))
	return data, err == nil
}
