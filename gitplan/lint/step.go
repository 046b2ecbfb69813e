package lint

import (
	"context"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/agent/builtin"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/git/worktree"
	"github.com/git-plan/git-plan/gitplan/plan"
)

// inStep returns the weaknesses of one step.
func inStep(s *plan.Step, around Surroundings) (out []plan.Weakness) {
	find := func(rule, text, fix string) {
		if text != "" {
			out = append(out, plan.Weakness{Rule: rule, Line: s.Line, Step: s.ID, Text: text, Fix: fix})
		}
	}
	find("no-check", withoutCheck(s, around), "give it a Check with a command in backticks, or the plan a section Checks with one")
	find("no-own-check", withoutOwnCheck(s, around), "give it a Check that fails before it and passes after it")
	if s.Run == "" && len(s.Files) == 0 {
		find("no-files", "it has no Files, so changes elsewhere go unnoticed", "add Files: the paths it may touch, or globs")
	}
	find("outside", outside(s), "name each by its path from the top of the repository")
	if minutes := plan.MinutesOf(s.Estimate); minutes > mostMinutes {
		find("too-long", fmt.Sprintf("its estimate is %d minutes", minutes), "make steps of 15 to 60 minutes of it")
	}
	tokens := int(float64(around.shared+len(s.Text)) / builtin.BytesPerToken)
	if s.Run == "" && around.Window > 0 && float64(tokens) > mostPrompt*float64(around.Window) {
		find("prompt", fmt.Sprintf("its prompt is more than %d tokens of the model's %d, before a file is read", tokens, around.Window),
			"shorten the plan's context, or make two steps of it")
	}
	names := plan.Literals(s.Files)
	if i := slices.IndexFunc(names, func(name string) bool { return around.ignored[name] }); s.Run == "" && i >= 0 {
		find("ignored", "git ignores "+names[i]+", so that no commit has it", "take it out of Files, or have git no longer ignore it")
	}
	find("missing-file", missingFile(s, around), "correct the path, or set Action: create")
	if s.Agent != "" && s.Run == "" && !around.Agent(s.Agent) {
		find("no-agent", fmt.Sprintf("no agent is called %s here", s.Agent), "correct the field Agent, or set that agent up; git plan doctor lists them")
	}
	return out
}

// mostMinutes bounds the estimate of a step that one session can do well.
const mostMinutes = 60

// outside is about paths that no change of the repository can contain.
func outside(s *plan.Step) string {
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

// mostPrompt is the share of a model's window that the plan's own text may fill before a file is read.
const mostPrompt = 0.4

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
