package gitplan

import (
	"regexp"
	"strings"
)

// Trailers of commits on the person's branch. Only the program writes them.
const (
	StepTrailer   = "Plan-Step"
	ReviewTrailer = "Plan-Review"
)

// stepLine finds "Plan-Step: <plan-id>/<step-id>" on a line of its own,
// indented or not: squashing pushes trailers into the body, and merge --squash
// indents them.
var stepLine = regexp.MustCompile(`^\s*Plan-Step:\s*([a-z0-9][a-z0-9-]*)/([a-z0-9][a-z0-9-]*)\s*$`)

// revertLine is what git revert writes into a message.
var revertLine = regexp.MustCompile(`^\s*This reverts commit ([0-9a-f]{40,64})\b`)

// withoutTrailers removes every line of a session's own message that begins
// with "Plan-", indented or not: a session cannot name a step.
func withoutTrailers(message string) string {
	var out []string
	for _, line := range strings.Split(message, "\n") {
		if !strings.HasPrefix(strings.ToLower(strings.TrimSpace(line)), "plan-") {
			out = append(out, line)
		}
	}
	return strings.TrimSpace(strings.Join(out, "\n"))
}

// commitMessage puts a message together: subject, body, trailer.
func commitMessage(subject, body, trailer string) string {
	subject = oneLine(withoutTrailers(subject), 200)
	var b strings.Builder
	b.WriteString(subject + "\n\n")
	if body = withoutTrailers(body); body != "" {
		b.WriteString(body + "\n\n")
	}
	b.WriteString(trailer + "\n")
	return b.String()
}
