package elsewhere

import (
	"slices"
	"time"

	"github.com/git-plan/git-plan/gitplan/elsewhere/wire"
	"github.com/git-plan/git-plan/gitplan/settings"
)

// Launcher is a command that connects its standard input and output with a worker.
type Launcher struct {
	Name    string
	Command string        // for the shell
	Start   time.Duration // how long it may take until a worker answers
	Pass    []string      // names of variables whose values the worker is sent
}

// Configured returns the launcher of a name.
func Configured(c *settings.Config, name string) (Launcher, error) {
	key := "planLauncher." + name
	l := Launcher{Name: name, Pass: c.List(key + ".passEnv")}
	for _, name := range l.Pass {
		if !wire.MayPass(name) {
			return l, c.Wrong(key+".passEnv", "NAMES", "%s.passEnv names %q, which a worker has of its own", key, name)
		}
	}
	l.Command, _ = c.Get(key + ".command")
	if l.Command == "" {
		return l, c.Wrong(key+".command", "COMMAND", "there is no launcher %s: %s.command is not set", name, key)
	}
	start, ok := c.Get(key + ".start")
	if !ok {
		start = "1h"
	}
	var err error
	l.Start, err = c.DurationOf(key+".start", start)
	return l, err
}

// Names returns the launchers that are set up.
func Names(c *settings.Config) []string {
	names := c.Git.Subsections("planLauncher", "command")
	slices.Sort(names)
	return names
}
