// Package script implements a model server that plays recordings, for replays, the demo and tests.
package script

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"regexp"
	"strconv"
	"strings"

	"github.com/git-plan/git-plan/gitplan/agent"
)

// Script is a recorded conversation, or several, as a [Server] plays them back:
//
//	{"lanes": [{"role": "executor", "step": "store", "capture": {"branch": "(?m)^Branch: (\\S+)$"}, "turns": [
//	  {"say": "I look at the store.", "calls": [{"name": "read_file", "args": {"path": "store.go"}}]},
//	  {"expect": "package store", "faults": [{"status": 429, "retry_after": "1"}],
//	   "calls": [{"name": "finish", "args": {"status": "done", "summary": "on ${branch}"}}]}]}]}
//
// A request belongs to the session that lines of its prompt name: "Role: <role>" is the first of the system message,
// and the last "Step: <id>", "Attempt: <n>", "Reviewer: <name>" and "Round: <n>" of the user message count. The next
// turn is the one after as many as the request holds.
type Script struct {
	Lanes []Lane `json:"lanes"`
	Pause int    `json:"pause,omitempty"` // milliseconds before each answer, for a person who watches
}

// Lane is the recording for the sessions that its fields match. The first lane that matches is taken.
type Lane struct {
	Role     agent.Role `json:"role"`
	Step     string     `json:"step,omitempty"`
	Attempt  int        `json:"attempt,omitempty"`
	Reviewer string     `json:"reviewer,omitempty"`
	Round    int        `json:"round,omitempty"`
	// Capture names regular expressions with one group, for ${name} in Say, Think and Calls.
	Capture map[string]string `json:"capture,omitempty"`
	Turns   []Turn            `json:"turns"`
}

// Turn is one answer of the model.
type Turn struct {
	Expect string  `json:"expect,omitempty"` // a regular expression that the last message must match
	Think  string  `json:"think,omitempty"`
	Say    string  `json:"say,omitempty"`
	Calls  []Call  `json:"calls,omitempty"`
	Finish string  `json:"finish,omitempty"` // the finish_reason; by default tool_calls with calls, else stop
	Usage  *Usage  `json:"usage,omitempty"`  // nil: the server reports none
	Faults []Fault `json:"faults,omitempty"` // come first, one for each time that the turn is asked for
}

// Call is a tool call. Raw, if set, is sent verbatim as the arguments.
type Call struct {
	Name string          `json:"name"`
	Args json.RawMessage `json:"args,omitempty"`
	Raw  string          `json:"raw,omitempty"`
}

// Usage is what a turn is said to have used; Cost is in US dollars.
type Usage struct {
	In      int64    `json:"in"`
	Cached  int64    `json:"cached,omitempty"`
	Written int64    `json:"written,omitempty"`
	Out     int64    `json:"out"`
	Cost    *float64 `json:"cost,omitempty"`
}

// Fault is a way for a request to fail.
type Fault struct {
	Status     int    `json:"status,omitempty"` // HTTP status of a refusal
	Body       string `json:"body,omitempty"`
	RetryAfter string `json:"retry_after,omitempty"` // seconds
	StallMS    int    `json:"stall_ms,omitempty"`    // milliseconds of silence, after which the connection ends
}

// Read reads a recording and checks its expressions.
func Read(path string) (s Script, err error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return s, err
	}
	err = json.Unmarshal(b, &s)
	for i, l := range s.Lanes {
		if l.Role == "" {
			err = fmt.Errorf("lane %d names no role", i+1)
		}
		for name, e := range l.Capture {
			if re, invalid := regexp.Compile(e); invalid != nil || re.NumSubexp() != 1 {
				err = fmt.Errorf("lane %s: the expression of %s must have one group", l.facts(), name)
			}
		}
		for n, t := range l.Turns {
			if _, invalid := regexp.Compile(t.Expect); invalid != nil {
				err = fmt.Errorf("lane %s, turn %d: %w", l.facts(), n+1, invalid)
			}
		}
	}
	if err != nil {
		err = fmt.Errorf("recording %s: %w", path, err)
	}
	return s, err
}

// facts are what a request says about its session, by name.
type facts map[string]string

func (f facts) String() string {
	var out []string
	for _, name := range []string{"role", "step", "attempt", "reviewer", "round"} {
		if f[name] != "" {
			out = append(out, name+" "+f[name])
		}
	}
	return agent.OneLine(strings.Join(out, ", "), 200)
}

// facts identify the sessions that a lane is for.
func (l Lane) facts() facts {
	f := facts{"role": string(l.Role), "step": l.Step, "reviewer": l.Reviewer,
		"attempt": strconv.Itoa(l.Attempt), "round": strconv.Itoa(l.Round)}
	maps.DeleteFunc(f, func(_, value string) bool { return value == "" || value == "0" })
	return f
}
