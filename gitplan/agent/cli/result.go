package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/git-plan/git-plan/gitplan/agent"
)

// howToEnd returns the text that tells a program to end its session by a JSON object in its last message.
// The form is no valid answer, and not the end of the text: repeating the prompt answers nothing.
func howToEnd(s agent.Session) string {
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

// howCommandEnds is howToEnd for a command of the person's own.
func howCommandEnds(s agent.Session) string {
	const heading = "\n# How to end here\n\n"
	switch s.Role {
	case agent.Planner:
		text := heading + "Print the whole plan, and nothing else, on standard output, and exit with 0."
		if s.Ask != nil {
			text += " If you ask a person, print nothing and write one JSON object of this form to the file that the environment variable GIT_PLAN_RESULT names:\n\n" +
				resultForm(s.Role, "") + howToAsk(s)
		}
		return text + "\n"
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

const (
	maxAnswer  = 2 << 20 // bytes of a planner's or reviewer's answer
	maxClosing = 1000    // how often a last message is tried as JSON
	maxObject  = 1 << 20 // bytes of the file of a result
)

// lastMessage returns how a session ended by its last message.
func lastMessage(last string, s agent.Session) agent.Result {
	object, before, err := closing(last, s.Nonce)
	if err != nil {
		return agent.NoAnswer("%v", err)
	}
	var outcome agent.Outcome
	if err := json.Unmarshal(object, &outcome); err != nil {
		return agent.NoAnswer("the JSON object at its end cannot be used: %v", err)
	}
	if outcome.Status == "" && !s.Role.Answers() {
		return agent.NoAnswer("the JSON object at its end has no status")
	}
	if err := outcome.Check(); err != nil {
		return agent.NoAnswer("%v", err)
	}
	r := outcome.Result()
	switch {
	case r.Status != agent.Done || !s.Role.Answers():
	case outcome.Status == "" && s.Role != agent.Planner: // the answer itself
		r = agent.Result{Status: agent.Done, Answer: strings.TrimSpace(last)}
	default:
		if before = unfenced(before); before == "" {
			return agent.NoAnswer("there is nothing before the JSON object at its end")
		}
		r.Answer = before + "\n"
	}
	if len(r.Answer) > maxAnswer {
		return agent.Fail("its answer is longer than %d bytes", maxAnswer)
	}
	r.Answer = strings.ToValidUTF8(r.Answer, "\uFFFD")
	return r
}

// ends reports whether a message ends with a JSON object that has the nonce.
func ends(message, nonce string) bool {
	_, _, err := closing(message, nonce)
	return err == nil
}

// closing finds the JSON object that ends a message and has the nonce, maybe in a fence, and the text before it.
func closing(message, nonce string) (object json.RawMessage, before string, err error) {
	text := strings.TrimSpace(message)
	if text == "" {
		return nil, "", errors.New("its last message is empty")
	}
	body, fenced := strings.CutSuffix(text, "```")
	body = strings.TrimSpace(body)
	at := lastObject(body)
	if at < 0 {
		return nil, "", errors.New("its last message does not end with a JSON object")
	}
	var head struct {
		Nonce string `json:"nonce"`
	}
	object, before = json.RawMessage(body[at:]), strings.TrimSpace(body[:at])
	switch err := json.Unmarshal(object, &head); {
	case err != nil:
		return nil, "", errors.New("the JSON object at its end cannot be used")
	case head.Nonce == "":
		return nil, "", errors.New("the JSON object at its end has no nonce")
	case head.Nonce != nonce:
		return nil, "", errors.New("the JSON object at its end has another nonce")
	}
	if fenced {
		i := strings.LastIndexByte(before, '\n') + 1
		if strings.HasPrefix(strings.TrimSpace(before[i:]), "```") {
			before = strings.TrimSpace(before[:i])
		}
	}
	return object, before, nil
}

// lastObject returns where the outermost JSON object begins that ends text, or -1.
func lastObject(text string) int {
	if !strings.HasSuffix(text, "}") {
		return -1
	}
	at := len(text)
	for range maxClosing {
		if at = strings.LastIndexByte(text[:at], '{'); at < 0 {
			break
		}
		dec := json.NewDecoder(strings.NewReader(text[at:]))
		var o json.RawMessage
		if dec.Decode(&o) == nil && int(dec.InputOffset()) == len(text)-at {
			return at
		}
	}
	return -1
}

// unfenced returns text without the fence that begins and ends it.
func unfenced(text string) string {
	text = strings.TrimSpace(text)
	first, rest, ok := strings.Cut(text, "\n")
	fence := first[:len(first)-len(strings.TrimLeft(first, "`"))]
	body, closed := strings.CutSuffix(rest, "\n"+fence)
	if !ok || len(fence) < 3 || !closed {
		return text
	}
	return strings.TrimSpace(body)
}

// readOutcome reads it from a file. One that is missing or empty says nothing.
func readOutcome(file string) (agent.Outcome, error) {
	var a agent.Outcome
	info, err := os.Lstat(file)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return a, nil
	case err != nil:
		return a, err
	case !info.Mode().IsRegular():
		return a, errors.New("it is not a regular file")
	}
	f, err := os.Open(file)
	if err != nil {
		return a, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxObject+1))
	if err == nil && len(b) > maxObject {
		err = fmt.Errorf("it is longer than %d bytes", maxObject)
	}
	if err != nil || len(bytes.TrimSpace(b)) == 0 {
		return a, err
	}
	var syntax *json.SyntaxError
	if err := json.Unmarshal(b, &a); errors.As(err, &syntax) {
		return agent.Outcome{}, fmt.Errorf("it is not JSON, at byte %d of `%s`", syntax.Offset, agent.OneLine(string(b), 80))
	} else if err != nil {
		return agent.Outcome{}, err
	}
	return a, a.Check()
}
