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
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/settings"
	"github.com/git-plan/git-plan/gitplan/visible"
	"github.com/git-plan/git-plan/gitplan/work"
)

// examineSettings finds the settings that have no effect or are invalid.
func examineSettings(c *checkout.Checkout) []Symptom {
	var out []Symptom
	for _, s := range c.Config.Settings() {
		wrong := Symptom{About: visible.OneLine(s.Key, 200), Found: Wrong}
		switch err := WrongSettings(c, s); {
		case s.Scope == "unknown":
			wrong.Text = err.Error()
		case err == nil, s.Key == "plan.sandbox": // examineSandbox reports that
			continue
		default:
			wrong.Text, wrong.Fix = err.Error(), "git config "+wrong.About+" VALUE"
			if f := (*fault.Fault)(nil); errors.As(err, &f) && f.Next != "" {
				wrong.Fix = strings.TrimPrefix(f.Next, "fix the setting: ")
			}
		}
		out = append(out, wrong)
	}
	return out
}

// WrongSettings returns the problem of a value that a person has set, nil without one.
func WrongSettings(c *checkout.Checkout, s settings.Setting) (err error) {
	if s.Scope == "default" || s.Scope == "repository" {
		return nil
	}
	switch s.Kind {
	case settings.Text:
	case "": // no key
		err = fmt.Errorf("%s, set in %s, is not a setting, so it has no effect%s", s.Key, visible.OneLine(s.Origin, 400), settings.DidYouMean(s.Key))
	case settings.Number:
		_, err = c.Config.Int(s.Key)
	case settings.Time:
		_, err = c.Config.Duration(s.Key)
	case settings.Budget:
		err = work.CheckBudget(c.Config, s.Key)
	case settings.Command: // what runs it reports that its program is missing
	default:
		_, err = c.Config.Word(s.Key)
	}
	return err
}

// ExamineEndpoints asks the endpoint of each role whether it can be reached, takes the key and has the model.
func ExamineEndpoints(ctx context.Context, c *checkout.Checkout) (out []Symptom) {
	asked := map[string]bool{}
	for _, role := range c.Config.Roles() {
		a, err := c.Config.Agent(role)
		o, ok := a.(*builtin.Agent)
		if err != nil || !ok {
			continue
		}
		name, _ := c.Config.Model(o.Endpoint.AgentName, role)
		name = cmp.Or(name, o.Model)
		at := o.Endpoint.AgentName + "\x00" + name
		if asked[at] {
			continue
		}
		asked[at] = true
		s := Symptom{About: "endpoint", Found: Fine, Text: visible.OneLine("asked "+o.Endpoint.BaseURL+": it has "+name, 300)}
		lists, err := o.Endpoint.Reach(ctx, name)
		if !lists {
			s.Found, s.Text = Unused, visible.OneLine("asked "+o.Endpoint.BaseURL+": it answers; whether it has "+name+", a session shows", 300)
		}
		if err != nil {
			s.Found, s.Text = Wrong, visible.OneLine("asked "+o.Endpoint.BaseURL, 200)+": "+err.Error()
			s.Fix = "git config planAgent." + o.Endpoint.AgentName + ".baseURL URL"
			var f *model.Fault
			if errors.As(err, &f) {
				s.Fix = cmp.Or(o.Endpoint.Hint(ctx, f, name), s.Fix)
			}
		}
		if !slices.Contains(out, s) { // for another model
			out = append(out, s)
		}
	}
	return out
}
