package main

import (
	"fmt"
	"strings"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/settings"
)

// Arm is a way to reach a goal.
type Arm struct {
	Name, Doc string
	// Long is one session for the whole goal: a plan of one step, without a planner.
	Long bool
	// NoReview skips everything after the last step.
	NoReview bool
	// Set is the configuration that differs from the default.
	Set map[string]string
	// Strong are the roles that use the stronger of two models.
	Strong []agent.Role
}

// arms lists them. The others are compared with the first.
var arms = []Arm{
	{Name: "plan", Doc: "git plan new, git plan run"},
	{Name: "long", Doc: "one session of the same agent, with the project's check as its only gate", Long: true, NoReview: true},
	{Name: "plan-norev", Doc: "plan, without verification and review", NoReview: true},
	{Name: "mixed", Doc: "plan, with the stronger model as the planner and its critic: against plan (the weaker alone) and strong", Strong: []agent.Role{agent.Planner, agent.Critic}},
	{Name: "strong", Doc: "plan, with the stronger model alone", Strong: settings.Roles},
	{Name: "plan-clone", Doc: "plan, with sessions in private clones", Set: map[string]string{"plan.isolation": "clone"}},
}

// armsNamed returns some arms, in the order in which they are named.
func armsNamed(names []string) (list []Arm, err error) {
next:
	for _, name := range names {
		for _, a := range arms {
			if a.Name == name {
				list = append(list, a)
				continue next
			}
		}
		var known []string
		for _, a := range arms {
			known = append(known, a.Name)
		}
		return nil, fmt.Errorf("there is no arm %s: %s", name, strings.Join(known, ", "))
	}
	return list, nil
}

// commands returns the commands for a task. plan is the path of a file with its longPlan.
func (a Arm) commands(t *Task, plan string) [][]string {
	first := []string{"new", "--yes", "-b", "work", "--", t.Goal}
	if a.Long {
		first = []string{"new", "--yes", "-b", "work", "-F", plan}
	}
	run := []string{"run"}
	if a.NoReview {
		run = append(run, "--no-review")
	}
	return [][]string{first, run}
}

// longPlan is the plan whose only step is the whole goal.
func longPlan(t *Task) string {
	title, rest, _ := strings.Cut(t.Goal, "\n")
	title = strings.TrimLeft(title, "# ")
	return fmt.Sprintf("# %s\n\n## Checks\n\n- `%s`\n\n## Steps\n\n- [ ] **%s** {#goal}\n  - Do: %s\n\n    %s\n",
		title, check, title, title, strings.ReplaceAll(strings.TrimSpace(rest), "\n", "\n    "))
}
