package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/gofrs/flock"
)

// Trial names one task by one arm once, by an agent.
type Trial struct {
	Task  string `json:"task"`
	Arm   string `json:"arm"`
	Run   int    `json:"run"` // from 1
	Agent string `json:"agent"`
	Model string `json:"model,omitempty"`
	// Strong is the model of the roles that an arm gives a stronger one.
	Strong string `json:"strong,omitempty"`
}

// Result is one line of the file of results.
type Result struct {
	Schema int `json:"schema"`
	Trial
	Program string    `json:"program"` // git plan's version
	Began   time.Time `json:"began"`
	Setting Setting   `json:"setting"`

	Resolved bool     `json:"resolved"`         // all of F2P and of P2P pass
	F2P      Share    `json:"f2p"`              // tests that failed before the change
	P2P      Share    `json:"p2p"`              // tests that passed before it
	Missed   []string `json:"missed,omitempty"` // tests of both that do not pass: the first 20
	Broken   []string `json:"broken,omitempty"` // of the task's keep

	Done      bool     `json:"done"`               // git plan says that all is done
	FalseDone bool     `json:"falseDone"`          // and it is not resolved
	Weakened  []string `json:"weakened,omitempty"` // built-in rules about tests that the branch breaks
	Refused   []string `json:"refused,omitempty"`  // and those that attempts break which were not committed
	Drift     []string `json:"drift,omitempty"`    // changed files that no step named

	Exits         []int    `json:"exits"`         // of git plan's commands
	Interventions int      `json:"interventions"` // commands that ended because a person must act
	Review        string   `json:"review"`        // how the review ended
	Steps         Share    `json:"steps"`
	Attempts      int      `json:"attempts"` // sessions for steps
	Sessions      int      `json:"sessions"`
	Requests      int      `json:"requests"`  // of the built-in agent
	Calls         int      `json:"calls"`     // of its tools
	Malformed     int      `json:"malformed"` // of these, that could not be read or named no tool
	Tokens        Tokens   `json:"tokens"`
	CostUSD       *float64 `json:"costUSD"` // null: unknown
	Seconds       float64  `json:"seconds"`
}

// Setting is what else a result depends on. The temperature is the provider's default, since git plan sends
// none.
type Setting struct {
	Endpoint string            `json:"endpoint,omitempty"`
	Effort   string            `json:"effort,omitempty"`
	Tools    map[string]string `json:"tools"`   // versions of git, go and the agent's program
	Prompts  map[string]string `json:"prompts"` // by role: the beginning of the SHA-256 of its contract
	Keys     map[string]string `json:"keys"`    // of git's configuration that the arm sets
}

// Share is a number out of a total.
type Share struct {
	N   int `json:"n"`
	All int `json:"all"`
}

// Tokens are the tokens of all sessions. Cached and Written are parts of In.
type Tokens struct {
	In         int `json:"in"`
	Cached     int `json:"cached"`
	Written    int `json:"written"`
	Out        int `json:"out"`
	Unreported int `json:"unreported,omitempty"` // requests of which the provider said nothing
}

// results is the file that holds a line for each trial. One process writes to it at a time.
type results struct {
	path string
	lock *flock.Flock
	all  []Result
	done map[Trial]bool
}

// openResults reads the results; a half-written last line is cut off, and that trial run again.
func openResults(path string) (*results, error) {
	r := &results{path: path, lock: flock.New(path + ".lock"), done: map[Trial]bool{}}
	if free, err := r.lock.TryLock(); err != nil || !free {
		return nil, fmt.Errorf("%s is written by another process (%v)", path, err)
	}
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	whole := bytes.LastIndexByte(text, '\n') + 1
	if whole < len(text) {
		if err := os.Truncate(path, int64(whole)); err != nil {
			return nil, err
		}
	}
	r.all, err = readResults(bytes.NewReader(text[:whole]))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	for _, one := range r.all {
		r.done[one.Trial] = true
	}
	return r, nil
}

func readResults(in io.Reader) (list []Result, err error) {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<20)
	for n := 1; lines.Scan(); n++ {
		var one Result
		if err := json.Unmarshal(lines.Bytes(), &one); err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		list = append(list, one)
	}
	return list, lines.Err()
}

// add appends a result in one write, and syncs. Text that contains the secret is refused.
func (r *results) add(one Result, secret string) error {
	line, err := json.Marshal(one)
	if err != nil {
		return err
	}
	if secret != "" && bytes.Contains(line, []byte(secret)) {
		return errors.New("a result holds the key, and is not written")
	}
	f, err := os.OpenFile(r.path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := f.Write(append(line, '\n')); err != nil {
		return err
	}
	r.all, r.done[one.Trial] = append(r.all, one), true
	return f.Sync()
}

func (r *results) close() { _ = r.lock.Unlock() }
