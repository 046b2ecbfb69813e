package tools

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/git-plan/git-plan/gitplan/agent"
)

// For returns the tools that a session of a role may call with a model, always in the same order,
// since providers cache by prefix.
func For(r agent.Role, model string) []Tool {
	tools := []Tool{readFile(), listFiles(), search()}
	if r.Writes() {
		tools = append(tools, writeFile(), editFile())
		if patchers.MatchString(model) {
			tools = append(tools, applyPatch())
		}
		tools = append(tools, runCommand())
	}
	switch r {
	case agent.Planner:
		tools = append(tools, submitPlan())
	case agent.Critic:
		tools = append(tools, submitCritique())
	case agent.Reviewer: // both have the same, so that a verifier finds the tools in the cache
		tools = append(tools, submitReview(), submitAnswers().ofAnother(r))
	case agent.Verifier:
		tools = append(tools, submitReview().ofAnother(r), submitAnswers())
	}
	return append(tools, finish(r))
}

// Named returns the tool of a name. The error, for the model, names those there are.
func Named(tools []Tool, name string) (Tool, error) {
	var names []string
	for _, t := range tools {
		if t.Name == name {
			return t, nil
		}
		names = append(names, t.Name)
	}
	return Tool{}, fmt.Errorf("there is no tool %q; there are %s", agent.OneLine(name, 80), strings.Join(names, ", "))
}

// ofAnother returns a tool that ends sessions of another role: a call of it is refused.
func (t Tool) ofAnother(r agent.Role) Tool {
	t.End = func(agent.Session, Values) (agent.Result, error) {
		return agent.Result{}, fmt.Errorf("%s does not end your session: call %s", t.Name, submits(r))
	}
	return t
}

// Ends returns the name of the tool with which a session of a role ends when all went well.
func Ends(r agent.Role) string { return cmp.Or(submits(r), "finish") }

// submits returns the name of the tool with which a role gives its answer.
func submits(r agent.Role) string {
	switch r {
	case agent.Planner:
		return "submit_plan"
	case agent.Critic, agent.Reviewer:
		return "submit_review"
	case agent.Verifier:
		return "submit_answers"
	}
	return ""
}
