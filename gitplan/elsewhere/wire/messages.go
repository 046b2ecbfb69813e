package wire

import (
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/git-plan/git-plan/gitplan/agent"
)

// Greeting is what a worker says of itself: a Hello.
type Greeting struct {
	Version string   `json:"version"` // of git plan there
	Can     []string `json:"can"`     // what jobs it does
	OS      string   `json:"os"`
	Arch    string   `json:"arch"`
	Git     string   `json:"git"` // its version
	CPUs    int      `json:"cpus"`
	Sandbox string   `json:"sandbox"`       // the kind that confines its sessions
	Why     string   `json:"why,omitempty"` // no stronger one does
	// Problem keeps it from doing any job.
	Problem string `json:"problem,omitempty"`
}

// Tidy brings what a stranger says within bounds.
func (g Greeting) Tidy() Greeting {
	for _, s := range []*string{&g.Version, &g.OS, &g.Arch, &g.Git, &g.Sandbox, &g.Why, &g.Problem} {
		*s = agent.OneLine(*s, 200)
	}
	return g
}

// Cannot says why it does no such jobs, or without any, not all that this version does; "" if it does.
func (g Greeting) Cannot(jobs ...string) string {
	if len(jobs) == 0 {
		jobs = All
	}
	for _, do := range jobs {
		if g.Problem == "" && !slices.Contains(g.Can, do) {
			return "git plan " + g.Version + " there does no job of kind " + do + ": install the version of this machine there"
		}
	}
	return g.Problem
}

// Machine is what a worker says of where it is: a Seen.
type Machine struct {
	Time   time.Time `json:"time"`   // by its clock
	Agents []string  `json:"agents"` // the programs of agents, each with its version, and whether somebody has signed in
	Cache  string    `json:"cache"`  // where caches of clones are
	// Problem is why nothing can be kept there.
	Problem string `json:"problem,omitempty"`
}

const maxAgents = 20

// Tidy brings what a stranger says within bounds.
func (m Machine) Tidy() Machine {
	m.Cache, m.Problem = agent.OneLine(m.Cache, 200), agent.OneLine(m.Problem, 200)
	m.Agents = m.Agents[:min(len(m.Agents), maxAgents)]
	for i, text := range m.Agents {
		m.Agents[i] = agent.OneLine(agent.Mask(text, ""), 100)
	}
	return m
}

// Wanted names a repository, as the clone that near has of it: a Want.
type Wanted struct {
	Clone  string `json:"clone"`  // a random id
	Format string `json:"format"` // of its objects: sha1 or sha256
}

// Trees are object names: a Have.
type Trees struct {
	Trees []string `json:"trees"`
}

// MaxTrees bounds how many a worker names.
const MaxTrees = 256

// Object is the name of an object: the end of a pack, a Tree.
type Object struct {
	Name string `json:"name"`
}

// Valid reports whether it may be the name of an object in this format.
func (o Object) Valid(format string) bool {
	size := 40
	if format == "sha256" {
		size = 64
	}
	_, err := hex.DecodeString(o.Name)
	return err == nil && len(o.Name) == size && o.Name == strings.ToLower(o.Name)
}

// Work is what a worker is to do with the tree that it was sent: a Job.
type Work struct {
	Do       string        `json:"do"` // one of what it can
	Agent    string        `json:"agent"`
	Session  agent.Session `json:"session"`
	Settings [][2]string   `json:"settings"` // as by git -c
	Env      []string      `json:"env"`      // NAME=value: see planLauncher.NAME.passEnv
	Setup    string        `json:"setup"`    // plan.worktreeSetup
	Findings []byte        `json:"findings"` // the file Session.Review.Findings; none if there is no such file
	Asks     bool          `json:"asks"`     // the session may ask a person

	Checks  []string      `json:"checks"`  // commands; a job of kind Check has nothing of the above but Session.ID and Setup
	Timeout time.Duration `json:"timeout"` // of each
}

// What a worker can do.
const (
	Session = "session" // run a session, and send the tree that it leaves
	Reading = "reading" // run a session that only reads, and send its answer
	Looking = "look"    // say what is on the machine
	Check   = "check"   // run commands on the tree, without any key, and say how each ends
)

