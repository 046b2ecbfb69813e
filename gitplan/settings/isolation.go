package settings

import (
	"strings"

	"github.com/git-plan/git-plan/gitplan/agent"
)

// Isolation returns where sessions run: tree, clone, or the name of a launcher.
func (c *Config) Isolation() (string, error) {
	v := c.String("plan.isolation")
	if lower := strings.ToLower(v); lower == "tree" || lower == "clone" {
		return lower, nil
	}
	if c.isLauncher(v) {
		return v, nil
	}
	return "tree", c.MustBe("plan.isolation", v, "tree, clone, or the name of a launcher, which planLauncher.NAME.command sets up")
}

// Launcher returns the name of the launcher that starts the sessions of a role on another machine; ""
// if they run here, as all do that only read.
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

// isLauncher reports whether a launcher of this name is set up.
func (c *Config) isLauncher(name string) bool {
	command, _ := c.Get("planLauncher." + name + ".command")
	return command != ""
}

// elsewhere reports whether a launcher starts the sessions of a role: what they need is there.
func (c *Config) elsewhere(role agent.Role) bool {
	name, err := c.Launcher(role)
	return err == nil && name != ""
}
