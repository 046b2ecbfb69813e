package settings

import (
	"context"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/agent/builtin"
	"github.com/git-plan/git-plan/gitplan/agent/cli"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/proc"
)

const openAI = "openai"

// Agent returns the agent that is configured for a role. It reads git's own layers only,
// never a file of the repository, since the keys name commands to run and hosts to send
// keys to. The error is of kind ErrNoAgent, ErrAgentSetup or ErrNoKey.
func (c *Config) Agent(role agent.Role) (agent.Agent, error) {
	name := c.AgentName(role)
	if name == "" {
		return nil, fault.New(fault.ErrNoAgent, "no agent is configured, and there is neither OPENAI_API_KEY nor %s on PATH", strings.Join(cli.Names(), ", "))
	}
	return c.NamedAgent(name, role)
}

// AgentKey returns the key that names the agent of a role.
func (c *Config) AgentKey(role agent.Role) string {
	if c.Role(role, "agent") != "" {
		return "plan." + string(role) + ".agent"
	}
	return "plan.agent"
}

// AgentName returns the name of a role's agent: the configured one or the detected one;
// "" if there is none.
func (c *Config) AgentName(role agent.Role) string {
	if role == agent.Critic {
		if name, _ := c.critic(); name != "" {
			return name
		}
	}
	name, _ := c.Get(c.AgentKey(role))
	if name == "" {
		name = detected()
	}
	return name
}

// Model returns the model and the reasoning effort of an agent in a role. Those of the role
// apply to the role's own agent only: a step, a persona or a fallback may name another.
func (c *Config) Model(name string, role agent.Role) (model, effort string) {
	if name == c.AgentName(role) {
		model, effort = c.Role(role, "model"), c.Role(role, "effort")
		if _, set := c.critic(); role == agent.Critic && set != "" {
			model = set
		}
	}
	if model == "" {
		model, _ = c.Get("planAgent." + name + ".model")
	}
	return model, effort
}

// HasCritic reports whether a critic looks at new plans.
func (c *Config) HasCritic() bool {
	word := c.String("plan.critic")
	return word != "" && word != "none"
}

// critic returns the agent and the model that plan.critic names; what it leaves open is "".
func (c *Config) critic() (name, model string) {
	if !c.HasCritic() {
		return "", ""
	}
	return c.Meant(c.String("plan.critic"))
}

// Meant returns the agent and the model that a word means: an agent, AGENT/MODEL, or else a
// model. What it leaves open is "".
func (c *Config) Meant(word string) (name, model string) {
	if c.KnowsAgent(word) {
		return word, ""
	}
	if name, model, ok := strings.Cut(word, "/"); ok && c.KnowsAgent(name) {
		return name, model
	}
	return "", word
}

// Candidate is an agent that could be used without any configuration.
type Candidate struct {
	Name string
	How  string // why it is there: "signed in", "installed", or the variable that names it
}

func (a Candidate) String() string { return a.Name + " (" + a.How + ")" }

// Available returns the agents that could be used without any configuration, best first:
// programs in which somebody is signed in, since their use is paid for; then the endpoint
// that the environment names, by a key of which each use costs; then the other programs.
func Available() (out []Candidate) {
	var others []Candidate
	for _, name := range cli.Names() {
		switch _, ok := proc.Find(name); {
		case ok && cli.SignedIn(name):
			out = append(out, Candidate{name, "signed in"})
		case ok:
			others = append(others, Candidate{name, "installed"})
		}
	}
	for _, key := range []string{"OPENAI_BASE_URL", "OPENAI_API_KEY"} {
		if os.Getenv(key) != "" {
			out = append(out, Candidate{openAI, key})
			break
		}
	}
	return append(out, others...)
}

// NotChosen says that the agent of a role was only detected though another one is there, too,
// and how to choose that; "" if there was no choice, or somebody made it.
func (c *Config) NotChosen(role agent.Role) string {
	name, _ := c.Get(c.AgentKey(role))
	if critic, _ := c.critic(); name != "" || role == agent.Critic && critic != "" {
		return ""
	}
	found := Available()
	if len(found) < 2 {
		return ""
	}
	other := found[1]
	how := other.How
	if other.Name == openAI {
		how = "set up by " + how
	}
	return "detected; " + other.Name + " is " + how + ", too: git config plan.agent " + other.Name
}

// detected returns the agent to use if none is configured, or "".
func detected() string {
	if found := Available(); len(found) > 0 {
		return found[0].Name
	}
	return ""
}

// StepAgent returns the agent for a step: the one that it names, or the one of the role.
func (c *Config) StepAgent(step *plan.Step, role agent.Role) (agent.Agent, error) {
	if step.Agent != "" {
		return c.NamedAgent(step.Agent, role)
	}
	return c.Agent(role)
}

