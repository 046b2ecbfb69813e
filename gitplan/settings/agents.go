package settings

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"mvdan.cc/sh/v3/shell"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/agent/builtin"
	"github.com/git-plan/git-plan/gitplan/agent/cli"
	"github.com/git-plan/git-plan/gitplan/disk"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/proc"
)

const (
	openAI             = "openai"
	openAIModel        = "gpt-5.6"
	waitBeforeFallback = 30 * time.Second // bounds plan.waitOnLimit if there is a fallback
)

// AgentKey returns the key that names the agent of a role.
func (c *Config) AgentKey(role agent.Role) string {
	if c.Role(role, "agent") != "" {
		return "plan." + string(role) + ".agent"
	}
	return "plan.agent"
}

// AgentName returns the name of a role's agent, configured or detected; "" without one.
func (c *Config) AgentName(role agent.Role) string {
	if name, _ := c.Get(c.AgentKey(role)); name != "" {
		return name
	}
	if found := Available(); len(found) > 0 {
		return found[0].Name
	}
	return ""
}

// Model returns the model and the reasoning effort of an agent in a role; those of the role belong to its own agent.
func (c *Config) Model(name string, role agent.Role) (model, effort string) {
	if name == c.AgentName(role) {
		model, effort = c.Role(role, "model"), c.Role(role, "effort")
	}
	if model == "" {
		model, _ = c.Get("planAgent." + name + ".model")
	}
	return model, effort
}

// HasCritic reports whether a critic reads each new plan.
func (c *Config) HasCritic() bool {
	return c.Role(agent.Critic, "agent")+c.Role(agent.Critic, "model") != ""
}

// KnowsAgent reports whether an agent of that name is built in or configured.
func (c *Config) KnowsAgent(name string) bool {
	if name == openAI || slices.Contains(cli.Names(), name) {
		return true
	}
	return slices.ContainsFunc([]string{"command", "acp", "baseURL"}, func(key string) bool {
		value, _ := c.Get("planAgent." + name + "." + key)
		return value != ""
	})
}

// Candidate is an agent that could be used without any configuration.
type Candidate struct {
	Name string
	How  string // why it is there: "signed in", "installed", or "set up by" a variable
}

func (a Candidate) String() string { return a.Name + " (" + a.How + ")" }

// Available returns agents that need no configuration: programs that are signed in, the environment's endpoint, others.
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
			out = append(out, Candidate{openAI, "set up by " + key})
			break
		}
	}
	return append(out, others...)
}

// NotChosen says why the agent of a role was chosen, and names the next one, if none is configured; else "".
func (c *Config) NotChosen(role agent.Role) string {
	if name, _ := c.Get(c.AgentKey(role)); name != "" {
		return ""
	}
	found := Available()
	if len(found) < 2 {
		return ""
	}
	return found[0].Name + " is " + found[0].How + "; " + found[1].Name + " is " + found[1].How +
		", too: git config plan.agent " + found[1].Name
}

// unknownAgent returns the error for the agent of a role that is not set up.
func (c *Config) unknownAgent(role agent.Role, name string) error {
	f := &fault.Fault{Kind: fault.ErrAgentSetup,
		Text: fmt.Sprintf("agent %s is not set up: neither planAgent.%[1]s.command nor planAgent.%[1]s.baseURL is set", name),
		Next: "set it up: " + setting("planAgent."+name+".command", "COMMAND") +
			"; or, for a model server: " + setting("planAgent."+name+".baseURL", "URL")}
	known := cli.Speakers()
	if i := slices.IndexFunc(known, func(s cli.Speaker) bool { return s.Name == name || s.Name == name+"-agent" }); i >= 0 {
		f.Next = "set it up: " + setting("planAgent."+name+".acp", known[i].Command())
	} else if near := plan.Nearest(name, append([]string{openAI}, cli.Names()...)); near != "" {
		f.Text += "; did you mean " + near + "?"
		if name == c.AgentName(role) { // a fallback is chosen at run time
			f.Next = setting(c.AgentKey(role), near)
		}
	}
	return f
}

