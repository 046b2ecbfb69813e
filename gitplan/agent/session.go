package agent

import (
	"context"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/git-plan/git-plan/gitplan/proc"
)

// Agent holds sessions. Its implementations, in the packages below
// this one, play the same stories (testdata/contract).
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

// Session is one conversation that an agent is to have. As JSON, which a worker on another machine is
// sent, it lacks what only this process and this machine have.
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
	// as its result. The session is told an error, and may
	// try again a few times; an agent that cannot be answered skips it. Nil accepts.
	Accept func(ctx context.Context, r Result) error `json:"-"`
	// Ask puts questions to a person and returns an answer to each. Nil if nobody can be asked.
	// The built-in agent asks in its session; a program ends it with Result.Questions.
	Ask func([]Question) ([]string, error) `json:"-"`
	// Spend is asked with what the session has used so far: by the built-in agent before each
	// model call, for a program whenever it reports that, for a command only before it starts.
	// An error ends the session with [Stopped]. Nil allows everything.
	Spend func(Tokens, Cost) error `json:"-"`
	// On is told what happens, as it happens. It may be nil, and is never
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

// Environ returns Session.Env with variables that say what the session is about, and
// more. What is empty is not set.
func (s Session) Environ(more ...[2]string) []string {
	env := s.Env
	if env == nil {
		env = proc.Clean()
	}
	round := ""
	if s.Review.Head != "" || s.Review.Round > 0 {
		round = strconv.Itoa(s.Review.Round)
	}
	reported := [][2]string{
		{proc.EnvSession, s.ID}, {"GIT_PLAN_ROLE", string(s.Role)}, {"GIT_PLAN_ID", s.Plan}, {"GIT_PLAN_STEP", s.Step},
		{"GIT_PLAN_BRANCH", s.Branch}, {"GIT_PLAN_ATTEMPT", strconv.Itoa(s.Attempt)}, {"GIT_PLAN_NONCE", s.Nonce},
		// Of a review; not set elsewhere.
		{"GIT_PLAN_BASE", s.Review.Base}, {"GIT_PLAN_HEAD", s.Review.Head}, {"GIT_PLAN_REVIEWER", s.Review.Reviewer},
		{"GIT_PLAN_ROUND", round}, {"GIT_PLAN_FINDINGS", s.Review.Findings},
	}
	out := slices.Clone(env)
	for _, kv := range append(reported, more...) {
		out = slices.DeleteFunc(out, func(e string) bool { return strings.HasPrefix(e, kv[0]+"=") })
		if kv[1] != "" {
			out = append(out, kv[0]+"="+kv[1])
		}
	}
	return out
}
