package gitplan

import (
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/proc"
)

const (
	openAI      = "openai"
	openAIURL   = "https://api.openai.com/v1"
	openAIModel = "gpt-5.6"
)

// Agent returns the agent that is configured for a role. Configuration comes
// from git's own layers only, never from a file of the repository: it names
// commands to run and hosts to send keys to.
func (c *Config) Agent(role agent.Role) (agent.Agent, error) {
	name := c.Role(role, "agent")
	if name == "" {
		name, _ = c.Get("plan.agent")
	}
	if name == "" {
		if os.Getenv("OPENAI_API_KEY") == "" && os.Getenv("OPENAI_BASE_URL") == "" {
			return nil, fault(ErrNoAgent, "no agent is configured and none was found")
		}
		name = openAI
	}
	return c.NamedAgent(name, role)
}

// NamedAgent returns the agent configured under a name, in a role.
func (c *Config) NamedAgent(name string, role agent.Role) (agent.Agent, error) {
	if line, ok := c.Get("planAgent." + name + ".command"); ok && line != "" {
		return agent.NewCommand(name, line)
	}
	if recording, ok := c.Get("planAgent." + name + ".recording"); ok && recording != "" {
		return agent.NewReplay(name, recording)
	}
	return c.endpoint(name, role)
}

// endpoint is the built-in agent at an OpenAI-compatible endpoint.
func (c *Config) endpoint(name string, role agent.Role) (agent.Agent, error) {
	base, ok := c.Get("planAgent." + name + ".baseURL")
	if (!ok || base == "") && name != openAI {
		return nil, fault(ErrAgentSetup, "agent %s is not set up: neither planAgent.%s.command nor planAgent.%s.baseURL is set", name, name, name)
	}
	fromEnv := false
	if base == "" {
		base, fromEnv = os.Getenv("OPENAI_BASE_URL"), true
	}
	if base == "" {
		base = openAIURL
	}
	if !strings.HasPrefix(base, "http://") && !strings.HasPrefix(base, "https://") {
		return nil, fault(ErrAgentSetup, "the base URL of agent %s has no scheme: is it http://%s?", name, oneLine(base, 200))
	}
	if host(base) == "" {
		return nil, fault(ErrAgentSetup, "the base URL of agent %s names no host", name)
	}
	key, err := c.key(name, base, fromEnv)
	if err != nil {
		return nil, err
	}
	model, _ := c.Get("planAgent." + name + ".model")
	if m := c.Role(role, "model"); m != "" {
		model = m
	}
	if model == "" && host(base) == host(openAIURL) {
		model = openAIModel
	}
	if model == "" {
		return nil, fault(ErrAgentSetup, "agent %s has no model", name)
	}
	wait, err := c.Duration("plan.waitOnLimit")
	if err != nil {
		return nil, err
	}
	price, err := c.price(name)
	if err != nil {
		return nil, err
	}
	window, err := c.window(name)
	if err != nil {
		return nil, err
	}
	api, _ := c.Get("planAgent." + name + ".api")
	a, err := agent.NewOpenAI(agent.OpenAI{
		AgentName: name, Lessons: &c.lessons, BaseURL: base, Key: key, Model: model, Effort: c.Role(role, "effort"), API: api, Window: window,
		CAFile: c.certificates(name, base), Price: price, Wait: wait, FirstDelay: min(max(wait, time.Millisecond), time.Second),
	})
	if err != nil {
		return nil, fault(ErrAgentSetup, "%v", err)
	}
	return a, nil
}

// window reads planAgent.<name>.contextWindow, in tokens; 0 where it is not set.
func (c *Config) window(name string) (int, error) {
	v, ok := c.Get("planAgent." + name + ".contextWindow")
	if !ok || v == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(v)
	if err != nil || n < 1000 {
		return 0, fault(ErrAgentSetup, "planAgent.%s.contextWindow is %q: a number of tokens is wanted, at least 1000", name, v)
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
	h := host(base)
	if !ok {
		switch {
		case h == host(openAIURL) || fromEnv:
			variable = "OPENAI_API_KEY"
		case h == "openrouter.ai":
			variable = "OPENROUTER_API_KEY"
		case strings.HasSuffix(h, ".openai.azure.com"), strings.HasSuffix(h, ".services.ai.azure.com"):
			variable = "AZURE_OPENAI_API_KEY"
		}
	}
	key := os.Getenv(variable)
	if variable == "" {
		key = ""
	}
	if key == "" && !loopback(h) {
		if variable == "" {
			return "", fault(ErrNoKey, "planAgent.%s.apiKeyEnv does not name the variable with the key for %s", name, h)
		}
		return "", fault(ErrNoKey, "%s is empty: no key for %s", variable, h)
	}
	return key, nil
}

func host(base string) string {
	u, err := url.Parse(base)
	if err != nil {
		return ""
	}
	return strings.ToLower(u.Hostname())
}

func loopback(host string) bool {
	return host == "localhost" || host == "::1" || strings.HasPrefix(host, "127.")
}

// price reads "in, cached, out" in US dollars per million tokens.
func (c *Config) price(name string) (agent.Price, error) {
	v, ok := c.Get("planAgent." + name + ".price")
	if !ok || v == "" {
		return agent.Price{}, nil
	}
	parts := strings.Split(v, ",")
	var n [3]float64
	for i := range parts {
		f, err := strconv.ParseFloat(strings.TrimSpace(parts[i]), 64)
		if err != nil || len(parts) != 3 {
			return agent.Price{}, fault(ErrAgentSetup, "planAgent.%s.price is %q: three numbers are wanted, in, cached, out", name, v)
		}
		n[i] = f
	}
	return agent.Price{In: n[0], Cached: n[1], Out: n[2]}, nil
}

// Environment is what sessions and checks inherit: no repository variables, no
// marks of the agent we may run under, no keys. A command of the person's own
// is an agent itself and keeps its keys.
func (c *Config) Environment(a agent.Agent) []string {
	var secrets []string
	for _, name := range c.git.Subsections("planAgent", "apiKeyEnv") {
		if v, ok := c.Get("planAgent." + name + ".apiKeyEnv"); ok {
			secrets = append(secrets, v)
		}
	}
	if _, own := a.(*agent.Command); own {
		return append(proc.Clean(), proc.EnvDepth+"=1")
	}
	return proc.Worker(secrets)
}
