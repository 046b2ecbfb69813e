package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"text/tabwriter"
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
	for line := range bytes.Lines(text[:whole]) {
		var one Result
		if err := json.Unmarshal(line, &one); err != nil {
			return nil, fmt.Errorf("%s, line %d: %w", path, len(r.all)+1, err)
		}
		r.all, r.done[one.Trial] = append(r.all, one), true
	}
	return r, nil
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

// report prints the results of each arm. Differences between arms count only on the same tasks.
func report(out io.Writer, all []Result) error {
	agents := map[[2]string][]Result{}
	for _, r := range all {
		key := [2]string{r.Agent, r.Model}
		agents[key] = append(agents[key], r)
	}
	var keys [][2]string
	for key := range agents {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, func(a, b [2]string) int { return slices.Compare(a[:], b[:]) })
	for _, key := range keys {
		fmt.Fprintf(out, "%s %s\n\n", key[0], key[1])
		if err := reportOf(out, agents[key]); err != nil {
			return err
		}
	}
	return nil
}

func reportOf(out io.Writer, all []Result) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "\ttrials\tresolved\tkept\tfalse done\tweakened\trefused\tin\tcached\twritten\tout\t$\trequests\tmalformed\tsessions\tminutes\tstopped\t")
	for _, arm := range arms {
		var n, resolved, kept, false_, weakened, refused, stopped, requests, calls, malformed, sessions int
		var tokens [4]float64
		var dollars, minutes float64
		unknown := false
		for _, r := range all {
			if r.Arm != arm.Name {
				continue
			}
			n, resolved, kept, false_ = n+1, resolved+one(r.Resolved), kept+one(len(r.Broken) == 0), false_+one(r.FalseDone)
			weakened, refused = weakened+one(len(r.Weakened) > 0), refused+one(len(r.Refused) > 0)
			stopped, requests, sessions, minutes = stopped+r.Interventions, requests+r.Requests, sessions+r.Sessions, minutes+r.Seconds/60
			calls, malformed = calls+r.Calls, malformed+r.Malformed
			for i, n := range []int{r.Tokens.In, r.Tokens.Cached, r.Tokens.Written, r.Tokens.Out} {
				tokens[i] += float64(n)
			}
			if r.CostUSD == nil {
				unknown = true
			} else {
				dollars += *r.CostUSD
			}
		}
		if n == 0 {
			continue
		}
		cost := fmt.Sprintf("%.2f", dollars)
		if unknown {
			cost += "+?"
		}
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%d\t%d\t%s\t%s\t%s\t%s\t%s\t%d\t%.1f %%\t%d\t%.1f\t%d\t\n", arm.Name, n, resolved, kept, false_, weakened, refused,
			thousands(tokens[0]), thousands(tokens[1]), thousands(tokens[2]), thousands(tokens[3]), cost, requests, 100*float64(malformed)/float64(max(1, calls)), sessions, minutes, stopped)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	tasks := map[string]bool{}
	for _, r := range all {
		tasks[r.Task] = true
	}
	if len(tasks) < leastTasks {
		fmt.Fprintf(out, "\n%d of %d tasks: too few to tell the arms apart\n", len(tasks), leastTasks)
	}
	fmt.Fprintln(out)
	return nil
}

// leastTasks is the minimum number of tasks for which differences between arms may be quoted.
const leastTasks = 10

func thousands(n float64) string { return fmt.Sprintf("%.0fk", n/1000) }

func one(yes bool) int {
	if yes {
		return 1
	}
	return 0
}
