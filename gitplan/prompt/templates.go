package prompt

import (
	"embed"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/settings"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// Prompts holds a template for each role, whose variables such as {{step}} become a section or nothing. The text
// before the first one is the same for every session of the role, so that a provider can cache it.
type Prompts map[agent.Role]string // the repository's; a role without an entry has the built-in template

// The templates of prompts; and those of plans: whole plans that parse, with explanations in comments.
//
//go:embed prompts/*.md templates/*.md
var templates embed.FS

// Builtin returns the program's template of a role.
func Builtin(role agent.Role) string {
	text, _ := templates.ReadFile("prompts/" + string(role) + ".md")
	return string(text)
}

// Variables holds for each role the variables that its template may have, and whether it must.
var Variables = map[agent.Role]map[string]bool{
	agent.Executor: {"instructions": false, "rules": true, "plan": false, "context": false, "repository": false, "steps": false,
		"step": true, "checks": false, "files": false, "attempts": true, "facts": true},
	agent.Fixer: {"instructions": false, "rules": true, "plan": false, "context": false, "steps": false, "checks": false,
		"findings": true, "attempts": true, "facts": true},
	agent.Planner: {"instructions": false, "repository": false, "template": false, "goal": true, "context": true, "plan": true,
		"attempts": true, "facts": true},
}

const (
	PromptFolder   = ".gitplan/prompts"   // the folder of a repository's prompt templates, <role>.md
	MaxTemplate    = 64 << 10             // the maximum size of a template, in bytes
	TemplateFolder = ".gitplan/templates" // the folder of a repository's plan templates, <name>.md
	PlainTemplate  = "plan"               // the name of the template with which the editor opens by default
)

var variable = visible.NewPattern(`\{\{[ \t]*([^{}\n]*?)[ \t]*\}\}\n*`)

// Worded returns the roles whose prompt a repository may word itself.
func Worded() []agent.Role {
	return slices.DeleteFunc(slices.Clone(settings.Roles), func(r agent.Role) bool { return Variables[r] == nil })
}

// CheckTemplate returns the first error of a template, with its line.
func CheckTemplate(role agent.Role, text string) error {
	if len(text) > MaxTemplate {
		return fmt.Errorf("line 1: it is longer than %d bytes", MaxTemplate)
	}
	var used []string
	known := slices.Sorted(maps.Keys(Variables[role]))
	for _, m := range variable().FindAllStringSubmatchIndex(text, -1) {
		name := text[m[2]:m[3]]
		line := 1 + strings.Count(text[:m[0]], "\n")
		switch {
		case !slices.Contains(known, name):
			return fmt.Errorf("line %d: there is no variable {{%s}}; there are %s", line, visible.OneLine(name, 60),
				strings.Join(known, ", "))
		case slices.Contains(used, name):
			return fmt.Errorf("line %d: {{%s}} is here a second time", line, name)
		}
		used = append(used, name)
	}
	missing := slices.DeleteFunc(known, func(name string) bool {
		return !Variables[role][name] || slices.Contains(used, name)
	})
	if len(missing) > 0 {
		return fmt.Errorf("line %d: missing: {{%s}}", 1+strings.Count(text, "\n"), strings.Join(missing, "}}, {{"))
	}
	return nil
}

// fill returns the prompt of a role. Its first line, from which programs read the role, is never the repository's.
func (t Prompts) fill(role agent.Role, v parts) agent.Prompt {
	text, own := t[role]
	if !own {
		text = Builtin(role)
	}
	system, user := text, ""
	if at := variable().FindStringIndex(text); at != nil {
		system, user = text[:at[0]], text[at[0]:]
	}
	user = variable().ReplaceAllStringFunc(user, func(name string) string {
		return v[variable().FindStringSubmatch(name)[1]]
	})
	return agent.Prompt{System: "Role: " + string(role) + "\n\n" + strings.TrimSpace(system) + "\n", User: user}
}

// PlanTemplate returns a built-in template of a plan, the shape to follow.
func PlanTemplate(name string) (text string, ok bool) {
	b, err := templates.ReadFile("templates/" + name + ".md")
	return string(b), err == nil
}

// PlanTemplates returns the names of the built-in templates of plans, sorted.
func PlanTemplates() []string {
	files, _ := fs.Glob(templates, "templates/*.md")
	for i, file := range files {
		files[i] = strings.TrimSuffix(path.Base(file), ".md")
	}
	return files
}
