package answer

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/git-plan/git-plan/gitplan/agent"
)

const (
	// Max bounds the answer of a planner or a reviewer, in bytes.
	Max = 2 << 20
	// maxClosing bounds how often a last message is tried as JSON.
	maxClosing = 1000
)

// Last returns how a session ended by its last message.
func Last(last string, s agent.Session) agent.Result {
	object, before, err := closing(last, s.Nonce)
	if err != nil {
		return agent.NoAnswer("%v", err)
	}
	var said Object
	if err := json.Unmarshal(object, &said); err != nil {
		return agent.NoAnswer("the JSON object at its end cannot be used: %v", err)
	}
	if said.Status == "" && !s.Role.Answers() {
		return agent.NoAnswer("the JSON object at its end has no status")
	}
	if err := said.check(); err != nil {
		return agent.NoAnswer("%v", err)
	}
	r := said.Result()
	switch {
	case r.Status != agent.Done || !s.Role.Answers():
	case said.Status == "" && s.Role != agent.Planner: // the answer itself
		r = agent.Result{Status: agent.Done, Answer: strings.TrimSpace(last)}
	default:
		if before = unfenced(before); before == "" {
			return agent.NoAnswer("there is nothing before the JSON object at its end")
		}
		r.Answer = before + "\n"
	}
	if len(r.Answer) > Max {
		return agent.Fail("its answer is longer than %d bytes", Max)
	}
	r.Answer = strings.ToValidUTF8(r.Answer, "\uFFFD")
	return r
}

// Ends reports whether a message ends with a JSON object that has the nonce.
func Ends(message, nonce string) bool {
	_, _, err := closing(message, nonce)
	return err == nil
}

// closing finds the JSON object that ends a message and has the nonce, and the text before it.
// It may be in a code fence.
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

// lastObject returns where the JSON object begins that ends text, or -1. An object
// inside it ends before it does.
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

// unfenced returns text without the fence that begins and ends it. Fences inside may
// look like its end: no answer begins with a fence of its own.
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
