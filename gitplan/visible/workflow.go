package visible

import "strings"

// Workflow returns a text as one line that GitHub's runner takes as the message of a workflow
// command (::error::MESSAGE), whatever is in it.
func Workflow(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(Text(s))
}

// WorkflowProperty returns a text as the value of a property of such a command, which a colon
// or a comma would end.
func WorkflowProperty(s string) string {
	return strings.NewReplacer(":", "%3A", ",", "%2C").Replace(Workflow(s))
}
