package remote

import (
	"os"
	"slices"
	"strings"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/settings"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// Launcher is a command that connects its standard input and output with a worker.
type Launcher struct {
	Name    string
	Command string        // for the shell
	Start   time.Duration // how long it may take until a worker answers
	Pass    []string      // names of variables whose values the worker is sent
}

// startLimit is how long a worker may wait in the queue of a cluster.
const startLimit = time.Hour

// Of returns the launcher that starts the sessions of a role; nil if they run here.
func Of(c *settings.Config, role agent.Role) (*Launcher, error) {
	name, err := c.Launcher(role)
	if err != nil || name == "" {
		return nil, err
	}
	l, err := Configured(c, name)
	return &l, err
}

// Configured returns the launcher of a name.
func Configured(c *settings.Config, name string) (Launcher, error) {
	key := "planLauncher." + name
	l := Launcher{Name: name, Start: startLimit, Pass: c.List(key + ".passEnv")}
	for _, variable := range l.Pass {
		if !mayPass(variable) {
			return l, c.Wrong(key+".passEnv", "NAMES", "%s.passEnv names %q, which a worker has of its own", key, variable)
		}
	}
	l.Command, _ = c.Get(key + ".command")
	if l.Command == "" {
		return l, c.Wrong(key+".command", "COMMAND", "there is no launcher %s: %s.command is not set", name, key)
	}
	return l, nil
}

// Names returns the launchers that are set up.
func Names(c *settings.Config) []string {
	names := c.Git.Subsections("planLauncher", "command")
	slices.Sort(names)
	return names
}

// What decides there which programs run, where files are, and what git does is the other machine's own.
var (
	itsOwn = []string{"PATH", "HOME", "USER", "LOGNAME", "SHELL", "ENV", "IFS", "CDPATH", "TMPDIR", "TMP", "TEMP", "PWD", "OLDPWD",
		"GIT_", "LD_", "DYLD_", "BASH_", "SSH_", "XDG_", "SLURM_"} // those with an underscore at the end are prefixes
	variables = visible.NewPattern(`^[A-Za-z_][A-Za-z0-9_]*$`)
)

func mayPass(name string) bool {
	upper := strings.ToUpper(name)
	return variables.MatchString(name) && !slices.ContainsFunc(itsOwn, func(own string) bool {
		return upper == own || strings.HasSuffix(own, "_") && strings.HasPrefix(upper, own)
	})
}

// passed returns the variables that a worker is sent, as NAME=value: those that the person names, as far
// as this process has them.
func passed(names []string) (out []string) {
	for _, name := range names {
		if v, ok := os.LookupEnv(name); ok {
			out = append(out, name+"="+v)
		}
	}
	return out
}

// Settings returns what is configured here of an agent in a role: that holds on the worker, too, as by
// git -c. What names programs of this machine stays here, and so does what confines sessions: that is
// the worker's.
func Settings(c *settings.Config, a agent.Agent, role agent.Role) (out [][2]string) {
	keys := []string{"plan.waitOnLimit", "plan.checkTimeout", "plan.passEnv", "user.name", "user.email", "plan." + string(role) + ".temperature"}
	prefix := "planagent." + strings.ToLower(a.Name()) + "."
	for _, key := range c.AllKeys() {
		if lower := strings.ToLower(key); strings.HasPrefix(lower, prefix) && lower != prefix+"program" {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	for _, key := range keys {
		if v, ok := c.Get(key); ok {
			out = append(out, [2]string{key, v})
		}
	}
	return out
}
