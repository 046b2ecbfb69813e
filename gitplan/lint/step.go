package lint

import (
	"context"
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"github.com/git-plan/git-plan/gitplan/agent/builtin"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/gitplan/plan"
)

// lintRule looks at one step.
type lintRule struct {
	name, fix string
	weak      func(*plan.Step, Surroundings) string // what is weak, or nothing
}

var lintRules = []lintRule{
	{"no-check", "give it a Check with a command in backticks, or the plan a section Checks with one", withoutCheck},
	{"no-own-check", "give it a Check that fails before it and passes after it", withoutOwnCheck},
	{"no-files", "add Files: the paths it may touch, or globs", withoutFiles},
	{"outside", "name each by its path from the top of the repository", outside},
	{"too-long", "make steps of 15 to 60 minutes of it", tooLong},
	{"prompt", "shorten the plan's context, or make two steps of it", promptTooLarge},
	{"ignored", "take it out of Files, or have git no longer ignore it", ignoredFile},
	{"missing-file", "correct the path, or set Action: create", missingFile},
	{"no-agent", "correct the field Agent, or set that agent up; git plan doctor lists them", withoutAgent},
}

// mostMinutes bounds the estimate of a step that one session can do well.
const mostMinutes = 60

func withoutFiles(s *plan.Step, _ Surroundings) string {
	if s.Run != "" || len(s.Files) > 0 {
		return ""
	}
	return "it has no Files, so changes elsewhere go unnoticed"
}

// outside is about paths that no change of the repository can contain.
func outside(s *plan.Step, _ Surroundings) string {
	var names []string
	for _, name := range s.Files {
		if p := path.Clean(name); path.IsAbs(p) || p == ".." || strings.HasPrefix(p, "../") || strings.HasPrefix(p, "~/") {
			names = append(names, name)
		}
	}
	if names == nil {
		return ""
	}
	return "outside of the repository: " + strings.Join(names, ", ")
}

func tooLong(s *plan.Step, _ Surroundings) string {
	if minutes := plan.MinutesOf(s.Estimate); minutes > mostMinutes {
		return fmt.Sprintf("its estimate is %d minutes", minutes)
	}
	return ""
}

// mostPrompt is the share of a model's window that the plan's own text may fill before a file is read.
const mostPrompt = 0.4

func promptTooLarge(s *plan.Step, around Surroundings) string {
	tokens := int(float64(around.shared+len(s.Text)) / builtin.BytesPerToken)
	if s.Run != "" || around.Window == 0 || float64(tokens) <= mostPrompt*float64(around.Window) {
		return ""
	}
	return fmt.Sprintf("its prompt is more than %d tokens of the model's %d, before a file is read", tokens, around.Window)
}

// missingFile is about files that must exist: those to modify or delete.
func missingFile(s *plan.Step, around Surroundings) string {
	for _, name := range plan.Literals(s.Files) {
		action := s.ActionOn(name)
		if (action == "modify" || action == "delete") && !around.Exists(name) && !around.earlier.before(s, name) {
			return fmt.Sprintf("it is to %s %s, which does not exist", action, name)
		}
	}
	return ""
}

// ignoredFile is about files that no commit can contain.
func ignoredFile(s *plan.Step, around Surroundings) string {
	for _, name := range plan.Literals(s.Files) {
		if s.Run == "" && around.ignored[name] {
			return "git ignores " + name + ", so that no commit has it"
		}
	}
	return ""
}

// ignoredFiles are the files that steps name and git ignores.
func ignoredFiles(ctx context.Context, c *checkout.Checkout, p *plan.Plan) (map[string]bool, error) {
	var names []string
	for i := range p.Steps {
		for _, name := range plan.Literals(p.Steps[i].Files) {
			if filepath.IsLocal(name) && name != "." {
				names = append(names, name)
			}
		}
	}
	ignored, err := worktree.WouldIgnore(ctx, c.Repo, names)
	if git.Code(err) > 0 { // one is below a link, or in a submodule: git cannot say, and no plan is refused for it
		return nil, nil
	}
	return ignored, err
}

// withoutAgent is about a step that names an agent of its own.
func withoutAgent(s *plan.Step, around Surroundings) string {
	if s.Agent == "" || s.Run != "" || around.Agent(s.Agent) {
		return ""
	}
	return fmt.Sprintf("no agent is called %s here", s.Agent)
}
