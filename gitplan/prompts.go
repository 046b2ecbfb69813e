package gitplan

import (
	"context"
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/git-plan/git-plan/gitplan/agent"
)

// Prompts are the templates of what sessions are told. A template is text with
// variables, as {{step}}, each of which is a whole section or nothing. What
// stands before the first variable is the contract: it is the same for every
// session of the role, so that a provider can keep it cached. The zero Prompts
// are the built-in ones; a repository may have its own.
type Prompts map[agent.Role]string

var (
	//go:embed prompts/executor.md
	executorPrompt string
	//go:embed prompts/fixer.md
	fixerPrompt string
	//go:embed prompts/planner.md
	plannerPrompt string
)

// variables are those a template of a role may hold, and whether it must.
var variables = map[agent.Role]map[string]bool{
	agent.Executor: {"instructions": false, "rules": true, "plan": false, "context": false, "steps": false,
		"step": true, "checks": false, "attempts": true, "facts": true},
	agent.Fixer: {"instructions": false, "rules": true, "plan": false, "checks": false,
		"findings": true, "attempts": true, "facts": true},
	agent.Planner: {"instructions": false, "repository": false, "template": false, "goal": true, "context": true, "plan": true,
		"attempts": true, "facts": true},
}

// promptFolder is where a repository keeps templates of its own, <role>.md.
const promptFolder = ".gitplan/prompts"

// maxTemplate bounds a template, in bytes.
const maxTemplate = 64 << 10

var variable = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\{\{[ \t]*([^{}\n]*?)[ \t]*\}\}\n*`)
})

// readPrompts reads the templates of the repository as the base commit has
// them, so that a branch cannot rewrite what its own sessions are told.
func (c *Checkout) readPrompts(ctx context.Context, base string) error {
	own := c.builtinPrompts()
	for role := range variables {
		name := promptFolder + "/" + string(role) + ".md"
		o, err := c.Repo.Read(ctx, base+":"+name)
		if err != nil || o.Type != "blob" {
			continue
		}
		text := strings.ReplaceAll(string(o.Data), "\r\n", "\n")
		if err := checkTemplate(role, text); err != nil {
			return fault(ErrTemplate, "%s of %s, %v", name, oneLine(base, 100), err)
		}
		own[role] = text
	}
	c.Prompts = own
	return nil
}

// builtinPrompts are those that the configuration wants otherwise.
func (c *Checkout) builtinPrompts() Prompts {
	own := Prompts{}
	if keep, _ := c.Config.Bool("plan.keepCommits"); keep {
		own[agent.Executor] = strings.Replace(executorPrompt, mayNotCommit, mayCommit, 1)
	}
	return own
}

// What the executor's contract says of commits, and what it says with plan.keepCommits.
const (
	mayNotCommit = "- Do not commit, stage, stash, switch or reset: the program commits your work as one commit when its checks pass."
	mayCommit    = "- You may commit on this branch, in parts that belong together; where git does not let you, leave it. When its checks pass the program inspects each of these commits, makes it anew and commits what is left. Do not merge, rebase, stash, switch or reset."
)

// checkTemplate says what is wrong with a template, and in which line.
func checkTemplate(role agent.Role, text string) error {
	if len(text) > maxTemplate {
		return fmt.Errorf("line 1: it is longer than %d bytes", maxTemplate)
	}
	var used []string
	for _, m := range variable().FindAllStringSubmatchIndex(text, -1) {
		name := text[m[2]:m[3]]
		line := 1 + strings.Count(text[:m[0]], "\n")
		switch _, known := variables[role][name]; {
		case !known:
			return fmt.Errorf("line %d: there is no variable {{%s}}; there are %s", line, oneLine(name, 60), strings.Join(variablesOf(role), ", "))
		case slices.Contains(used, name):
			return fmt.Errorf("line %d: {{%s}} stands here a second time", line, name)
		}
		used = append(used, name)
	}
	for _, name := range variablesOf(role) {
		if variables[role][name] && !slices.Contains(used, name) {
			return fmt.Errorf("line %d: {{%s}} is missing", 1+strings.Count(text, "\n"), name)
		}
	}
	return nil
}

func variablesOf(role agent.Role) []string {
	var out []string
	for name := range variables[role] {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

// fill makes the prompt of a role. Its first line is always ours: it tells what
// answers in a model's place which role is meant.
func (t Prompts) fill(role agent.Role, p parts) agent.Prompt {
	text, own := t[role]
	if !own {
		text = map[agent.Role]string{agent.Executor: executorPrompt, agent.Fixer: fixerPrompt, agent.Planner: plannerPrompt}[role]
	}
	system, user := text, ""
	if at := variable().FindStringIndex(text); at != nil {
		system, user = text[:at[0]], text[at[0]:]
	}
	user = variable().ReplaceAllStringFunc(user, func(v string) string {
		return p[variable().FindStringSubmatch(v)[1]]
	})
	return agent.Prompt{System: "Role: " + string(role) + "\n\n" + strings.TrimSpace(system) + "\n", User: user}
}
