package builtin

import (
	"fmt"

	"github.com/git-plan/git-plan/gitplan/agent"
)

// prompted returns the prompt of a session with how it ends here: by the tools. That
// belongs to what all sessions of a role share.
func prompted(s agent.Session) agent.Prompt {
	p := s.Prompt
	p.System += "\nHow to end here\n" + howToEnd(s.Role)
	return p
}

// howToEnd returns how a session of a role ends.
func howToEnd(role agent.Role) string {
	switch role {
	case agent.Planner:
		return fmt.Sprintf("- Call `submit_plan` with the whole plan. If something is wrong with it, you read what, and go on here: you have %d calls of it.\n", 1+maxRefused) +
			"- If you have the tool `ask`, you may ask a person before you plan.\n"
	case agent.Critic, agent.Reviewer:
		return "- Call `submit_review` with your answer; print none.\n"
	case agent.Verifier:
		return "- Call `submit_answers` with your answer; print none.\n"
	}
	return fmt.Sprintf("- Call `finish` as the only call of a turn. With \"done\" it runs the commands under \"Checks\"; if one fails you get its output and go on here. You have %d such calls.\n", 1+maxRefused)
}
