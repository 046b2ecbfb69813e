package progress

import "fmt"

// Unblock returns the advice for a blocked step. A question needs an answer;
// otherwise only a person can tell whether the step or something else must change.
func Unblock(step string, question bool) string {
	if question {
		return fmt.Sprintf(`git plan answer %s "your answer"`, step)
	}
	return fmt.Sprintf("see why: git plan log %s; if the step is wrong: git plan edit %s; to try again: git plan reopen %s", step, step, step)
}
