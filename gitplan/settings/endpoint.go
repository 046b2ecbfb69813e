package settings

import (
	"cmp"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/agent/builtin"
	"github.com/git-plan/git-plan/gitplan/agent/model"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// endpoint returns the built-in agent for an OpenAI-compatible endpoint.
func (c *Config) endpoint(name string, role agent.Role) (agent.Agent, error) {
	o := builtin.Agent{Endpoint: model.Endpoint{AgentName: name, Capabilities: &c.capabilities}}
	err := c.address(&o, role)
	if err != nil {
		return nil, err
	}
	o.Model, o.Effort = c.Model(name, role)
	if o.Model == "" && model.Host(o.Endpoint.BaseURL) == model.Host(model.OpenAI) {
		o.Model = openAIModel
	}
	if o.Model == "" {
		return nil, c.Wrong("planAgent."+name+".model", "MODEL", "agent %s has no model: planAgent.%s.model names it", name, name)
	}
	if o.Price, err = c.Price(name); err != nil {
		return nil, err
	}
	if err := c.timeouts(&o.Endpoint, role); err != nil {
		return nil, err
	}
	a, err := builtin.New(o)
	if err != nil {
		return nil, fault.New(fault.ErrAgentSetup, "agent %s: %v", name, err)
	}
	return a, nil
}

// address sets the endpoint's URL, and the key and certificates for it.
func (c *Config) address(o *builtin.Agent, role agent.Role) (err error) {
	name := o.Endpoint.AgentName
	base, _ := c.Get("planAgent." + name + ".baseURL")
	if base == "" && name != openAI {
		return c.unknownAgent(role, name)
	}
	fromEnv := base == ""
	if fromEnv {
		base = os.Getenv("OPENAI_BASE_URL")
	}
	base = cmp.Or(base, model.OpenAI)
	if !strings.HasPrefix(base, "http://") && !strings.HasPrefix(base, "https://") {
		base = visible.OneLine(base, 200)
		return c.Wrong("planAgent."+name+".baseURL", "http://"+base,
			"the base URL of agent %s has no scheme: is it http://%s?", name, base)
	}
	if model.Host(base) == "" {
		return c.Wrong("planAgent."+name+".baseURL", "URL", "the base URL of agent %s names no host", name)
	}
	o.Endpoint.BaseURL = base
	if err = c.key(o, base, fromEnv); err != nil && c.runsRemotely(role) {
		return nil // the key is there
	}
	return err
}

// timeouts sets how long to wait out rate limits, outages and silence, with time to repeat a silent call.
func (c *Config) timeouts(e *model.Endpoint, role agent.Role) (err error) {
	if e.Wait, err = c.Duration("plan.waitOnLimit"); err != nil {
		return err
	}
	e.Outage = e.Wait
	if other := c.Role(role, "fallback"); other != "none" && other != e.AgentName {
		e.Wait = min(e.Wait, waitBeforeFallback)
	}
	e.FirstDelay = min(max(e.Wait, time.Millisecond), time.Second)
	idle, err := c.Duration("plan." + string(role) + ".idleTimeout")
	e.FirstByte, e.Idle = idle/2, min(idle/2, 2*time.Minute)
	return err
}

// key sets the key for an endpoint, to whose host it is bound. On this machine none is needed unless apiKeyEnv is set.
func (c *Config) key(o *builtin.Agent, base string, fromEnv bool) error {
	name := o.Endpoint.AgentName
	variable, ok := c.Get("planAgent." + name + ".apiKeyEnv")
	h := model.Host(base)
	if !ok {
		switch {
		case h == model.Host(model.OpenAI) || fromEnv:
			variable = "OPENAI_API_KEY"
		case h == "openrouter.ai":
			variable = "OPENROUTER_API_KEY"
		case model.IsAzure(h):
			variable = "AZURE_OPENAI_API_KEY"
		}
		if variable != "" && !fromEnv && !strings.HasPrefix(base, "https://") {
			f := c.noKey(name, "planAgent.%s.baseURL is not https, so %s would go to %s unencrypted", name, variable, h)
			f.Next = "use https: " + setting("planAgent."+name+".baseURL", "https://"+strings.TrimPrefix(base, "http://"))
			return f
		}
	}
	if variable != "" {
		o.Endpoint.Key, o.Endpoint.KeyVariable = os.Getenv(variable), variable
	}
	switch {
	case o.Endpoint.Key != "" || model.IsLoopback(h) && (variable == "" || !ok):
		return nil
	case variable == "":
		return c.noKey(name, "planAgent.%s.apiKeyEnv does not name the variable with the key for %s", name, h)
	}
	f := c.noKey(name, "%s is empty: no key for %s", variable, h)
	f.Next = "set it: export " + visible.Shell(variable) + "=KEY"
	return f
}

// noKey returns the error for an endpoint that no key can be sent to.
func (c *Config) noKey(name, format string, args ...any) *fault.Fault {
	return &fault.Fault{Kind: fault.ErrNoKey, Text: fmt.Sprintf(format, args...),
		Next: "name the variable: " + setting("planAgent."+name+".apiKeyEnv", "VARIABLE")}
}

// Price returns planAgent.<name>.price, in US dollars per million tokens; zero if it is not set.
func (c *Config) Price(name string) (agent.Price, error) {
	v, ok := c.Get("planAgent." + name + ".price")
	if !ok || v == "" {
		return agent.Price{}, nil
	}
	parts := strings.Split(v, ",")
	var n []float64
	for _, part := range parts {
		f, err := strconv.ParseFloat(strings.TrimSpace(part), 64)
		if err != nil || f < 0 || len(parts) < 3 || len(parts) > 4 {
			return agent.Price{}, c.Wrong("planAgent."+name+".price", "IN, CACHED, OUT",
				"planAgent.%s.price is %q: it must be three or four numbers: in, cached, out, written to the cache", name, v)
		}
		n = append(n, f)
	}
	return agent.Price{In: n[0], Cached: n[1], Out: n[2], Written: append(n, agent.WrittenToIn*n[0])[3]}, nil
}

// Window returns the context window of a role's model, in tokens, as usual for where it runs.
func (c *Config) Window(role agent.Role) int {
	name := c.AgentName(role)
	if base, _ := c.Get("planAgent." + name + ".baseURL"); model.IsLoopback(model.Host(base)) {
		return model.LocalWindow
	}
	return model.UsualWindow
}
