package cli

import (
	"fmt"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// exited is how a program ended.
type exited struct {
	code   int // 128+n: ended by signal n
	stderr string
}

// ending is how a session ended by what the program said.
type ending struct {
	status  agent.Status // empty: it ended by itself, and its last message says how
	reason  string
	wait    time.Duration
	last    string // its last message
	noQuota bool   // of one that is not authorised: that is why
	tokens  agent.Tokens
	cost    agent.Cost
	model   string // that the program says it uses
	note    string // a possible explanation for the missing answer

	wordless bool // it ended before it could say how
	refused  bool // an error of the model's service: before the first turn it does not count as an attempt
}

func (e ending) as(s agent.Status, reason string) ending {
	e.status, e.reason = s, reason
	return e
}

// cut returns the ending of a session that ran out of something before it could say how it ended.
func (e ending) cut(reason string) ending {
	e.wordless = true
	return e.as(agent.Failed, reason)
}

// unsaid returns the ending of a program that did not say how its session ended. Exit code 0 says nothing.
func (e ending) unsaid(x exited, begun bool) ending {
	switch why := agent.LastLine(x.stderr); {
	case x.code > 128 && x.code <= 128+15:
		return e.as(agent.Failed, fmt.Sprintf("it was killed by a signal (%d)", x.code-128))
	case !begun && x.code != 0:
		return e.as(agent.Unusable, fmt.Sprintf("it does not start (exit code %d)%s", x.code, why))
	case x.code != 0:
		return e.as(agent.Failed, fmt.Sprintf("it ended without a result (exit code %d)%s", x.code, why))
	default:
		return e.cut("it ended without a result (exit code 0)" + why)
	}
}

// byHTTP returns how a session ends that ended with an HTTP status.
func byHTTP(status int) agent.Status {
	switch {
	case status == 401, status == 402, status == 403:
		return agent.Unauthorised
	case status == 404, status == 405:
		return agent.Unusable
	case status == 429, status == 503, status == 529:
		return agent.Limited
	case status == 408, status == 409, status == 425, status >= 500:
		return agent.Unreachable
	}
	return agent.Failed
}

func (e ending) result(s agent.Session) agent.Result {
	r := agent.Result{Status: e.status, Reason: e.reason, RetryAfter: e.wait, Unsaid: e.wordless}
	if e.status == "" {
		if r = lastMessage(e.last, s); r.Status == agent.Failed && e.note != "" {
			r.Reason += " (" + e.note + ")"
		}
	}
	if e.status == agent.Blocked { // by its model, provider or settings: there is no question to answer
		r.Status, r.Refused = agent.Failed, true
	}
	r.Tokens, r.Cost = e.tokens, e.cost
	return r
}

// next returns what a person does first if a program could not work.
func (c *Agent) next(e ending) string {
	login := c.dialect.login
	switch {
	case e.status == agent.Unreachable && c.dialect.acp && login != "": // some report only in words that a login is needed
		return "if its message asks for that, sign in: " + login + "; else wait until its service is up"
	case e.status == agent.Unusable && c.dialect.least != "":
		return "if it is older than " + c.dialect.least + ", update it: " + c.dialect.update
	case e.status != agent.Unauthorised:
		return ""
	case e.noQuota:
		return "add credit, or name an agent that goes on in its place: git config plan.executor.fallback AGENT"
	case login == "":
		return "sign in to " + visible.Shell(c.Program)
	}
	return "sign in: " + login
}
