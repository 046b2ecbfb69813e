package checkout

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/git"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/prompt"
	"github.com/git-plan/git-plan/gitplan/settings"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// ReadProposals takes settings and prompts from .gitplan of the base commit, so that a branch cannot change its
// own rules. It returns a warning for each ignored key, and ErrTemplate if a prompt is invalid.
func (c *Checkout) ReadProposals(ctx context.Context, base string) (warnings []string, err error) {
	if base == "" {
		return nil, nil
	}
	if folder, err := c.Repo.Read(ctx, base+":.gitplan"); err != nil || folder.Type != "tree" {
		return nil, nil
	}
	warnings = readConfig(ctx, c, base)
	own := map[agent.Role]string{}
	for _, role := range prompt.Worded() {
		name := prompt.PromptFolder + "/" + string(role) + ".md"
		o, err := c.Repo.Read(ctx, base+":"+name)
		if err != nil || o.Type != "blob" {
			continue
		}
		own[role] = strings.ReplaceAll(string(o.Data), "\r\n", "\n")
		if err := prompt.CheckTemplate(role, own[role]); err != nil {
			return warnings, fault.New(fault.ErrTemplate, "%s of %s, %v", name, base, err)
		}
	}
	c.Prompts = own
	return warnings, nil
}

func readConfig(ctx context.Context, c *Checkout, base string) (warnings []string) {
	o, err := c.Repo.Read(ctx, base+":"+settings.RepositoryConfig)
	if err != nil || o.Type != "blob" {
		return nil
	}
	out, err := c.Repo.Capture(ctx, git.Command{Args: []string{"config", "--file", "-", "--no-includes", "--list", "-z"},
		Stdin: bytes.NewReader(o.Data)})
	if err != nil {
		return []string{fmt.Sprintf("%s of %s is not a valid configuration: %v", settings.RepositoryConfig,
			visible.OneLine(base, 100), err)}
	}
	proposed := map[string]string{}
	for _, entry := range git.Names(out) {
		key, value, _ := strings.Cut(entry, "\n")
		if why := settings.Refused(key, value); why != "" {
			warnings = append(warnings, fmt.Sprintf("%s: %s is ignored: %s", settings.RepositoryConfig, visible.OneLine(key, 100), why))
			continue
		}
		proposed[key] = value
	}
	c.Config.Proposed = proposed
	return warnings
}

// Template returns a template of a plan: one of the repository, from the base commit, or a built-in one. ErrNoTemplate.
func (c *Checkout) Template(ctx context.Context, base, kind string) (string, error) {
	kind = cmp.Or(kind, prompt.PlainTemplate)
	if base != "" && !strings.ContainsAny(kind, "/\\:\x00") {
		if o, err := c.Repo.Read(ctx, base+":"+prompt.TemplateFolder+"/"+kind+".md"); err == nil && o.Type == "blob" &&
			len(o.Data) <= prompt.MaxTemplate {
			return string(o.Data), nil
		}
	}
	if text, ok := prompt.PlanTemplate(kind); ok {
		return text, nil
	}
	return "", fault.New(fault.ErrNoTemplate, "there is no template %s; the built-in templates are %s", kind,
		strings.Join(prompt.PlanTemplates(), ", "))
}

// StepPrompt returns what writes the prompts of a step; instructions are read now, before a session changes them.
func (c *Checkout) StepPrompt(ctx context.Context, step *plan.Step) func(prompt.Attempt) agent.Prompt {
	own, _ := prompt.Instructions(c.Repo.Top, prompt.MaxInstructions)
	const perToken = 0.5 // bytes of the map for each token of the model's context: a seventh of it
	room := int(perToken * float64(c.Config.Window(agent.Executor)))
	return func(try prompt.Attempt) agent.Prompt {
		if try.Dir != "" {
			try.Code = prompt.MapFor(ctx, c.Repo, try.Dir, step, room)
		}
		return c.Prompts.Step(c.Doc.Plan, c.Progress, step, try, own, prompt.Budget)
	}
}
