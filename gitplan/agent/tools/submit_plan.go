package tools

import (
	_ "embed" // the descriptions of tools
	"errors"
	"strings"

	"github.com/git-plan/git-plan/gitplan/agent"
)

//go:embed submit_plan.md
var aboutSubmitPlan string

func submitPlan() Tool {
	return Tool{Name: "submit_plan", About: aboutSubmitPlan,
		args: []arg{text("plan", "the whole text of plan.md", "content", "text").must()},
		End: func(_ agent.Session, v Values) (agent.Result, error) {
			plan := v.text("plan")
			if strings.TrimSpace(plan) == "" {
				return agent.Result{}, errors.New("the plan is empty")
			}
			return agent.Result{Status: agent.Done, Answer: plan}, nil
		}}
}
