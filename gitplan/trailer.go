package gitplan

import "strings"

// Trailers of commits on the person's branch. Only the program writes them.
const (
	StepTrailer   = "Plan-Step"
	ReviewTrailer = "Plan-Review"
)

// namedStep reads "Plan-Step: <plan-id>/<step-id>" on a line of its own,
// indented or not: squashing pushes trailers into the body, and merge --squash
// indents them.
func namedStep(line string) (plan, step string, ok bool) {
	value, ok := strings.CutPrefix(strings.TrimSpace(line), StepTrailer+":")
	if !ok {
		return "", "", false
	}
	plan, step, ok = strings.Cut(strings.TrimSpace(value), "/")
	return plan, step, ok && plan != "" && validID(step)
}

// revertedCommit reads what git revert writes into a message.
func revertedCommit(line string) (oid string, ok bool) {
	rest, ok := strings.CutPrefix(strings.TrimSpace(line), "This reverts commit ")
	end := strings.IndexFunc(rest, func(r rune) bool { return !strings.ContainsRune("0123456789abcdef", r) })
	if end >= 0 {
		rest = rest[:end]
	}
	return rest, ok && (len(rest) == 40 || len(rest) == 64)
}

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