// All is what a worker of this version can do.
var All = []string{Session, Reading, Check, Looking}

// Doing returns what a worker must be able to do for a session of a role.
func Doing(role agent.Role) string {
	if role.Answers() {
		return Reading
	}
	return Session
}

// Used is what a session has used so far: a Usage.
type Used struct {
	Tokens agent.Tokens `json:"tokens"`
	Cost   agent.Cost   `json:"cost"`
}

// Tidy brings what a stranger says within bounds.
func (u Used) Tidy() Used { return Used{u.Tokens.Believed(), u.Cost.Believed()} }

// Ended is how a command of a job ended: a Checked.
type Ended struct {
	N        int      `json:"n"` // which of them, from 0
	Code     int      `json:"code"`
	TimedOut bool     `json:"timedOut,omitempty"`
	Flooded  int64    `json:"flooded,omitempty"`
	Output   string   `json:"output"`            // the end of what it printed
	Changed  []string `json:"changed,omitempty"` // files of the tree that it changed
}

// Passed reports whether a command passed.
func (e Ended) Passed() bool {
	return e.Code == 0 && !e.TimedOut && e.Flooded == 0 && len(e.Changed) == 0
}

// MaxOutput bounds what is believed of a command's output, in bytes, and maxChanged of the files that
// it changed.
const (
	MaxOutput  = 16 << 10
	maxChanged = 20
)

// Tidy brings what a stranger says of a command within bounds. A code that no command ends with is no
// success.
func (e Ended) Tidy() Ended {
	if e.Code < 0 || e.Code > 255 {
		e.Code = 255
	}
	e.Flooded = max(e.Flooded, 0)
	e.Output = strings.ToValidUTF8(e.Output[max(0, len(e.Output)-MaxOutput):], "\ufffd")
	e.Changed = e.Changed[:min(len(e.Changed), maxChanged)]
	for i, path := range e.Changed {
		e.Changed[i] = agent.OneLine(path, 200)
	}
	return e
}

// Answered is a Grant or a Verdict: "" is yes. Told has answers, too.
type Answered struct {
	No      string   `json:"no,omitempty"`
	Answers []string `json:"answers,omitempty"`
}

// Err returns it as an error.
func (a Answered) Err() error {
	if a.No == "" {
		return nil
	}
	return fmt.Errorf("%s", a.No)
}

// No returns an error as an answer.
func No(err error) Answered {
	if err == nil {
		return Answered{}
	}
	return Answered{No: err.Error()}
}

// TidyEvent brings what a stranger reports of a session within bounds. ok is false if it is nothing.
func TidyEvent(e agent.Event) (_ agent.Event, ok bool) {
	e.Text, e.Tool = agent.OneLine(e.Text, agent.MaxEvent), agent.OneLine(e.Tool, agent.MaxEvent)
	e.Wait = min(max(e.Wait, 0), maxWait)
	switch e.Kind {
	case agent.SaidText, agent.CalledTool, agent.Waiting:
		return e, true
	}
	return e, false
}

const maxWait = 24 * time.Hour

// TidyResult brings a stranger's result within bounds. How it ended must be one of the ends; what a
// person is to type next is only for a person there.
func TidyResult(r agent.Result) agent.Result {
	u := Used{r.Tokens, r.Cost}.Tidy()
	r.Tokens, r.Cost = u.Tokens, u.Cost
	r.Next = ""
	r.RetryAfter = min(max(r.RetryAfter, 0), maxWait)
	r.Reason, r.Agent = agent.OneLine(agent.Mask(r.Reason, ""), agent.MaxReason), agent.OneLine(r.Agent, 200)
	if r.ExitCode != nil {
		*r.ExitCode = min(max(*r.ExitCode, 0), 255)
	}
	switch r.Status {
	case agent.Done, agent.Blocked, agent.Failed, agent.Limited, agent.Unreachable, agent.Unauthorised, agent.Unusable, agent.TimedOut, agent.Stopped, agent.Cancelled:
	default:
		r.Status, r.Reason = agent.Failed, "the worker gave no end of the session"
	}
	return r.Tidy()
}
