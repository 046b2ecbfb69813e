package settings

import (
	"context"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/gitplan/visible"
)

const openAI = "openai"

// Agent returns the agent that is configured for a role. Configuration comes
// from git's own layers only, never from a file of the repository: it names
// commands to run and hosts to send keys to.
func (c *Config) Agent(role agent.Role) (agent.Agent, error) {
	name := c.AgentName(role)
	if name == "" {
		return nil, fault.New(fault.ErrNoAgent, "no agent is configured, and there is neither OPENAI_API_KEY nor %s on PATH", strings.Join(agent.CLINames(), ", "))
	}
	return c.NamedAgent(name, role)
}

// AgentKey is the key that names the agent of a role.
func (c *Config) AgentKey(role agent.Role) string {
	if c.Role(role, "agent") != "" {
		return "plan." + string(role) + ".agent"
	}
	return "plan.agent"
}

func (c *Config) AgentName(role agent.Role) string {
	name, _ := c.Get(c.AgentKey(role))
	if name == "" {
		name = detected()
	}
	return name
}

// Model and effort of an agent in a role. Those of the role are meant for the
// role's own agent; a step, a persona or a fallback may name another one.
func (c *Config) Model(name string, role agent.Role) (model, effort string) {
	if name == c.AgentName(role) {
		model, effort = c.Role(role, "model"), c.Role(role, "effort")
	}
	if model == "" {
		model, _ = c.Get("planAgent." + name + ".model")
	}
	return model, effort
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
func (c *Config) StepAgent(step *plan.Step, role agent.Role) (agent.Agent, error) {
	if step.Agent != "" {
		return c.NamedAgent(step.Agent, role)
	}
	return c.Agent(role)
}

// Told is the whole text that a session of a step is sent, to the letter. Where
// no agent is set up yet it is what every agent is told.
func (c *Config) Told(step *plan.Step, s agent.Session) string {
	a, err := c.StepAgent(step, s.Role)
	if err != nil {
		a = nil
	}
	return agent.Told(a, s)
}

// NamedAgent returns the agent configured under a name, in a role.
func (c *Config) NamedAgent(name string, role agent.Role) (agent.Agent, error) {
	if line, ok := c.Get("planAgent." + name + ".command"); ok && line != "" {
		a, err := agent.NewCommand(name, line)
		if err == nil {
			a.Price, err = c.Price(name)
		}
		return a, err
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

// KnowsAgent says whether a name is that of an agent: one that is built in, or that
// the configuration tells how to run.
func (c *Config) KnowsAgent(name string) bool {
	if name == openAI || slices.Contains(agent.CLINames(), name) {
		return true
	}
	return slices.ContainsFunc([]string{"command", "recording", "baseURL"}, func(key string) bool {
		value, _ := c.Get("planAgent." + name + "." + key)
		return value != ""
	})
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
	a := agent.CLI{AgentName: name, Versions: &c.versions}
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
		return nil, fault.New(fault.ErrAgentSetup, "planAgent.%s.args: %v", name, err)
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
		return nil, fault.New(fault.ErrAgentSetup, "%v", err)
	}
	if _, ok := proc.Find(cli.Program); !ok {
		return nil, fault.New(fault.ErrAgentSetup, "agent %s is not installed: there is no program %s; planAgent.%s.program names another", name, visible.OneLine(cli.Program, 200), name)
	}
	return cli, nil
}

// Environment is what sessions and the checks of their work inherit: the
// variables of one list and those of plan.passEnv. A command of the person's own
// is an agent itself and keeps everything, its keys too; a command-line agent
// keeps what is no key, the keys that it needs, and the one that
// planAgent.<name>.apiKeyEnv names.
func (c *Config) Environment(a agent.Agent) []string {
	switch a := a.(type) {
	case *agent.Command:
		return append(proc.Clean(), proc.EnvDepth+"=1")
	case *agent.CLI:
		keep := a.Needs()
		if own, ok := c.Get("planAgent." + a.Name() + ".apiKeyEnv"); ok {
			keep = append(keep, own)
		}
		return proc.Program(c.KeyVariables(), keep...)
	}
	return proc.Worker(c.KeyVariables(), c.List("plan.passEnv")...)
}

// PersonsEnvironment is what checks inherit that a person runs, and commands of
// the person's own that are no agents: all but keys of model providers. Whoever
// types a command has decided what it may see.
func (c *Config) PersonsEnvironment() []string { return proc.Person(c.KeyVariables()) }

// KeyVariables are the variables that hold the keys of agents.
func (c *Config) KeyVariables() []string {
	var out []string
	for _, name := range c.Git.Subsections("planAgent", "apiKeyEnv") {
		if v, ok := c.Get("planAgent." + name + ".apiKeyEnv"); ok {
			out = append(out, v)
		}
	}
	return out
}

// Fallback is the agent for a role when its own is limited or not authorised;
// nil where none is configured.
func (c *Config) Fallback(role agent.Role) (agent.Agent, error) {
	name := c.Role(role, "fallback")
	if name == "" || name == "none" {
		return nil, nil
	}
	return c.NamedAgent(name, role)
}