// Isolation returns where sessions run: tree, clone, or the name of a launcher.
func (c *Config) Isolation() (string, error) {
	v := c.String("plan.isolation")
	if lower := strings.ToLower(v); lower == "tree" || lower == "clone" {
		return lower, nil
	}
	if command, _ := c.Get("planLauncher." + v + ".command"); command != "" {
		return v, nil
	}
	return "tree",
		c.MustBe("plan.isolation", v, "tree, clone, or the name of a launcher, which planLauncher.NAME.command sets up")
}

// Launcher returns the name of the launcher of a role's sessions; "" if they run here, as all that only read do.
func (c *Config) Launcher(role agent.Role) (string, error) {
	if !role.Writes() {
		return "", nil
	}
	where, err := c.Isolation()
	if where == "tree" || where == "clone" {
		where = ""
	}
	return where, err
}

// runsRemotely reports whether a launcher starts the sessions of a role: what they need is there.
func (c *Config) runsRemotely(role agent.Role) bool {
	name, err := c.Launcher(role)
	return err == nil && name != ""
}

// Agent returns the agent that is configured for a role, by git's own layers only, since the keys name commands
// to run and hosts to send keys to. The error is of kind ErrNoAgent, ErrAgentSetup or ErrNoKey.
func (c *Config) Agent(role agent.Role) (agent.Agent, error) {
	name := c.AgentName(role)
	if name == "" {
		return nil, fault.New(fault.ErrNoAgent, "no agent is configured, and there is neither OPENAI_API_KEY nor %s on PATH",
			strings.Join(cli.Names(), ", "))
	}
	return c.NamedAgent(name, role)
}

// StepAgent returns the agent for a step: the one that it names, or the role's.
func (c *Config) StepAgent(step *plan.Step, role agent.Role) (agent.Agent, error) {
	if step.Agent != "" {
		return c.NamedAgent(step.Agent, role)
	}
	return c.Agent(role)
}

// FullPrompt returns the whole text that a session of a step is sent, even if no agent is set up yet.
func (c *Config) FullPrompt(step *plan.Step, s agent.Session) string {
	a, err := c.StepAgent(step, s.Role)
	if err != nil {
		return s.Prompt.Text()
	}
	return a.FullPrompt(s)
}

// NamedAgent returns the agent that is configured under a name, for a role.
func (c *Config) NamedAgent(name string, role agent.Role) (agent.Agent, error) {
	if line, _ := c.Get("planAgent." + name + ".command"); line != "" {
		price, err := c.Price(name)
		a := &cli.Command{AgentName: name, Line: line, Price: price}
		a.Model, a.Effort = c.Model(name, role)
		return a, err
	}
	if line, _ := c.Get("planAgent." + name + ".acp"); line != "" {
		return c.program(name, "acp", role)
	}
	base, _ := c.Get("planAgent." + name + ".baseURL")
	if recording, ok := strings.CutPrefix(base, "replay:"); ok {
		return builtin.NewReplay(name, recording)
	}
	if slices.Contains(cli.Names(), name) && base == "" {
		return c.program(name, "program", role)
	}
	return c.endpoint(name, role)
}

// Unpriced reports whether what the sessions of an agent cost will be unknown. A person's own command may say it.
func (c *Config) Unpriced(name string) bool {
	a, _ := c.NamedAgent(name, agent.Executor) // an error is reported when the agent is used
	switch a := a.(type) {
	case *cli.Agent:
		return a.NamesNoPrice()
	case *builtin.Agent:
		return a.Price == (agent.Price{})
	}
	return false
}

// FindCLIs returns the command-line agents that are installed, and whether each can be used.
func (c *Config) FindCLIs(ctx context.Context) []cli.Found {
	return cli.Find(ctx, func(name string) string {
		words, _ := c.words(name, "program")
		return append(words, "")[0]
	})
}

