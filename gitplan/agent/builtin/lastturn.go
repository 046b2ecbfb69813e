package builtin

import "github.com/git-plan/git-plan/gitplan/agent"

// outOfTurns returns the result of a session that has used all its turns. What it left may be
// right, unless that was just refused.
func (c *conversation) outOfTurns() agent.Result {
	if c.last != nil {
		return agent.Fail("all %d turns are used, and its result was refused: %s", c.s.MaxTurns, why(c.last))
	}
	r := agent.Fail("all %d turns are used and the session did not finish", c.s.MaxTurns)
	r.OutOfTurns = true
	return r
}
