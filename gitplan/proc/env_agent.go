package proc

import "os"

// Agent is the environment of a command-line agent, which is set up by variables
// that nobody can list: Clean, without the keys of model providers and what
// secrets name, but with what the patterns of needs name; told not to expect a
// person.
func Agent(secrets, needs []string) []string {
	env := without(Clean(), keys, secrets, []string{"npm_config_user_agent"})
	for _, kv := range os.Environ() {
		if !contains(env, kv) && len(without([]string{kv}, needs)) == 0 {
			env = append(env, kv)
		}
	}
	return append(env,
		"GIT_TERMINAL_PROMPT=0", "GIT_EDITOR=true", "GIT_SEQUENCE_EDITOR=true", "GIT_PAGER=cat", "PAGER=cat",
		"GIT_OPTIONAL_LOCKS=0", "TERM=dumb", "NO_COLOR=1", "CI=1", EnvDepth+"=1")
}
