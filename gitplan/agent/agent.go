package agent

import (
	"context"
	"fmt"
	"github.com/git-plan/git-plan/gitplan/proc"
	"io"
	"strings"
	"time"
)

// Agent holds sessions. Its implementations, in the rooms below
// this package, play the same stories (testdata/contract).
type Agent interface {
	// Name is the name under which it is configured.
	Name() string
	// Run holds one session to its end. It never panics and never returns
	// without a status; whatever it started has ended when it returns.
	Run(ctx context.Context, s Session) Result
	// FullPrompt returns the whole text that it is sent for a session.
	FullPrompt(s Session) string
	// MayWrite reports whether it is a program that we do not hold back
	// ourselves from changing files in a role that only reads.
	MayWrite() bool
}

// Role is what a session is for. It decides what the session may do.
type Role string

// The roles. Executor and Fixer may write files and run commands; the others read.
const (
	Planner  Role = "planner"
	Critic   Role = "critic" // of a plan, before a person reads it
	Executor Role = "executor"
	Reviewer Role = "reviewer"
	Verifier Role = "verifier"
	Fixer    Role = "fixer"
)

// Writes reports whether sessions of this role may change the tree and run commands.
func (r Role) Writes() bool { return r == Executor || r == Fixer }

// Answers reports whether the result of such a session is what it says, not what it
// changes.
func (r Role) Answers() bool { return r == Planner || r == Critic || r == Reviewer || r == Verifier }

// Prompt is what a session is given to read. System holds what is the same for every
// session of a role (so that providers can cache it), User the rest, whose first Shared bytes
// other sessions begin with, too. An agent without the distinction is given [Prompt.Text].
type Prompt struct {
	System, User string
	Shared       int
	// Holds has the SHA-256 sums of the files of the tree that the prompt shows whole: the
	// session has read them.
	Holds map[string][32]byte
}

// Text returns the whole prompt as one text.
func (p Prompt) Text() string { return p.System + "\n" + p.User }

// Session is one conversation that an agent is to have. As JSON, which a worker elsewhere is sent, it
// lacks what only this process and this machine have.
type Session struct {
	ID      string // names the session everywhere, and marks every process of it
	Role    Role
	Plan    string // plan id; empty without a plan
	Step    string // step id; empty outside steps
	Branch  string
	Attempt int    // 1 is the first
	Dir     string `json:"-"` // absolute path of the tree the session works in
	Prompt  Prompt
	Nonce   string // must come back in what command-line agents and commands print

	Model, Effort string        // empty: the agent's own default
	Timeout       time.Duration // for the whole session
	Idle          time.Duration // without any sign of life
	MaxTurns      int           // model calls
	Env           []string      `json:"-"` // the complete environment of what the session starts

	// Confine bounds what the session's commands can do to files; nil does not.
	Confine *proc.Bounds `json:"-"`

	// Review names what a reviewer, verifier or fixer works on.
	Review Review

	// Accept is asked when the session says that it is done, with what it gave
	// as its result. The session hears of an error, and may go on and try
	// again a few times; an agent that cannot be answered skips it. Nil accepts.
	Accept func(ctx context.Context, r Result) error `json:"-"`
	// Ask puts questions to a person and returns an answer to each. Nil if nobody can be asked.
	// The built-in agent asks in its session; a program ends it with Result.Questions.
	Ask func([]Question) ([]string, error) `json:"-"`
	// Spend is asked with what the session has used so far: by the built-in agent before each
	// model call, for a program whenever it reports that, for a command only before it starts.
	// An error ends the session with [Stopped]. Nil allows everything.
	Spend func(Tokens, Cost) error `json:"-"`
	// On hears of what happens, as it happens. It may be nil, and is never
	// called by two goroutines at once.
	On func(Event) `json:"-"`
	// Transcript receives every turn before the next begins. It may be nil.
	Transcript io.Writer `json:"-"`
}

// Review is what a session of a review is about.
type Review struct {
	Base, Head string // full object names
	Reviewer   string
	Round      int
	// Findings is the path of a JSON file with the findings and their ids, for
	// verifier and fixer.
	Findings string
	// Hidden are files of Head that no model sees, since a secret was found in them.
	Hidden []string `json:"-"`
}

// Question is what a session asks a person, with answers it suggests.
type Question struct {
	Text      string   `json:"question"`
	Suggested []string `json:"suggested"`
}

// Status is how a session ended.
type Status string

