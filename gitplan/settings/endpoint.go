package settings

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/visible"
)

const openAIModel = "gpt-5.6"

// endpoint is the built-in agent at an OpenAI-compatible endpoint.
func (c *Config) endpoint(name string, role agent.Role) (agent.Agent, error) {
	o := agent.OpenAI{AgentName: name, Lessons: &c.lessons}
	for _, fill := range []func(*agent.OpenAI, agent.Role) error{c.address, c.modelThere, c.patience} {
		if err := fill(&o, role); err != nil {
			return nil, err
		}
	}
	a, err := agent.NewOpenAI(o)
	if err != nil {
		return nil, fault.New(fault.ErrAgentSetup, "%v", err)
	}
	return a, nil
}

// address is where the endpoint is, and what opens it.
func (c *Config) address(o *agent.OpenAI, _ agent.Role) (err error) {
	name := o.AgentName
	base, _ := c.Get("planAgent." + name + ".baseURL")
	if base == "" && name != openAI {
		return fault.New(fault.ErrAgentSetup, "agent %s is not set up: neither planAgent.%s.command nor planAgent.%s.baseURL is set", name, name, name)
	}
	fromEnv := base == ""
	if fromEnv {
		base = os.Getenv("OPENAI_BASE_URL")
	}
	if base == "" {
		base = agent.OpenAIEndpoint
	}
	if !strings.HasPrefix(base, "http://") && !strings.HasPrefix(base, "https://") {
		return fault.New(fault.ErrAgentSetup, "the base URL of agent %s has no scheme: is it http://%s?", name, visible.OneLine(base, 200))
	}
	if agent.Host(base) == "" {
		return fault.New(fault.ErrAgentSetup, "the base URL of agent %s names no host", name)
	}
	o.BaseURL, o.CAFile = base, c.certificates(name, base)
	o.API, _ = c.Get("planAgent." + name + ".api")
	o.Key, err = c.key(name, base, fromEnv)
	return err
}

// modelThere is which model answers there, what it costs, and how much it reads.
func (c *Config) modelThere(o *agent.OpenAI, role agent.Role) (err error) {
	o.Model, o.Effort = c.Model(o.AgentName, role)
	if o.Model == "" && agent.Host(o.BaseURL) == agent.Host(agent.OpenAIEndpoint) {
		o.Model = openAIModel
	}
	if o.Model == "" {
		return fault.New(fault.ErrAgentSetup, "agent %s has no model: planAgent.%s.model names it", o.AgentName, o.AgentName)
	}
	if o.Price, err = c.Price(o.AgentName); err != nil {
		return err
	}
	o.Window, err = c.window(o.AgentName)
	return err
}

// patience is how long limits and silence are waited out. A model call that is
// silent is made again before the session is given up for it.
func (c *Config) patience(o *agent.OpenAI, role agent.Role) (err error) {
	if o.Wait, err = c.Duration("plan.waitOnLimit"); err != nil {
		return err
	}
	if other := c.Role(role, "fallback"); other != "none" && other != o.AgentName {
		o.Wait = min(o.Wait, waitBeforeFallback)
	}
	o.FirstDelay = min(max(o.Wait, time.Millisecond), time.Second)
	idle, err := c.DurationOf("plan."+string(role)+".idleTimeout", c.Role(role, "idleTimeout"))
	o.FirstByte, o.Idle = min(idle/2, 5*time.Minute), min(idle/2, 2*time.Minute)
	return err
}

// window reads planAgent.<name>.contextWindow, in tokens; 0 where it is not set.
func (c *Config) window(name string) (int, error) {
	v, ok := c.Get("planAgent." + name + ".contextWindow")
	if !ok || v == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(v)
	if err != nil || n < 1000 {
		return 0, fault.New(fault.ErrAgentSetup, "planAgent.%s.contextWindow is %q: a number of tokens is wanted, at least 1000", name, v)
	}
	return n, nil
}

// certificates is the file with the certificates to trust for an endpoint:
// planAgent.<name>.sslCAInfo, or SSL_CERT_FILE, which Go itself would read only
// on some systems, and without a word when it cannot.
func (c *Config) certificates(name, base string) string {
	if !strings.HasPrefix(base, "https://") {
		return ""
	}
	file, _ := c.Get("planAgent." + name + ".sslCAInfo")
	if file == "" {
		return os.Getenv("SSL_CERT_FILE")
	}
	if rest, ok := strings.CutPrefix(file, "~/"); ok {
		if home, err := os.UserHomeDir(); err == nil {
			return filepath.Join(home, rest)
		}
	}
	return file
}

// key is bound to the endpoint: a key never goes to a host it was not meant
// for. An endpoint on this machine needs none.
func (c *Config) key(name, base string, fromEnv bool) (string, error) {
	variable, ok := c.Get("planAgent." + name + ".apiKeyEnv")
	h := agent.Host(base)
	if !ok {
		switch {
		case h == agent.Host(agent.OpenAIEndpoint) || fromEnv:
			variable = "OPENAI_API_KEY"
		case h == "openrouter.ai":
			variable = "OPENROUTER_API_KEY"
		case agent.IsAzure(h):
			variable = "AZURE_OPENAI_API_KEY"
		}
	}
	key := os.Getenv(variable)
	if variable == "" {
		key = ""
	}
	if key == "" && !agent.IsLoopback(h) {
		if variable == "" {
			return "", fault.New(fault.ErrNoKey, "planAgent.%s.apiKeyEnv does not name the variable with the key for %s", name, h)
		}
		return "", fault.New(fault.ErrNoKey, "%s is empty: no key for %s", variable, h)
	}
	return key, nil
}

// Price reads "in, cached, out" in US dollars per million tokens.
func (c *Config) Price(name string) (agent.Price, error) {
	v, ok := c.Get("planAgent." + name + ".price")
	if !ok || v == "" {
		return agent.Price{}, nil
	}
	parts := strings.Split(v, ",")
	var n [3]float64
	for i := range parts {
		f, err := strconv.ParseFloat(strings.TrimSpace(parts[i]), 64)
		if err != nil || len(parts) != 3 {
			return agent.Price{}, fault.New(fault.ErrAgentSetup, "planAgent.%s.price is %q: three numbers are wanted, in, cached, out", name, v)
		}
		n[i] = f
	}
	return agent.Price{In: n[0], Cached: n[1], Out: n[2]}, nil
}

// Window is the context of a role's model in tokens, as far as it is configured,
// else what nearly every model has.
func (c *Config) Window(role agent.Role) int {
	name := c.AgentName(role)
	if n, err := c.window(name); err == nil && n > 0 {
		return n
	}
	if base, _ := c.Get("planAgent." + name + ".baseURL"); agent.IsLoopback(agent.Host(base)) {
		return agent.LocalWindow
	}
	return agent.UsualWindow
}

// waitBeforeFallback bounds plan.waitOnLimit where there is a fallback.
const waitBeforeFallback = 30 * time.Second
