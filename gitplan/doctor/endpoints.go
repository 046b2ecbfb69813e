package doctor

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/agent/builtin"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// ExamineEndpoints asks the endpoint of each role whether it takes the key, and whether it
// lists the role's model. Command-line agents are not asked: only a session would show.
func ExamineEndpoints(ctx context.Context, c *checkout.Checkout) []Symptom {
	var out []Symptom
	var endpoints []*builtin.Agent
	models := map[string][]string{} // by endpoint
	for _, role := range c.Config.Roles() {
		a, err := c.Config.Agent(role)
		o, ok := a.(*builtin.Agent)
		if err != nil || !ok {
			continue
		}
		if models[o.BaseURL] == nil {
			endpoints = append(endpoints, o)
		}
		if !slices.Contains(models[o.BaseURL], o.Model) {
			models[o.BaseURL] = append(models[o.BaseURL], o.Model)
		}
	}
	for _, o := range endpoints {
		s := Symptom{About: "endpoint", Found: Fine, Text: visible.OneLine(o.BaseURL, 200) + " answers"}
		if err := o.Reach(ctx); err != nil {
			s.Found, s.Text = Wrong, visible.OneLine(o.BaseURL, 200)+": "+err.Error()
			s.Fix = fmt.Sprintf("git config planAgent.%s.baseURL URL, or the variable with its key", o.AgentName)
		} else if missing, n := o.Unlisted(ctx, models[o.BaseURL]); len(missing) > 0 {
			s.Found, s.Text = Unused, fmt.Sprintf("%s; %s is not among the %d models that it lists", s.Text, visible.OneLine(strings.Join(missing, ", "), 400), n)
			s.Fix = fmt.Sprintf("if sessions fail for that: git config planAgent.%s.model MODEL, or plan.ROLE.model", o.AgentName)
		}
		out = append(out, s)
	}
	if len(out) == 0 {
		out = append(out, Symptom{About: "endpoint", Found: Unused, Text: "no role has one"})
	}
	return out
}
