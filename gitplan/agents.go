package gitplan

import (
	"context"
	"net/url"
	"os"
	"slices"
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
		name = detected()
	}
	if name == "" {
		return nil, fault(ErrNoAgent, "no agent is configured, and there is neither OPENAI_API_KEY nor %s on PATH", strings.Join(agent.CLINames(), ", "))
	}
	return c.NamedAgent(name, role)
}

// detected is the agent where none is configured: the endpoint that the
// environment speaks of, else the first command-line agent that is installed.
func detected() string {
	if os.Getenv("OPENAI_API_KEY") != "" || os.Getenv("OPENAI_BASE_URL") != "" {
		return openAI
	}
	for _, name := range agent.CLINames() {
		if _, ok := proc.Find(name); ok {
			return name
		}
	}
	return ""
}

// StepAgent returns the agent that does a step: the step's own, or the one of its role.
func (c *Config) StepAgent(step *Step, role agent.Role) (agent.Agent, error) {
	if step.Agent != "" {
		return c.NamedAgent(step.Agent, role)
	}
	return c.Agent(role)
}

// Told is the whole text that a session of a step is sent, to the letter. Where
// no agent is set up yet it is what every agent is told.
func (c *Config) Told(step *Step, s agent.Session) string {
	a, err := c.StepAgent(step, s.Role)
	if err != nil {
		a = nil
	}
	return agent.Told(a, s)
}

// NamedAgent returns the agent configured under a name, in a role.
func (c *Config) NamedAgent(name string, role agent.Role) (agent.Agent, error) {
	if line, ok := c.Get("planAgent." + name + ".command"); ok && line != "" {
		return agent.NewCommand(name, line)
	}
	if recording, ok := c.Get("planAgent." + name + ".recording"); ok && recording != "" {
		return agent.NewReplay(name, recording)
	}
	base, _ := c.Get("planAgent." + name + ".baseURL")
	if slices.Contains(agent.CLINames(), name) && base == "" {
		return c.program(name, role)
	}
	return c.endpoint(name, role)
}

// FindCLIs says which command-line agents are installed, and whether each can be used.
func (c *Config) FindCLIs(ctx context.Context) []agent.Found {
	return agent.FindCLIs(ctx, &c.versions, func(name string) string {
		program, _ := c.Get("planAgent." + name + ".program")
		return program
	})
}

// program is one of the command-line agents.
func (c *Config) program(name string, role agent.Role) (agent.Agent, error) {
	a := agent.CLI{AgentName: name, Effort: c.Role(role, "effort"), Versions: &c.versions}
	a.Program, _ = c.Get("planAgent." + name + ".program")
	a.Model, _ = c.Get("planAgent." + name + ".model")
	if m := c.Role(role, "model"); m != "" {
		a.Model = m
	}
	line, _ := c.Get("planAgent." + name + ".args")
	var err error
	if a.Args, err = arguments(line); err != nil {
		return nil, fault(ErrAgentSetup, "planAgent.%s.args: %v", name, err)
	}
	if _, ok := c.Get("plan.waitOnLimit"); ok {
		wait, err := c.Duration("plan.waitOnLimit")
		if err != nil {
			return nil, err
		}
		a.Wait = max(wait, time.Millisecond)
	}
	cli, err := agent.NewCLI(a)
	if err != nil {
		return nil, fault(ErrAgentSetup, "%v", err)
	}
	if _, ok := proc.Find(cli.Program); !ok {
		return nil, fault(ErrAgentSetup, "agent %s is not installed: there is no program %s; planAgent.%s.program names another", name, oneLine(cli.Program, 200), name)
	}
	return cli, nil
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
	return agent.NewOpenAI(agent.OpenAI{
		AgentName: name, BaseURL: base, Key: key, Model: model, Effort: c.Role(role, "effort"),
		Price: price, Wait: wait, FirstDelay: min(max(wait, time.Millisecond), time.Second),
	})
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
		case strings.HasSuffix(h, ".openai.azure.com"):
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
// is an agent itself and keeps its keys; a command-line agent keeps those that it
// needs, and the one that planAgent.<name>.apiKeyEnv names.
func (c *Config) Environment(a agent.Agent) []string {
	var secrets []string
	for _, name := range c.git.Subsections("planAgent", "apiKeyEnv") {
		if v, ok := c.Get("planAgent." + name + ".apiKeyEnv"); ok {
			secrets = append(secrets, v)
		}
	}
	if cli, ok := a.(*agent.CLI); ok {
		needs := cli.Needs()
		if own, ok := c.Get("planAgent." + a.Name() + ".apiKeyEnv"); ok {
			needs = append(needs, own)
		}
		return proc.Agent(secrets, needs)
	}
	if _, own := a.(*agent.Command); own {
		return append(proc.Clean(), proc.EnvDepth+"=1")
	}
	return proc.Worker(secrets)
}
