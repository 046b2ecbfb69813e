package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
	"github.com/git-plan/git-plan/gitplan/disk"
	"github.com/git-plan/git-plan/gitplan/visible"
)

const heading = "\n# How to end here\n\n"

// howToEnd returns the text that tells a program to end its session by a JSON object in its last message.
// The form is no valid answer, and not the end of the text: repeating the prompt answers nothing.
func howToEnd(s agent.Session) string {
	text := heading + "Your last message ends the session. Its very last thing is one JSON object of this form:\n\n"
	switch s.Role {
	case agent.Planner:
		text = heading + "Your last message ends the session. It holds the whole plan and then, as the very last thing, " +
			"one JSON object of this form:\n\n"
	case agent.Critic, agent.Reviewer, agent.Verifier:
		text += answerForm(s) + "\n\nOnly if you cannot answer, it is one of this form instead:\n\n"
	}
	return text + resultForm(s.Role, s.Nonce) + howToAsk(s) + " Say nothing after it.\n"
}

// howCommandEnds is howToEnd for a command of the person's own.
func howCommandEnds(s agent.Session) string {
	const file = "one JSON object of this form to the file that the environment variable GIT_PLAN_RESULT names"
	switch {
	case s.Role == agent.Planner && s.Ask != nil:
		return heading + "Print the whole plan, and nothing else, on standard output, and exit with 0. If you ask a person, print nothing and write " + file + ":\n\n" +
			resultForm(s.Role, "") + howToAsk(s) + "\n"
	case s.Role == agent.Planner:
		return heading + "Print the whole plan, and nothing else, on standard output, and exit with 0.\n"
	case s.Role.Answers():
		return heading + "Print one JSON object of this form on standard output, as the last thing, and exit with 0:\n\n" +
			answerForm(s) + "\n"
	}
	return heading + "Write " + file + ", and exit with 0:\n\n" + resultForm(s.Role, "") + "\n"
}

