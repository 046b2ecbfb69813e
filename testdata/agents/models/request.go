package main

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

type (
	object = map[string]any
	list   = []any
)

// Wish is what a person asks their own agent to do.
const Wish = "Do the next step of the plan."

// promptTokens is the reported size of every prompt, cachedTokens of its cached part, answerTokens of an
// answer.
const (
	promptTokens = 1200
	cachedTokens = 1000
	answerTokens = 40
)

// request is common to all protocols.
type request struct {
	model    string
	streamed bool
	tools    map[string]tool
	turn     int    // results of tools in the conversation so far
	result   string // the last of them
	shell    string // the name of this client's shell tool

	// Facts of the session, from lines of its prompt, and the nonce, from the form of its answer; empty in requests
	// that a client makes for itself.
	role, step, attempt, round, nonce string

	body     string   // as it was sent
	prompt   string   // the user's messages in the conversation
	captured []string // see [Lane.Capture]
}

// tool is a tool that the client offers.
type tool struct {
	custom    bool   // takes a text, not an object
	namespace string // where the protocol has them
}

// side reports that a request is not one of the session's turns.
func (q request) side() bool { return q.role == "" || len(q.tools) == 0 }

// answered records the result of a tool.
func (q *request) answered(result any) {
	q.turn++
	b, _ := json.Marshal(result)
	q.result = string(b)
}

// learn finds the facts in a prompt: the first line that names a role counts, and the last one of others.
func (q *request) learn(prompt any) {
	var b strings.Builder
	texts(prompt, &b)
	q.prompt = b.String()
	fact := func(name string) []string {
		var out []string
		for _, m := range regexp.MustCompile(`(?m)^`+name+`: (\S+)\s*$`).FindAllStringSubmatch(q.prompt, -1) {
			out = append(out, m[1])
		}
		return append(out, "")
	}
	last := func(name string) string {
		all := fact(name)
		return all[max(0, len(all)-2)]
	}
	q.role, q.step, q.attempt, q.round = fact("Role")[0], last("Step"), last("Attempt"), last("Round")
	if m := printed.FindStringSubmatch(q.prompt); m != nil {
		q.nonce = m[1]
	}
	if q.role == "" && strings.Contains(q.prompt, Wish) {
		q.role = "person"
	}
}

// printed finds the nonce in the form of the answer, which is shown to agents that print it.
var printed = regexp.MustCompile(`"nonce": "([^"]+)"`)

// texts collects the user's messages of a conversation, in order.
func texts(v any, b *strings.Builder) {
	switch v := v.(type) {
	case string:
		b.WriteString(v + "\n")
	case list:
		for _, x := range v {
			texts(x, b)
		}
	case object:
		kind, role := text(v["type"]), text(v["role"])
		if role == "assistant" || role == "model" || role == "tool" || kind == "tool_result" || strings.Contains(kind, "_call") {
			return
		}
		keys := make([]string, 0, len(v))
		for k := range v {
			if k != "functionResponse" && k != "functionCall" {
				keys = append(keys, k)
			}
		}
		slices.Sort(keys)
		for _, k := range keys {
			texts(v[k], b)
		}
	}
}

// fill puts the request's facts into a text of the script.
func (q request) fill(s string) string {
	work, _ := os.Getwd()
	pairs := append(q.captured, "${step}", q.step, "${nonce}", q.nonce, "${turn}", strconv.Itoa(q.turn), "${work}", work)
	return strings.NewReplacer(pairs...).Replace(s)
}

// at walks down a decoded value by names of fields.
func at(v any, path ...string) any {
	for _, p := range path {
		o, _ := v.(object)
		v = o[p]
	}
	return v
}

func text(v any) string { s, _ := v.(string); return s }

func items(v any) list { l, _ := v.(list); return l }
