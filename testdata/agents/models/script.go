package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Script is what the server answers:
//
//	{"lanes": [
//	  {"role": "executor", "step": "greet", "attempt": 1, "turns": [
//	    {"say": "I write it.", "run": "echo hello >greeting"},
//	    {"fault": "429", "retryAfter": "1", "times": 1,
//	     "end": {"status": "done", "summary": "It greets."}}]},
//	  {"role": "planner", "turns": [{"answer": "plan.md", "end": {"status": "done"}}]}]}
//
// In texts, ${nonce}, ${step} and ${turn} are those of the request, and ${work} is the folder that the server was
// started in.
type Script struct {
	Lanes []Lane `json:"lanes"`
}

// Lane is what a model says in one session, or in all that match its fields; an empty field matches every
// session, and the first matching lane is used. A session that a person started, with [Wish], has the role
// person.
type Lane struct {
	Role    string `json:"role"`
	Step    string `json:"step"`
	Attempt int    `json:"attempt"`
	Round   int    `json:"round"` // of a review
	// Capture takes texts from the prompt: names to regular expressions with one
	// group. Each is in texts as ${name}.
	Capture map[string]string `json:"capture"`
	Turns   []Turn            `json:"turns"` // the last one is repeated
}

// Turn is one answer of the model.
type Turn struct {
	Sees   string          `json:"sees"` // what the request has to hold
	Say    string          `json:"say"`
	Answer string          `json:"answer"` // a file beside the script whose text is said
	End    json.RawMessage `json:"end"`    // the closing object, said last, with the nonce put in
	Run    string          `json:"run"`    // a command, by whatever shell tool the client has
	Write  string          `json:"write"`  // a file, by whatever tool the client writes files with
	Text   string          `json:"text"`   // what to write
	Skill  string          `json:"skill"`  // a skill to read, as the client has its model do that
	Tool   string          `json:"tool"`   // a tool of the MCP server git-plan, whatever the client calls it
	Find   bool            `json:"find"`   // looks for that tool first, if the client hides it
	Fault
}

// Fault is an error in place of a turn, each time that it is requested, or only the first Times. Kind is an
// HTTP status, or one of quota (no money left), cut (the connection ends within the answer), stall (the answer
// stops), empty, refusal and length (the answer's token limit).
type Fault struct {
	Kind       string `json:"fault"`
	RetryAfter string `json:"retryAfter"` // seconds
	Times      int    `json:"times"`
}

// status is the HTTP status of a refusal, 0 for any other fault.
func (f Fault) status() int {
	n, _ := strconv.Atoi(f.Kind)
	return n
}

var kinds = []string{"", "quota", "cut", "stall", "empty", "refusal", "length"}

func readScript(path string) (*Script, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var s Script
	if err := json.Unmarshal(b, &s); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	for i := range s.Lanes {
		l := &s.Lanes[i]
		if l.Role == "" || len(l.Turns) == 0 {
			return nil, fmt.Errorf("%s: lane %d has no role or no turns", path, i+1)
		}
		for j := range l.Turns {
			if err := l.Turns[j].prepare(filepath.Dir(path)); err != nil {
				return nil, fmt.Errorf("%s: lane %d, turn %d: %w", path, i+1, j+1, err)
			}
		}
	}
	return &s, nil
}

// prepare puts together what a turn says.
func (t *Turn) prepare(dir string) error {
	if t.status() < 400 && !slices.Contains(kinds, t.Kind) {
		return fmt.Errorf("no such fault: %s", t.Kind)
	}
	if t.Answer != "" {
		b, err := os.ReadFile(filepath.Join(dir, t.Answer))
		if err != nil {
			return err
		}
		t.Say += string(b)
	}
	if len(t.End) > 0 {
		end := object{}
		if err := json.Unmarshal(t.End, &end); err != nil {
			return err
		}
		if _, given := end["nonce"]; !given {
			end["nonce"] = "${nonce}"
		}
		b, err := json.Marshal(end)
		if err != nil {
			return err
		}
		t.Say = strings.TrimLeft(strings.TrimRight(t.Say, "\n")+"\n\n", "\n") + string(b)
	}
	return nil
}

// turn is the script's answer to a request, and a key by which faults are counted; it is nil if no lane
// matches.
func (s *Script) turn(q request) (*Lane, Turn, string) {
	for i, l := range s.Lanes {
		if l.Role == q.role && (l.Step == "" || l.Step == q.step) &&
			(l.Attempt == 0 || strconv.Itoa(l.Attempt) == q.attempt) &&
			(l.Round == 0 || strconv.Itoa(l.Round) == q.round) {
			n := min(q.turn, len(l.Turns)-1)
			return &s.Lanes[i], l.Turns[n], fmt.Sprint(i, ".", n)
		}
	}
	return nil, Turn{}, ""
}

// captures are the texts that a lane takes from a prompt, as pairs for a [strings.Replacer].
func (l *Lane) captures(prompt string) []string {
	var pairs []string
	for name, expr := range l.Capture {
		m := append(regexp.MustCompile(expr).FindStringSubmatch(prompt), "", "")
		pairs = append(pairs, "${"+name+"}", m[1])
	}
	return pairs
}
