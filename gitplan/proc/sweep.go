package proc

import "strings"

// markOf is the mark that an environment gives to all processes that inherit
// it, whatever groups and sessions they make for themselves.
func markOf(env []string) string {
	mark := ""
	for _, kv := range env {
		if strings.HasPrefix(kv, EnvSession+"=") {
			mark = kv // the last one counts
		}
	}
	return mark
}

// Mark is the mark of a session's processes.
func Mark(session string) string { return EnvSession + "=" + session }
