package settings

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/agent/cli"
	"github.com/git-plan/git-plan/gitplan/fault"
	"github.com/git-plan/git-plan/gitplan/markdown"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// Wrong returns an error about the value of a key. The command that comes next sets it to
// value: one that would do, or a word in capitals for what only a person knows.
func (c *Config) Wrong(key, value, format string, args ...any) error {
	return &fault.Fault{Kind: fault.ErrAgentSetup, Setting: key, Text: fmt.Sprintf(format, args...), Next: "fix the setting: " + setting(key, value)}
}

func setting(key, value string) string {
	return "git config " + visible.Shell(key) + " " + visible.Shell(value)
}

// MustBe returns the error for a value that a key cannot have.
func (c *Config) MustBe(key, value, what string) error {
	row := rowOf(key)
	if parts := strings.Split(key, "."); row.Name == "" && len(parts) == 3 {
		row = rowOf("plan.<role>." + parts[2])
	}
	return c.Wrong(key, cmp.Or(row.Default, "VALUE"), "%s is %q: it must be %s", key, visible.OneLine(value, 80), what)
}

// unknownAgent returns the error for an agent that nothing says how to run: it is misspelt, or
// not set up yet.
func (c *Config) unknownAgent(name string, role agent.Role) error {
	f := &fault.Fault{Kind: fault.ErrAgentSetup, Text: fmt.Sprintf("agent %s is not set up: neither planAgent.%[1]s.command nor planAgent.%[1]s.baseURL is set", name),
		Next: "set it up: " + setting("planAgent."+name+".command", "COMMAND")}
	known := append([]string{openAI}, cli.Names()...)
	for _, key := range []string{"command", "recording", "baseURL"} {
		known = append(known, c.Names("planAgent", key)...)
	}
	key, near := c.keyNaming(name, role), markdown.Nearest(name, known)
	if near != "" {
		f.Text += "; did you mean " + near + "?"
		if key != "" {
			f.Next = "use that: " + setting(key, near)
		}
	}
	return f
}

// notInstalled returns the error for an agent whose program is not there. What comes next is
// another one that is.
func (c *Config) notInstalled(name, program string, role agent.Role) error {
	f := &fault.Fault{Kind: fault.ErrAgentSetup, Text: fmt.Sprintf("agent %s is not installed: there is no program %s", name, visible.OneLine(program, 200)),
		Next: "install it: " + cli.Install(name) + "; or name its program: " + setting("planAgent."+name+".program", "PATH")}
	others := slices.DeleteFunc(Available(), func(a Candidate) bool { return a.Name == name })
	if key := c.keyNaming(name, role); key != "" && len(others) > 0 {
		f.Next = "install it: " + cli.Install(name) + "; or use " + others[0].String() + ": " + setting(key, others[0].Name)
	}
	return f
}

// keyNaming returns the key by which a role has an agent; "" if something else names that.
func (c *Config) keyNaming(name string, role agent.Role) string {
	switch name {
	case c.Role(role, "fallback"):
		return "plan." + string(role) + ".fallback"
	case c.AgentName(role):
		return c.AgentKey(role)
	}
	return ""
}