// program returns an agent that is a program, which planAgent.<name>.program or .acp starts.
func (c *Config) program(name, variable string, role agent.Role) (_ agent.Agent, err error) {
	a := cli.Agent{AgentName: name}
	a.Model, a.Effort = c.Model(name, role)
	a.Price, err = c.Price(name)
	words, wrong := c.words(name, variable)
	home, homeless := HomeFolder()
	if err = cmp.Or(err, wrong, homeless); err != nil {
		return nil, err
	}
	writable, withCaches, err := c.SandboxPaths("plan.sandboxWritable", home, new(disk.Links))
	if err != nil {
		return nil, err
	}
	if a.Writable = writable; withCaches {
		a.Writable = append(a.Writable, Caches(home, false)...)
	}
	if _, ok := c.Get("plan.waitOnLimit"); ok {
		wait, err := c.Duration("plan.waitOnLimit")
		if err != nil {
			return nil, err
		}
		a.Wait = max(wait, time.Millisecond)
	}
	if len(words) > 0 {
		a.Program, a.Args = words[0], words[1:]
	}
	start := cli.New
	if variable == "acp" {
		start = cli.NewACP
	}
	program := start(a)
	if _, ok := proc.Find(program.Program); !ok && !c.runsRemotely(role) {
		f := program.Missing()
		return nil, &fault.Fault{Kind: fault.ErrAgentSetup, Text: "agent " + f.Problem, Next: f.Next}
	}
	return program, nil
}

// words returns the words of planAgent.<name>.program or .acp, which is a program and arguments for it.
func (c *Config) words(name, variable string) ([]string, error) {
	key := "planAgent." + name + "." + variable
	line, _ := c.Get(key)
	if strings.Contains(line, "<(") || strings.Contains(line, ">(") { // shell.Fields would crash
		return nil, c.Wrong(key, "COMMAND", "%s: <( and >( need a shell", key)
	}
	words, err := shell.Fields(line, nil)
	if err == nil && line != "" && append(words, "")[0] == "" {
		err = errors.New("it names no program")
	}
	if err != nil {
		return nil, c.Wrong(key, "COMMAND", "%s: %v", key, err)
	}
	return words, nil
}

// Environment returns the environment of an agent's sessions and of the checks of their work. A person's own command
// keeps everything, keys included; a command-line agent keeps all but keys, and the keys it needs.
func (c *Config) Environment(a agent.Agent) []string {
	switch a := a.(type) {
	case *cli.Command:
		return append(proc.CleanEnv(), proc.EnvDepth+"=1")
	case *cli.Agent:
		keep := a.Needs()
		if own, ok := c.Get("planAgent." + a.Name() + ".apiKeyEnv"); ok {
			keep = append(keep, own)
		}
		return proc.ProgramEnv(c.KeyVariables(), keep...)
	}
	return proc.CheckEnv(c.KeyVariables(), c.List("plan.passEnv")...)
}

// PersonsEnvironment returns the environment of the checks and commands that a person runs: all but model keys.
func (c *Config) PersonsEnvironment() []string { return proc.CheckEnv(c.KeyVariables(), "*") }

// KeyVariables returns the names of the variables that hold keys of agents.
func (c *Config) KeyVariables() []string {
	var out []string
	for _, name := range c.Git.Subsections("planAgent", "apiKeyEnv") {
		v, _ := c.Get("planAgent." + name + ".apiKeyEnv")
		out = append(out, v)
	}
	return out
}

// Fallback returns the agent for a role when its own is limited or not authorised; nil without one.
func (c *Config) Fallback(role agent.Role) (agent.Agent, error) {
	name := c.Role(role, "fallback")
	if name == "" || name == "none" {
		return nil, nil
	}
	return c.NamedAgent(name, role)
}
