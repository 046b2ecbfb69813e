package settings

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/agent/cli"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/plan"
	"github.com/git-plan/git-plan/gitplan/proc"
)

const openAI = "openai"

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

// Available returns the agents that need no configuration: programs that are signed in, whose use is paid for,
// the endpoint that the environment names, then other programs.
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
		if name == c.AgentName(role) { // not its fallback
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
