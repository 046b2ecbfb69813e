package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

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

// evaluated is the endpoint's name in the configuration.
const evaluated = "evaluated"

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
	name := a.Program
	if name == "" {
		name = evaluated
	}
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
