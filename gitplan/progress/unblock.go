package progress

import "fmt"

// Unblock returns the advice for a blocked step. A question needs an answer;
// otherwise only a person can tell whether the step or something else must change.
func Unblock(step string, question bool) string {
	if question {
		return fmt.Sprintf(`git plan answer %s "your answer"`, step)
	}
	return fmt.Sprintf("git plan log %s (says why), git plan edit %s (only if the step is wrong), git plan reopen %s", step, step, step)
}
