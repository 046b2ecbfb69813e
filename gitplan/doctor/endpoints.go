package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/agent/builtin"
	"github.com/git-plan/git-plan/gitplan/agent/model"
	"github.com/git-plan/git-plan/gitplan/checkout"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// ExamineEndpoints asks the endpoint of each role whether it takes the key, and whether it
// lists the role's model. Command-line agents are not asked: only a session would show.
func ExamineEndpoints(ctx context.Context, c *checkout.Checkout) []Symptom {
	var out []Symptom
	var endpoints []*builtin.Agent
	models := map[string][]string{} // by agent
	for _, role := range c.Config.Roles() {
		a, err := c.Config.Agent(role)
		o, ok := a.(*builtin.Agent)
		if err != nil || !ok {
			continue
		}
		if models[o.AgentName] == nil {
			endpoints = append(endpoints, o)
		}
		if !slices.Contains(models[o.AgentName], o.Model) {
			models[o.AgentName] = append(models[o.AgentName], o.Model)
		}
	}
	for _, o := range endpoints {
		out = append(out, examineEndpoint(ctx, o, models[o.AgentName]))
	}
	return out
}

// examineEndpoint asks one endpoint, for some models.
func examineEndpoint(ctx context.Context, o *builtin.Agent, models []string) Symptom {
	s := Symptom{About: "endpoint", Found: Fine, Text: visible.OneLine(o.BaseURL, 200)}
	set := "git config planAgent." + o.AgentName + "."
	if err := o.Reach(ctx); err != nil {
		s.Found, s.Text, s.Fix = Wrong, s.Text+": "+err.Error(), set+"baseURL URL"
		var f *model.Fault
		if errors.As(err, &f) {
			s.Fix = cmp.Or(o.Remedy(ctx, f, ""), s.Fix)
		}
		return s
	}
	missing, names := o.Unlisted(ctx, models)
	switch {
	case len(missing) > 0: // many serve more than they list
		s.Found, s.Text = Unused, fmt.Sprintf("%s answers, and does not list %s", s.Text, visible.OneLine(strings.Join(missing, ", "), 400))
		s.Fix = fmt.Sprintf("it lists %s: %smodel %s", visible.Few(names), set, visible.Shell(names[0]))
	case len(names) > 0:
		s.Text += " has " + visible.OneLine(strings.Join(models, ", "), 400)
	default:
		s.Text += " answers"
	}
	return s
}
