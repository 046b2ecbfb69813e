package agent

import (
	_ "embed" // the descriptions of tools
	"errors"
	"strings"
)

//go:embed tool_submit_plan.md
var aboutSubmitPlan string

func submitPlan() tool {
	return tool{name: "submit_plan", about: aboutSubmitPlan,
		args: []arg{text("plan", "the whole text of plan.md", "content", "text").must()},
		end: func(_ Role, v values) (Result, error) {
			plan := v.text("plan")
			if strings.TrimSpace(plan) == "" {
				return Result{}, errors.New("the plan is empty")
			}
			return Result{Status: Done, Answer: plan}, nil
		}}
}