// The ends of a session.
const (
	Done         Status = "done"         // it says that it did what it was asked
	Blocked      Status = "blocked"      // it needs an answer first: Result.Question
	Failed       Status = "failed"       // it says so, or ended without an answer: Result.Reason
	Limited      Status = "limited"      // rate limit or overload outlasted the waiting: Result.RetryAfter
	Unreachable  Status = "unreachable"  // the endpoint cannot be reached
	Lost         Status = "lost"         // no machine elsewhere brought it to its end
	Unauthorised Status = "unauthorised" // no valid key, or no quota
	Unusable     Status = "unusable"     // it cannot work as it is set up: no such program, model or endpoint
	TimedOut     Status = "timeout"      // the session's own time limits
	Stopped      Status = "stopped"      // Session.Spend said so
	Cancelled    Status = "cancelled"    // the context ended
)

// Known reports whether s is one of the ends of a session.
func (s Status) Known() bool {
	switch s {
	case Done, Blocked, Failed, Limited, Unreachable, Lost, Unauthorised, Unusable, TimedOut, Stopped, Cancelled:
		return true
	}
	return false
}

// MaxCalls is how many tool calls of one turn are answered.
const MaxCalls = 32

// Result is what a session leaves behind in addition to the tree.
type Result struct {
	Status   Status
	Reason   string // one line: why it is not done
	Next     string // what a person does first if the agent cannot work: a whole command, if it is known
	Question string // of a blocked session
	// Questions are what a blocked planner asks a person; the next session is given the answers.
	Questions []Question
	// OutOfTurns says of a failed session that nothing ended it but the limit of its turns, in
	// the midst of its work: what it left may be right.
	OutOfTurns bool

	Subject string  // proposed subject of the commit
	Summary string  // what was done, for the plan and the commit's body
	Handoff Handoff // what later sessions should know
	// Proposal is how the plan should change, by what the session found.
	Proposal string
	// Assumed is what the session assumed if its task left something open.
	Assumed string
	// Drift are the files that an executor changed although its step does not name them.
	Drift []Drift
	// Dispositions are a fixer's answers, one for each finding.
	Dispositions []Disposition
	// Answer is a planner's plan.md, or the JSON of a critic, reviewer or verifier.
	Answer string

	Tokens     Tokens
	Cost       Cost
	RetryAfter time.Duration
	Agent      string // agent and model that ran, as "openai/gpt-5.6"
	ExitCode   *int   // of a program that ended by itself; nil if none did
}

// Fail returns the result of a session that failed, and why.
func Fail(format string, args ...any) Result {
	return Result{Status: Failed, Reason: fmt.Sprintf(format, args...)}
}

// Handoff is what a session leaves to the sessions after it.
type Handoff struct {
	Did      string `json:"did,omitempty"`
	Why      string `json:"why,omitempty"`
	Rejected string `json:"rejected,omitempty"`
}

// Amendment is one change of the plan that a session proposes.
type Amendment struct {
	Do      string `json:"do"`   // change, add or drop
	Step    string `json:"step"` // its id; of a step to add, the one before it
	Text    string `json:"text"` // what it should say
	Because string `json:"because"`
}

// Proposed returns a proposal in words: the amendments, then what else the session says.
func Proposed(list []Amendment, more string) string {
	var lines []string
	for _, a := range list[:min(len(list), maxAmendments)] {
		line := a.Do + " step " + a.Step
		if a.Do == "add" {
			line = strings.TrimSuffix("add a step after "+a.Step, " after ")
		}
		for _, part := range [][2]string{{": ", a.Text}, {", because ", a.Because}} {
			if part[1] != "" {
				line += part[0] + part[1]
			}
		}
		lines = append(lines, line)
	}
	if more = strings.TrimSpace(more); more != "" {
		lines = append(lines, more)
	}
	return strings.Join(lines, ";\n") // an event has them on one line
}

const maxAmendments = 20

// Drift is a file that was changed although the step does not name it, and why.
type Drift struct {
	File    string `json:"file"`
	Because string `json:"because"`
}

// Disposition is what a fixer did about one finding: fixed, dismissed or asked.
type Disposition struct {
	ID          string `json:"id"`
	Disposition string `json:"disposition"`
	Because     string `json:"because"`
}

// Event is something that happened in a session.
type Event struct {
	Kind EventKind
	Text string // the model's words, the tool and its argument in short, or the reason for waiting
	Tool string
	Wait time.Duration // of Waiting; 0 if that is not known
}

// EventKind is what kind of event it is.
type EventKind string

// The events of a session.
const (
	SaidText   EventKind = "text"
	CalledTool EventKind = "tool"
	Waiting    EventKind = "waiting" // for a retry
)