// answerForm returns the form of an answer with the session's nonce.
func answerForm(s agent.Session) string {
	return fmt.Sprintf(`{"nonce": "%s", %s`, s.Nonce, strings.TrimPrefix(s.Prompt.Form, "{"))
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
		about = "; handoff is for later sessions: what they can build on, what was chosen and why, what was rejected; assumed is what you assumed where the step left something open; amendments are changes of the plan that you found to be needed; drift names each file that you changed and the step's Files do not name, or in which fewer tests run now, and why"
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

// endSchema is the JSON schema of such a form, of which claude makes a tool: a model ends its session by it, and is asked
// for it if it does not. Codex holds every message to a schema, and its models then call no tools (openai/codex#19816).
const endSchema = `{"type":"object","required":["nonce","status"],"properties":{"nonce":{"type":"string"},` +
	`"status":{"enum":["done","blocked","failed"]},"summary":{"type":"string"},"question":{"type":"string"},` +
	`"subject":{"type":"string"},"handoff":{"type":"object"},"assumed":{"type":"string"},"amendments":{"type":"array"},` +
	`"drift":{"type":"array"},"dispositions":{"type":"array"}}}`

const (
	maxAnswer = 2 << 20 // bytes of a planner's or reviewer's answer
	maxObject = 1 << 20 // bytes of the file of a result
)

// lastMessage returns how a session ended by its last message.
func lastMessage(last string, s agent.Session) agent.Result {
	object, before, err := closing(last, s.Nonce)
	if plan := agent.PlanIn(last); err != nil && s.Role == agent.Planner && plan != "" {
		return answered(plan)
	}
	var outcome agent.Outcome
	if err == nil {
		outcome, err = agent.ReadOutcome(object)
		earlier, _ := agent.LastObject(before)
		// A status with a bar is copied from the form. Any other object may be the answer itself.
		ended := outcome.Status == agent.Blocked || outcome.Status == agent.Failed ||
			strings.Contains(string(outcome.Status), "|")
		if s.Role.Answers() && s.Role != agent.Planner && !ended && (outcome.Status == "" || earlier == nil) {
			return answered(strings.TrimSpace(last))
		}
	}
	if err == nil && outcome.Status == "" && !s.Role.Answers() {
		err = errors.New("the JSON object at its end has no status")
	}
	if err != nil {
		return agent.NoAnswer(before, "%v", err)
	}
	if r := outcome.Result(); r.Status != agent.Done || !s.Role.Answers() {
		return r
	}
	if before = agent.Unfenced(before); before == "" {
		return agent.NoAnswer(last, "there is nothing before the JSON object at its end")
	}
	return answered(before + "\n")
}

// answered returns the result of a session with an answer.
func answered(text string) agent.Result {
	if len(text) > maxAnswer {
		return agent.Fail("its answer is longer than %d bytes", maxAnswer)
	}
	return agent.Result{Status: agent.Done, Answer: strings.ToValidUTF8(text, "\uFFFD")}
}

// ends reports whether a message ends with a JSON object that has the nonce.
func ends(message, nonce string) bool {
	_, _, err := closing(message, nonce)
	return err == nil
}

// closing finds the JSON object that ends a message and has the nonce, and the text before it.
func closing(message, nonce string) (object json.RawMessage, before string, err error) {
	var head struct {
		Nonce string `json:"nonce"`
	}
	if object, before = agent.LastObject(message); object == nil {
		before = message
	}
	switch {
	case strings.TrimSpace(message) == "":
		err = errors.New("its last message is empty")
	case object == nil:
		err = errors.New("its last message does not end with a JSON object")
	case json.Unmarshal(object, &head) != nil:
		err = errors.New("the JSON object at its end cannot be used")
	case head.Nonce == "":
		err = errors.New("the JSON object at its end has no nonce")
	case head.Nonce != nonce:
		err = errors.New("the JSON object at its end has another nonce")
	}
	return object, before, err
}

// readOutcome reads it from a file. One that is missing or empty says nothing.
func readOutcome(file string) (a agent.Outcome, err error) {
	if info, err := os.Lstat(file); err == nil && !info.Mode().IsRegular() {
		return a, errors.New("it is not a regular file")
	}
	b, err := disk.ReadRegular(file)
	text := strings.TrimPrefix(string(b), "\ufeff")
	switch object, _ := agent.LastObject(text); {
	case errors.Is(err, os.ErrNotExist):
		return a, nil
	case err != nil:
		return a, err
	case len(b) > maxObject:
		return a, fmt.Errorf("it is longer than %d bytes", maxObject)
	case object != nil:
		return agent.ReadOutcome(object)
	case strings.TrimSpace(text) != "":
		return a, fmt.Errorf("it is not JSON: `%s`", agent.OneLine(text, 80))
	}
	return a, nil
}

// ending is the end of a session by the program's report.
type ending struct {
	status  agent.Status // empty if the last message says how it ended
	reason  string
	wait    time.Duration
	last    string // the model's last message
	noQuota bool   // Unauthorised means that the quota is used up
	tokens  agent.Tokens
	cost    agent.Cost
	note    string // a possible explanation for the missing answer

	wordless bool // the session ended before it could report
	refused  bool // the model's service failed; before the first turn this is no attempt
}

func (e ending) withStatus(s agent.Status, reason string) ending {
	e.status, e.reason = s, reason
	return e
}

// cut returns the ending of a session that ran out of something before it could say how it ended.
func (e ending) cut(reason string) ending {
	e.wordless = true
	return e.withStatus(agent.Failed, reason)
}

// unsaid returns the ending of a program that did not say how its session ended. Exit code 0 says nothing.
func (e ending) unsaid(code int, stderr string, begun bool) ending {
	switch why := agent.LastLine(stderr); {
	case code > 128 && code <= 128+15:
		return e.withStatus(agent.Failed, fmt.Sprintf("it was killed by a signal (%d)", code-128))
	case !begun && code != 0:
		return e.withStatus(agent.Unusable, fmt.Sprintf("it does not start (exit code %d)%s", code, why))
	case code != 0:
		return e.withStatus(agent.Failed, fmt.Sprintf("it ended without a result (exit code %d)%s", code, why))
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
	if e.status == agent.Blocked { // the model, provider or settings block it, and there is no question to answer
		r.Status, r.Refused = agent.Failed, true
	}
	r.Tokens, r.Cost = e.tokens, e.cost
	return r
}

// next returns what a person does first if a program could not work.
func (c *Agent) next(e ending) string {
	login := c.dialect.Login
	switch {
	case e.status == agent.Unreachable && c.dialect.acp && login != "": // some report only in words that a login is needed
		return "if its message asks for that, sign in: " + login + "; else wait until its service is up"
	case e.status == agent.Unusable && c.dialect.oldest != "":
		return "if it is older than " + c.dialect.oldest + ", update it: " + c.dialect.update
	case e.status != agent.Unauthorised:
		return ""
	case e.noQuota:
		return "add credit, or name an agent to use instead: git config plan.executor.fallback AGENT"
	case login == "":
		return "sign in to " + visible.Shell(c.Program)
	}
	return "sign in: " + login
}
