package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/gitplan/settings"
)

// Agent is the agent in all roles.
type Agent struct {
	Name    string // in results
	Model   string
	Base    string // of an endpoint
	KeyEnv  string // the variable with its key, which only git-plan gets
	Price   string // in the format of planAgent.NAME.price
	Effort  string // of all roles
	Strong  string // the model of the arms mixed and strong
	Program string // an installed agent: claude, codex, gemini, opencode
}

// check reports an error in how an agent was named.
func (a *Agent) check() error {
	switch {
	case a.Program != "":
		a.Name = a.Program
		if a.Base != "" {
			return errors.New("an endpoint (BASE) is asked by the built-in agent, not by " + a.Program + ": name one of them")
		}
		if _, ok := proc.Find(a.Program); !ok {
			return fmt.Errorf("%s is not installed", a.Program)
		}
	case a.Base != "" && a.Model != "":
		a.Name = "openai"
	default:
		return errors.New("name who works: MODEL=NAME BASE=URL [KEYENV=VARIABLE], or AGENT=claude")
	}
	if a.KeyEnv != "" && os.Getenv(a.KeyEnv) == "" {
		return fmt.Errorf("the variable %s, which KEYENV names, is not set", a.KeyEnv)
	}
	return nil
}

// settings returns git plan's configuration, beside what the arm sets.
func (a *Agent) settings() map[string]string {
	name := cmp.Or(a.Program, "evaluated") // an endpoint
	set := map[string]string{"plan.agent": name}
	for _, role := range settings.Roles {
		if a.Effort != "" {
			set["plan."+string(role)+".effort"] = a.Effort
		}
	}
	for key, value := range map[string]string{"model": a.Model, "baseURL": a.Base, "apiKeyEnv": a.KeyEnv, "price": a.Price} {
		if value != "" {
			set["planAgent."+name+"."+key] = value
		}
	}
	return set
}

// environment is git-plan's environment: a key only if it was named.
func (a *Agent) environment(home string, more []string) []string {
	var keep []string
	if a.KeyEnv != "" {
		keep = []string{a.KeyEnv}
	}
	env := slices.DeleteFunc(proc.ProgramEnv(nil, keep...), func(kv string) bool {
		return strings.HasPrefix(kv, proc.EnvDepth+"=") // this is not inside a session
	})
	env = append(env, gitAlone...)
	return append(append(env, "GIT_CONFIG_GLOBAL="+filepath.Join(home, "gitconfig")), more...)
}

// Arm is a way to reach a goal.
type Arm struct {
	Name string
	// Long is one session for the whole goal, without a planner and a review: a plan of one step.
	Long bool
	// Strong are the roles that use the stronger of two models.
	Strong []agent.Role
}

// arms lists them. The others are compared with the first.
var arms = []Arm{
	{Name: "plan"},
	{Name: "long", Long: true},
	{Name: "mixed", Strong: []agent.Role{agent.Planner, agent.Critic}}, // against plan (the weaker alone) and strong
	{Name: "strong", Strong: settings.Roles},
}

// armsNamed returns some arms, in the order in which they are named.
func armsNamed(names []string) (list []Arm, err error) {
	for _, name := range names {
		at := slices.IndexFunc(arms, func(a Arm) bool { return a.Name == name })
		if at < 0 {
			return nil, fmt.Errorf("there is no arm %s: plan, long, mixed, strong", name)
		}
		list = append(list, arms[at])
	}
	return list, nil
}

// commands returns the commands for a task. plan is the path of a file with its longPlan.
func (a Arm) commands(t *Task, plan string) [][]string {
	if a.Long {
		return [][]string{{"new", "--yes", "-b", "work", "-F", plan}, {"run", "--no-review"}}
	}
	return [][]string{{"new", "--yes", "-b", "work", "--", t.Goal}, {"run"}}
}

// longPlan is the plan whose only step is the whole goal.
func longPlan(t *Task) string {
	title, rest, _ := strings.Cut(t.Goal, "\n")
	title = strings.TrimLeft(title, "# ")
	return fmt.Sprintf("# %s\n\n## Checks\n\n- `%s`\n\n## Steps\n\n- [ ] **%s** {#goal}\n  - Do: %s\n\n    %s\n",
		title, check, title, title, strings.ReplaceAll(strings.TrimSpace(rest), "\n", "\n    "))
}
