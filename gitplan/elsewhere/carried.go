package elsewhere

import (
	"os"
	"slices"
	"strings"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/settings"
)

// Settings returns what is configured here of an agent in a role, and of the session's place: that
// holds on the worker, too, as by git -c. What names files or programs of this machine stays here, and
// so does what confines sessions: that is the worker's.
func Settings(c *settings.Config, a agent.Agent, role agent.Role) (out [][2]string) {
	keys := []string{"plan.waitOnLimit", "plan.checkTimeout", "plan.passEnv", "user.name", "user.email"}
	for _, of := range []string{"temperature", "topP"} {
		keys = append(keys, "plan."+string(role)+"."+of)
	}
	prefix := "planagent." + strings.ToLower(a.Name()) + "."
	for _, key := range c.AllKeys() {
		if lower := strings.ToLower(key); strings.HasPrefix(lower, prefix) && lower != prefix+"program" && lower != prefix+"sslcainfo" {
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

// passed returns the variables that a worker is sent, as NAME=value: those that the person names, of
// which this process has some. A star is no name.
func passed(names []string) (out []string) {
	for _, name := range names {
		if v, ok := os.LookupEnv(name); ok {
			out = append(out, name+"="+v)
		}
	}
	return out
}
