package agent

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/git-plan/git-plan/gitplan/proc"
	"github.com/git-plan/git-plan/gitplan/visible"
)

// Agent runs sessions. All implementations play the same stories (testdata/contract).
type Agent interface {
	Name() string // Name returns the configured name.
	// Run runs one session to its end. The result has a status, and all processes of the session have ended.
	Run(ctx context.Context, s Session) Result
	FullPrompt(s Session) string // FullPrompt returns the whole text that the model reads first.
	// MayWrite reports whether the agent is a program that could change files even in a role that only reads.
	MayWrite() bool
}

// Role is what a session is for. It decides what the session may do.
type Role string

// The roles. Executor and Fixer may write files and run commands; the others read.
const (
	Planner  Role = "planner"
	Critic   Role = "critic" // it judges a plan before a person reads it
	Executor Role = "executor"
	Reviewer Role = "reviewer"
	Verifier Role = "verifier"
	Fixer    Role = "fixer"
)

// Writes reports whether sessions of this role may change the tree and run commands.
func (r Role) Writes() bool { return r == Executor || r == Fixer }

// Answers reports whether the result of such a session is its answer rather than its changes.
func (r Role) Answers() bool { return r == Planner || r == Critic || r == Reviewer || r == Verifier }

// Prompt is what a session is given to read. System is the same for every session of a role (so that
// providers can cache it), and so are the first Shared bytes of User for other sessions.
type Prompt struct {
	System, User string
	Shared       int                 // the number of bytes at the beginning of User that other prompts have, too
	Holds        map[string][32]byte // the SHA-256 of each file that the prompt shows completely
	Form         string              // the form of the JSON object that answers it, for agents that print the answer
}

func (p Prompt) Text() string { return p.System + "\n" + p.User }

// Session describes one conversation of an agent. A worker on another machine gets it as JSON.
type Session struct {
	ID      string // names the session everywhere, and marks every process of it
	Role    Role
	Plan    string // plan id; empty without a plan
	Step    string // step id; empty outside steps
	Branch  string
	Attempt int    // the number of the attempt, from 1
	Beside  bool   // other sessions work at the same time, each in a clone
	Dir     string `json:"-"` // the absolute path of the session's tree
	Prompt  Prompt
	Nonce   string // the word that the answer of a command-line agent or a command must contain

	Model, Effort string        // empty: the agent's own default
	Timeout       time.Duration // the limit of the whole session
	Idle          time.Duration // the limit without any sign of life
	MaxTurns      int           // the maximum number of model calls
	MaxUSD        float64       // the budget for programs that alone know their prices; 0 is unlimited
	Env           []string      `json:"-"` // the complete environment of the session's programs

	Confine *proc.Confinement `json:"-"` // the bounds of the session's commands; nil is unbounded
	Review  Review            // the subject of a reviewer, verifier or fixer

	// Accept is called with the result when the session says that it is done. The session reads an error, and may try
	// again a few times; a program cannot, and is not asked. Nil accepts.
	Accept func(ctx context.Context, r Result) error `json:"-"`
	// Ask puts questions to a person and returns an answer to each; nil if that is not possible.
	// The built-in agent asks in its session; a program ends it with Result.Questions.
	Ask func([]Question) ([]string, error) `json:"-"`
	// Spend is called with the usage so far: before each model call, for a program whenever it reports usage, for a
	// command before it starts. An error ends the session with [Stopped]. Nil allows everything.
	Spend      func(Tokens, Cost) error `json:"-"`
	On         func(Event)              `json:"-"` // called as things happen, never twice at once; may be nil
	Stopping   func() bool              `json:"-"` // no other session follows this one; may be nil
	Transcript io.Writer                `json:"-"` // receives every turn before the next begins; may be nil
}

// Review is what a session of a review is about.
type Review struct {
	Base, Head string // full object names
	Reviewer   string
	Round      int
	Findings   string // the path of a JSON file with the findings and their ids, for verifier and fixer
}

// Event is something that happened in a session.
type Event struct {
	Kind EventKind
	Text string // the model's words, the tool and its argument in short, or the reason for waiting
	Tool string
	Wait time.Duration // the duration of Waiting; 0 if it is unknown
}

// EventKind is what kind of event it is.
type EventKind string

const (
	SaidText   EventKind = "text"
	CalledTool EventKind = "tool"
	Waiting    EventKind = "waiting" // the session waits before a retry
)

// Report passes on an event, made safe for a terminal, without credentials and the key.
func (s Session) Report(e Event, key string) {
	if s.On == nil || e.Text == "" && e.Tool == "" {
		return
	}
	e.Tool = OneLine(e.Tool, 80)
	e.Text = OneLine(Mask(visible.Cut(e.Text, 4*MaxEvent), key), MaxEvent)
	s.On(e)
}

// Spent calls Spend: the error says why the session must stop.
func (s Session) Spent(t Tokens, c Cost) error {
	if s.Spend == nil {
		return nil
	}
	return s.Spend(t, c)
}

// Environ returns Session.Env with variables that say what the session is about, and more.
func (s Session) Environ(more ...[2]string) []string {
	out := slices.Clone(s.Env)
	if out == nil {
		out = proc.CleanEnv()
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
	for _, kv := range append(reported, more...) {
		out = slices.DeleteFunc(out, func(e string) bool { return strings.HasPrefix(e, kv[0]+"=") })
		if kv[1] != "" {
			out = append(out, kv[0]+"="+kv[1])
		}
	}
	return out
}

var (
	ErrTime = errors.New("the session's time is over")
	ErrIdle = errors.New("no sign of life")
)

// Life ends a session that shows no sign of life for its idle time.
type Life struct {
	idle         time.Duration
	clock, limit *proc.Clock // the clocks of Session.Idle and Session.Timeout
}

// NewLife returns a context that ends at the limits of a session. stop releases it.
func NewLife(ctx context.Context, s Session) (_ context.Context, l *Life, stop func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	l = &Life{s.Idle, proc.NewClock(s.Idle, func() { cancel(ErrIdle) }),
		proc.NewClock(s.Timeout, func() { cancel(ErrTime) })}
	return ctx, l, func() {
		cancel(nil)
		l.Stop()
		l.limit.Stop()
	}
}

// Beat restarts the idle time.
func (l *Life) Beat() { l.Extend(0) }

// Extend restarts the idle time, longer by d.
func (l *Life) Extend(d time.Duration) {
	if l.idle > 0 {
		l.clock.Reset(l.idle + d)
	}
}

// Waits extends the session's limit by the time of a wait for the model.
func (l *Life) Waits(d time.Duration) { l.limit.Add(d) }

// Stop stops the idle time until the next Beat or Extend.
func (l *Life) Stop() { l.clock.Stop() }

// Write counts output as a sign of life.
func (l *Life) Write(p []byte) (int, error) {
	l.Beat()
	return len(p), nil
}

// Ended returns the result of a session whose context has ended.
func Ended(ctx context.Context, s Session) Result {
	switch err := context.Cause(ctx); {
	case errors.Is(err, ErrTime):
		return Result{Status: TimedOut, Reason: fmt.Sprintf("the session took longer than %s", Short(s.Timeout))}
	case errors.Is(err, ErrIdle):
		return Result{Status: TimedOut, Reason: fmt.Sprintf("the session showed no sign of life for %s", Short(s.Idle))}
	default:
		return Result{Status: Cancelled, Reason: "the session was cancelled"}
	}
}