// Told returns the whole text that a session of a step is sent, byte for byte. If no agent
// is set up yet, it is what every agent is sent.
func (c *Config) Told(step *plan.Step, s agent.Session) string {
	a, err := c.StepAgent(step, s.Role)
	if err != nil {
		return s.Prompt.Text()
	}
	return a.Told(s)
}

// NamedAgent returns the agent that is configured under a name, for a role.
func (c *Config) NamedAgent(name string, role agent.Role) (agent.Agent, error) {
	if line, ok := c.Get("planAgent." + name + ".command"); ok && line != "" {
		a, err := cli.NewCommand(name, line)
		if err == nil {
			a.Model, a.Effort = c.Model(name, role)
			a.Price, err = c.Price(name)
		}
		return a, err
	}
	if recording, ok := c.Get("planAgent." + name + ".recording"); ok && recording != "" {
		return builtin.NewReplay(name, recording)
	}
	base, _ := c.Get("planAgent." + name + ".baseURL")
	if slices.Contains(cli.Names(), name) && base == "" {
		return c.program(name, role)
	}
	return c.endpoint(name, role)
}

// KnowsAgent reports whether a name is that of an agent: one that is built in, or one that
// the configuration says how to run.
func (c *Config) KnowsAgent(name string) bool {
	if name == openAI || slices.Contains(cli.Names(), name) {
		return true
	}
	return slices.ContainsFunc([]string{"command", "recording", "baseURL"}, func(key string) bool {
		value, _ := c.Get("planAgent." + name + "." + key)
		return value != ""
	})
}

// FindCLIs returns the command-line agents that are installed, and whether each can be used.
func (c *Config) FindCLIs(ctx context.Context) []cli.Found {
	return cli.Find(ctx, &c.versions, func(name string) string {
		program, _ := c.Get("planAgent." + name + ".program")
		return program
	})
}

// program returns one of the command-line agents.
func (c *Config) program(name string, role agent.Role) (agent.Agent, error) {
	a := cli.Agent{AgentName: name, Versions: &c.versions}
	a.Program, _ = c.Get("planAgent." + name + ".program")
	a.Model, a.Effort = c.Model(name, role)
	line, _ := c.Get("planAgent." + name + ".args")
	var err error
	if a.Price, err = c.Price(name); err != nil {
		return nil, err
	}
	if a.Writable, err = c.buildFolders(); err != nil {
		return nil, err
	}
	if a.Args, err = arguments(line); err != nil {
		return nil, c.Wrong("planAgent."+name+".args", "ARGUMENTS", "planAgent.%s.args: %v", name, err)
	}
	if _, ok := c.Get("plan.waitOnLimit"); ok {
		wait, err := c.Duration("plan.waitOnLimit")
		if err != nil {
			return nil, err
		}
		a.Wait = max(wait, time.Millisecond)
	}
	prog, err := cli.New(a)
	if err != nil {
		return nil, fault.New(fault.ErrAgentSetup, "%v", err)
	}
	if _, ok := proc.Find(prog.Program); !ok {
		return nil, c.notInstalled(name, prog.Program, role)
	}
	return prog, nil
}

// Environment returns the environment of an agent's sessions and of the checks of their
// work: the variables of a fixed list and those of plan.passEnv. A command of the person's
// own is an agent itself and keeps everything, keys included. A command-line agent keeps
// all that is no key, the keys that it needs, and the one that planAgent.<name>.apiKeyEnv
// names.
func (c *Config) Environment(a agent.Agent) []string {
	switch a := a.(type) {
	case *cli.Command:
		return append(proc.Clean(), proc.EnvDepth+"=1")
	case *cli.Agent:
		keep := a.Needs()
		if own, ok := c.Get("planAgent." + a.Name() + ".apiKeyEnv"); ok {
			keep = append(keep, own)
		}
		return proc.Program(c.KeyVariables(), keep...)
	}
	return proc.Worker(c.KeyVariables(), c.List("plan.passEnv")...)
}

// PersonsEnvironment returns the environment of checks that a person runs, and of the
// person's commands that are no agents: everything but the keys of model providers. Whoever
// types a command has decided what it may see.
func (c *Config) PersonsEnvironment() []string { return proc.Person(c.KeyVariables()) }

// KeyVariables returns the names of the variables that hold keys of agents.
func (c *Config) KeyVariables() []string {
	var out []string
	for _, name := range c.Git.Subsections("planAgent", "apiKeyEnv") {
		if v, ok := c.Get("planAgent." + name + ".apiKeyEnv"); ok {
			out = append(out, v)
		}
	}
	return out
}

// Fallback returns the agent for a role when its own is limited or not authorised; nil if
// none is configured.
func (c *Config) Fallback(role agent.Role) (agent.Agent, error) {
	name := c.Role(role, "fallback")
	if name == "" || name == "none" {
		return nil, nil
	}
	return c.NamedAgent(name, role)
}
