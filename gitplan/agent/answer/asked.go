package answer

import (
	"fmt"
	"strings"

	"github.com/git-plan/git-plan/gitplan/agent"
)

// HowToEnd returns the text that tells a program of a vendor how to end its session: by its
// last message, which carries a JSON object. The form itself is no valid answer, and the text
// does not end with it, so that a program which only repeats its prompt has not answered.
func HowToEnd(s agent.Session) string {
	var b strings.Builder
	b.WriteString("\n# How to end here\n\nYour last message ends the session. ")
	switch s.Role {
	case agent.Planner:
		b.WriteString("It holds the whole plan and then, as the very last thing, one JSON object of this form:\n\n")
	case agent.Critic, agent.Reviewer, agent.Verifier:
		b.WriteString("Its very last thing is the JSON object with your answer, with its nonce. Only if you cannot answer, it is one of this form instead:\n\n")
	default:
		b.WriteString("Its very last thing is one JSON object of this form:\n\n")
	}
	b.WriteString(resultForm(s.Role, s.Nonce) + howToAsk(s))
	b.WriteString(" Without this object, or with another nonce, whatever you did counts as failed. Say nothing after it.\n")
	return b.String()
}

// HowCommandEnds is HowToEnd for a command of the person's own.
func HowCommandEnds(s agent.Session) string {
	const heading = "\n# How to end here\n\n"
	switch s.Role {
	case agent.Planner:
		if s.Ask != nil {
			return heading + "Print the whole plan, and nothing else, on standard output, and exit with 0. " +
				"If you ask a person, print nothing and write one JSON object of this form to the file that the environment variable GIT_PLAN_RESULT names:\n\n" +
				resultForm(s.Role, "") + howToAsk(s) + "\n"
		}
		return heading + "Print the whole plan, and nothing else, on standard output, and exit with 0.\n"
	case agent.Critic, agent.Reviewer, agent.Verifier:
		return heading + "Print the JSON object with your answer on standard output, as the last thing, and exit with 0.\n"
	}
	return heading + "Write one JSON object of this form to the file that the environment variable GIT_PLAN_RESULT names, and exit with 0:\n\n" + resultForm(s.Role, "") + "\n"
}

// howToAsk returns how a session asks a person, if it may.
func howToAsk(s agent.Session) string {
	if s.Ask == nil {
		return ""
	}
	return ` To ask a person, end as blocked with the field "questions": [{"question": "…", "suggested": ["…", …]}, …], ` +
		fmt.Sprintf("at most %d, the likeliest answer first. The next session is given the answers and may ask what they open.", agent.MaxQuestions)
}

// resultForm returns the form of a result, and what its fields are for.
func resultForm(role agent.Role, nonce string) string {
	status, more, about := "done|blocked|failed", "", ""
	switch role {
	case agent.Critic, agent.Reviewer, agent.Verifier:
		status = "blocked|failed"
	case agent.Fixer:
		more = `, "subject": "…", "dispositions": [{"id": "…", "disposition": "fixed|dismissed|asked", "because": "…"}, …]`
	case agent.Executor:
		more = `, "subject": "…", "handoff": {"did": "…", "why": "…", "rejected": "…"}, "assumed": "…", "amendments": [{"do": "change|add|drop", "step": "id", "text": "…", "because": "…"}, …], "drift": [{"file": "…", "because": "…"}, …]`
		about = "; handoff is for later sessions: what they can build on, what was chosen and why, what was rejected; assumed is what you assumed where the step left something open; amendments are changes of the plan that you found to be needed; drift names each file that you changed and the step's Files do not name, and why"
	}
	if role.Writes() {
		about = "; subject is for the commit, in the imperative, at most 72 characters" + about
	}
	if nonce != "" {
		nonce = fmt.Sprintf(`"nonce": "%s", `, nonce)
	}
	return fmt.Sprintf(`{%s"status": "%s", "summary": "…", "question": "…"%s}`, nonce, status, more) +
		"\n\nChoose one status; question is for blocked only" + about + "."
}
